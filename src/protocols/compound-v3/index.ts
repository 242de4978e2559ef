/**
 * Compound III markets (Comet): each lends one base token, whose claims are the market's own token, against several
 * collaterals. Venue parameter: `comets`. Pool parameters: none; tokens: base, market.
 */

import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import type { ExecutorStep } from '../../domain/order.js'
import type { Pool, Unreadable } from '../pool.js'
import { type DiscoverArgs, defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { cometAbi, errorsAbi } from './abi.js'
import { cometActions } from './actions.js'
import { loadComets } from './load.js'
import { describeComets, knownComets, slug } from './markets.js'
import { type CometState, redeemed, supplied } from './math.js'
import { cometPositions } from './positions.js'

const gasPerSwap = 110_000n

export const compoundV3 = defineProtocol<CometState>({
  slug,
  name: 'Compound III',
  project: 'compound',
  category: 'lending',
  url: 'https://compound.finance',
  description: 'Supplying to and borrowing from the markets of Compound III.',
  swaps: {
    paysRecipient: true,
    discover,
    load: loadComets,
    // Balances are rounded together with what their owner holds besides, which is not known.
    swap(pool, state, { tokenIn }, amountIn) {
      const isRedemption = tokenIn === pool.address
      const amountOut = isRedemption ? redeemed(state, amountIn) : supplied(state, amountIn)
      const paidIn = amountOut === 0n ? 0n : amountIn
      const after = () => ({ ...state, cash: state.cash + (isRedemption ? -amountOut : paidIn) })
      return { amountOut, exact: false, after }
    },
    action: (pool, tokenIn) => (tokenIn === pool.address ? 'redeem' : 'deposit'),
    gasEstimate: () => gasPerSwap,
    cautions: () =>
      cautionsWhere([true, 'rebase', 'Balances of the market grow with interest in each second.']),
    rebasingTokens: ({ comets }) => addressesOf(comets),
    encodeSwap({ pool, tokenIn, tokenOut, amountIn, recipient }): ExecutorStep[] {
      const target = pool.address
      if (tokenIn === target) {
        const args = [recipient, tokenOut, amountIn]
        return [{ kind: 'call', target, abi: cometAbi.withdrawTo, args }]
      }
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: cometAbi.supplyTo, args: [recipient, tokenIn, amountIn] },
      ]
    },
  },
  trust: {
    probes: ({ comets }) =>
      addressesOf(comets).map((to) => probe('Comet of Compound V3', to, 'baseToken()', 'address')),
    isNoPriceSource: () => true,
  },
  positions: {
    ...cometPositions,
    // The token counts base units, interest included.
    holdings: ({ address, tokens: [base] }, _state, token) =>
      base && token === address ? { shares: 1n, amounts: [{ token: base, amount: 1n }] } : null,
    async underlying({ reader, venue, tokens }) {
      const asked = knownComets(venue).filter((comet) => tokens.includes(comet))
      const { comets } = await describeComets(reader, asked)
      return new Map(comets.map(({ address, baseToken }) => [address, [baseToken]]))
    },
  },
  actions: { definitions: cometActions, errorsAbi },
})

async function discover({
  reader,
  venue,
  pairs,
}: DiscoverArgs): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const named = new Set(pairs.flat())
  const asked = knownComets(venue).filter((comet) => named.has(comet))
  if (asked.length === 0) return { pools: [], unreadable: [] }
  const wanted = new Set(pairs.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]))
  const { comets, unreadable } = await describeComets(reader, asked)
  const pools = comets.flatMap(({ address, baseToken }): Pool[] =>
    wanted.has(`${baseToken}-${address}`)
      ? [{ protocol: slug, id: address, address, tokens: [baseToken, address], parameters: {} }]
      : [],
  )
  return { pools, unreadable }
}
