/**
 * Amounts of one pair share the growth of their splits: it is made for the nearest amount of a grid, and each amount goes
 * on from there. The grid is fixed, so an answer does not depend on what was asked before.
 */
import { LRUCache } from 'lru-cache'
import { type Address, bigintToString, type TokenAmount } from '../../domain/primitives.js'
import type { MarketPool, MarketView } from '../market/market-view.js'
import type { Grown } from './split.js'

/** What a search follows from, besides its amount. */
interface Terms {
  readonly market: MarketView
  readonly inputs: readonly TokenAmount[]
  readonly tokensOut: readonly Address[]
  readonly maxHops: number
  readonly count: number
  gasCost(token: Address): bigint | undefined
  readonly swapDataGas?: bigint | undefined
  readonly isAllowed?: ((market: MarketPool) => boolean) | undefined
  readonly avoid?: ReadonlySet<Address> | undefined
}

/** Amounts per doubling. */
const perDoubling = 2n
/** Smaller amounts, raw units, are too coarse to be near one another. */
const leastAmount = 2n ** 16n
/** One view of the market remembers so many. */
const mostRemembered = 256

/** What amounts of the grid grew to, by their questions, of one view of the market. */
class GrownNetworks {
  readonly byQuestion = new LRUCache<string, { readonly grown: Grown | null }>({
    max: mostRemembered,
  })
}

/** The middle of the step of the grid in which the amount lies; null for amounts too small for one. */
export function anchorOf(amountIn: bigint): bigint | null {
  if (amountIn < leastAmount) return null
  const power = 1n << BigInt(amountIn.toString(2).length - 1)
  const step = ((amountIn - power) * perDoubling) / power
  return power + (power * (2n * step + 1n)) / (2n * perDoubling)
}

/** The arcs that `grow` finds for an amount of the grid; of a search of some pools alone, anew each time. */
export function rememberedGrowth(
  terms: Terms,
  at: {
    readonly amountIn: bigint
    readonly exactOnly: boolean
    readonly wasCut: () => boolean
  },
  grow: () => Grown | null,
): Grown | null {
  const { market, inputs, tokensOut, isAllowed } = terms
  if (isAllowed) return grow()
  const tokens = [...inputs.map(({ token }) => token), ...tokensOut]
  const key = JSON.stringify(
    [
      ...[at.amountIn, at.exactOnly, tokens, terms.maxHops, terms.count],
      ...[[...(terms.avoid ?? [])].sort(), tokens.map((token) => terms.gasCost(token) ?? null)],
      terms.swapDataGas ?? null,
    ],
    bigintToString,
  )
  const known = market.memory(GrownNetworks).byQuestion
  const before = known.get(key)
  if (before) return before.grown
  const grown = grow()
  // A search that ran out of time may find more when it is asked again.
  if (!at.wasCut()) known.set(key, { grown })
  return grown
}
