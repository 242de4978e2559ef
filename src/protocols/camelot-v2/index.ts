/** Camelot's pairs: volatile or stable, with a fee for each direction. Venue parameter: `factory`. */

import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { defineProtocol } from '../protocol.js'
import { helperAddress } from '../shared/helper-address.js'
import { addressesOf } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import { discoverPairs, loadPairs } from './load.js'
import { type CamelotState, camelotSwap } from './math.js'

/** The lock; everything else is read with the state. */
const swapSlots = [13n].map(toWord)

const gasPerSwap = { volatile: 75_000n, stable: 130_000n }

const slug = 'camelot-v2'
const helper = 'SolidlySwapper'
const swapAbi = parseAbiItem(
  'function swap(address pool, address tokenIn, bool zeroForOne, address recipient) returns (uint256 amountOut)',
)

export const camelotV2 = defineProtocol<CamelotState>({
  slug,
  name: 'Camelot V2',
  project: 'camelot',
  category: 'dex',
  url: 'https://camelot.exchange',
  description: 'Volatile and stable pairs of Camelot.',
  probes: ({ factory }) =>
    addressesOf(factory).map((to) =>
      probe('factory of Camelot V2', to, 'allPairsLength()', 'positive'),
    ),
  paysRecipient: true,
  helperContracts: [helper],
  discover: (args) => discoverPairs(slug, args),
  load: (args) => loadPairs(slug, args),
  amountOut: (pool, state, tokenIn, _tokenOut, amountIn) => ({
    amountOut: camelotSwap(state, tokenIn === pool.tokens[0], amountIn)?.amountOut ?? 0n,
    exact: true,
  }),
  applySwap: (pool, state, tokenIn, _tokenOut, amountIn) =>
    camelotSwap(state, tokenIn === pool.tokens[0], amountIn)?.after ?? state,
  swapSlots: () => swapSlots,
  gasEstimate: (_pool, { isStable }) => gasPerSwap[isStable ? 'stable' : 'volatile'],
  prepaidAt: (pool) => pool.address,
  encodeSwap({ pool, tokenIn, amountIn, helpers, recipient, isPrepaid }) {
    const swap = {
      kind: 'call',
      target: helperAddress(helpers, helper),
      abi: swapAbi,
      args: [pool.address, tokenIn, tokenIn === pool.tokens[0], recipient],
    } as const
    if (isPrepaid) return [swap]
    return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, swap]
  },
})
