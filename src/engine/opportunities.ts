/**
 * Ranks the listed positions by what a holder could earn in them. Pure; whether a route into one exists is left to the
 * simulation.
 */
import type { PositionListing } from '../domain/metadata.js'
import type { Address } from '../domain/primitives.js'

/** A token amount that may be invested. */
export interface Holding {
  /** The token as it is spent: native as its constant. */
  readonly token: Address
  /** The same, native replaced by its wrapped token. */
  readonly canonical: Address
  /** Raw units, > 0. */
  readonly amount: bigint
  /** USD; null: not known. */
  readonly valueUsd: number | null
}

export interface RankedOpportunity {
  readonly holding: Holding
  readonly position: PositionListing
  /** The position that is entered. */
  readonly tokenOut: Address
}

/**
 * Positions with a token, a positive yield and a TVL of at least `minTvlUsd` whose underlying tokens include a held
 * one. Ordered by the USD that the holding would earn in a year, then by TVL, then by id. Holdings of unknown value
 * come last, ordered by yield.
 */
export function rankOpportunities(args: {
  readonly holdings: readonly Holding[]
  readonly positions: readonly PositionListing[]
  readonly minTvlUsd: number
  /** The most entries to return. */
  readonly limit: number
}): RankedOpportunity[] {
  const { holdings, positions, minTvlUsd, limit } = args
  const worthy = positions.filter(
    ({ apy, tvl }) => apy !== null && apy > 0 && tvl !== null && tvl >= minTvlUsd,
  )
  return holdings
    .flatMap((holding) =>
      worthy.flatMap((position): RankedOpportunity[] => {
        const tokenOut = position.token?.address
        if (!tokenOut || tokenOut === holding.canonical || tokenOut === holding.token) return []
        const isMadeOf = position.underlyingTokens.some(
          ({ address }) => address === holding.canonical || address === holding.token,
        )
        return isMadeOf ? [{ holding, position, tokenOut }] : []
      }),
    )
    .sort(
      (a, b) =>
        Number(b.holding.valueUsd !== null) - Number(a.holding.valueUsd !== null) ||
        earnings(b) - earnings(a) ||
        (b.position.tvl ?? 0) - (a.position.tvl ?? 0) ||
        a.position.id - b.position.id,
    )
    .slice(0, limit)
}

/** USD per year times 100; for a holding of unknown value, percent per year. */
function earnings({ holding, position }: RankedOpportunity): number {
  return (position.apy ?? 0) * (holding.valueUsd ?? 1)
}
