/**
 * Compound V2 markets: each lends one asset and gives its own token for what is supplied.
 * Venue parameter: `comptroller`. Pool parameters: none; tokens: underlying (native for ether), market.
 */

import { canonicalToken } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import type { ExecutorStep } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../pool.js'
import { type DiscoverArgs, defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { marketAbi } from './abi.js'
import { compoundActions } from './actions.js'
import { errorsAbi, explain } from './errors.js'
import { loadMarkets } from './load.js'
import { allMarkets, describeMarkets, slug } from './markets.js'
import {
  afterMint,
  afterRedeem,
  exchangeRate,
  type MarketState,
  minted,
  rateScale,
  redeemed,
} from './math.js'
import { compoundPositions } from './positions.js'

const gasPerMint = 150_000n
const gasPerRedeem = 130_000n

export const compoundV2 = defineProtocol<MarketState>({
  slug,
  name: 'Compound V2',
  project: 'compound',
  category: 'lending',
  url: 'https://compound.finance',
  description: 'Supplying to and borrowing from the markets of Compound V2.',
  swaps: {
    paysRecipient: false,
    discover,
    load: loadMarkets,
    swap(pool, state, { tokenIn }, amountIn) {
      const exact = state.isProven
      return tokenIn === pool.address
        ? { amountOut: redeemed(state, amountIn), exact, after: () => afterRedeem(state, amountIn) }
        : { amountOut: minted(state, amountIn), exact, after: () => afterMint(state, amountIn) }
    },
    action: (pool, tokenIn) => (tokenIn === pool.address ? 'redeem' : 'deposit'),
    // The cheaper direction is not distinguished: a path is ranked by it, not paid.
    gasEstimate: () => (gasPerMint + gasPerRedeem) / 2n,
    cautions: () =>
      cautionsWhere([true, 'rate', 'The exchange rate grows with interest in each block.']),
    encodeSwap({ pool, tokenIn, amountIn }): ExecutorStep[] {
      const target = pool.address
      if (tokenIn === target) {
        return [{ kind: 'call', target, abi: marketAbi.redeem, args: [amountIn] }]
      }
      if (isNative(tokenIn)) {
        return [{ kind: 'call', target, abi: marketAbi.mintEther, args: [], value: amountIn }]
      }
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: marketAbi.mint, args: [amountIn] },
      ]
    },
  },
  trust: {
    probes: ({ comptroller }) =>
      addressesOf(comptroller).map((to) =>
        probe('Comptroller of Compound V2', to, 'isComptroller()', 1n),
      ),
    isNoPriceSource: () => true,
  },
  positions: {
    ...compoundPositions,
    holdings: ({ address, tokens: [asset] }, state, token) =>
      asset && token === address && state.isProven
        ? { shares: rateScale, amounts: [{ token: asset, amount: exchangeRate(state) }] }
        : null,
    async underlying(args) {
      const markets = await allMarkets(args)
      const asked = Array.isArray(markets)
        ? args.tokens.filter((token) => markets.includes(token))
        : []
      const described = await describeMarkets(args.reader, asked)
      return new Map(
        described.flatMap((market) =>
          'underlying' in market ? [[market.address, [market.underlying]] as const] : [],
        ),
      )
    },
  },
  actions: { definitions: compoundActions, errorsAbi, explain },
})

/** One list of markets says which tokens of the pairs are such; only these are asked what they lend. */
async function discover(args: DiscoverArgs): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const { reader, chain, pairs } = args
  if (pairs.length === 0) return { pools: [], unreadable: [] }
  const markets = await allMarkets(args)
  if (!Array.isArray(markets)) return { pools: [], unreadable: [markets] }
  const asked = new Set(pairs.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]))
  const named = new Set<Address>(pairs.flat())
  const described = await describeMarkets(
    reader,
    markets.filter((market) => named.has(market)),
  )
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  for (const market of described) {
    if (!('underlying' in market)) {
      unreadable.push(market)
      continue
    }
    const { address, underlying } = market
    if (!asked.has(`${canonicalToken(chain, underlying)}-${address}`)) continue
    const tokens = [underlying, address]
    pools.push({ protocol: slug, id: address, address, tokens, parameters: {} })
  }
  return { pools, unreadable }
}
