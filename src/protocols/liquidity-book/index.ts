/**
 * Liquidity Book of Trader Joe (LFJ), versions 2.1 and 2.2: bins of one price each.
 * Venue parameters: `factory21`, `factory22`. Pool parameters: `version` (one of these names), `binStep`.
 */

import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { discoverBooks, loadBooks } from './load.js'
import { type BookState, bookSwap } from './math.js'
import { bookEvents } from './pool-events.js'

const slug = 'liquidity-book'

/** One bin; each further one costs about a fifth of it. */
const gasPerSwap = 110_000n

const swapAbi = parseAbiItem(
  'function swap(bool swapForY, address to) returns (bytes32 amountsOut)',
)

export const liquidityBook = defineProtocol<BookState>({
  slug,
  name: 'Liquidity Book',
  project: 'trader-joe',
  category: 'dex',
  url: 'https://lfj.gg',
  description: 'Pairs of Trader Joe with a bin for each price.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverBooks(slug, args),
    load: (args) => loadBooks(slug, args),
    swap(pool, state, { tokenIn }, amountIn) {
      const swap = bookSwap(state, tokenIn === pool.tokens[0], amountIn)
      return swap
        ? { amountOut: swap.amountOut, exact: swap.exact, after: () => swap.after }
        : { amountOut: 0n, exact: true, after: () => state }
    },
    gasEstimate: () => gasPerSwap,
    cautions: (_pool, { parameters, hooks }) =>
      cautionsWhere(
        [
          parameters.variableFeeControl > 0n,
          'fee',
          'A part of the fee follows volatility, which decays with time.',
        ],
        [hooks !== null, 'plugin', 'Hooks take part in swaps, and may change what they move.'],
      ),
    prepaidAt: (pool) => pool.address,
    encodeSwap({ pool, tokenIn, amountIn, recipient, isPrepaid }) {
      const swap = {
        kind: 'call',
        target: pool.address,
        abi: swapAbi,
        args: [tokenIn === pool.tokens[0], recipient],
      } as const
      if (isPrepaid) return [swap]
      return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, swap]
    },
  },
  trust: {
    probes: ({ factory21, factory22 }) =>
      [...addressesOf(factory21), ...addressesOf(factory22)].map((to) =>
        probe('factory of Liquidity Book', to, 'getNumberOfLBPairs()', 'positive'),
      ),
    foreignCode: (_pool, { hooks }) => hooks,
  },
  index: bookEvents(slug),
})
