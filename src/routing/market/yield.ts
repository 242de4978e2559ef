/** Figures of a position from its state: TVL and yields. Pure. */
import { formatUnits } from 'viem'
import type { PositionFigures } from '../../domain/metadata.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { PositionState } from '../../protocols/positions.js'

const yearSeconds = 365 * 86_400
/** A yearly factor beyond this is no yield but a donation, a loss, or a share that is counted differently. */
const maxYearlyFactor = 100

/** USD of a raw amount; null without decimals or price. */
export type UsdOf = (token: Address, amount: bigint) => number | null

/** Values raw amounts by decimals and USD per whole token; null for what has neither. */
export function valuer(
  facts: ReadonlyMap<
    Address,
    { readonly decimals: number | null; readonly priceUsd: number | null }
  >,
): UsdOf {
  return (token, amount) => {
    if (amount === 0n) return 0
    const known = facts.get(token)
    if (!known || known.decimals === null || known.priceUsd === null) return null
    return Number(formatUnits(amount, known.decimals)) * known.priceUsd
  }
}

/** Null if any part has no value. */
function sumOf(parts: readonly TokenAmount[], usdOf: UsdOf): number | null {
  let sum = 0
  for (const { token, amount } of parts) {
    const value = usdOf(token, amount)
    if (value === null) return null
    sum += value
  }
  return sum
}

/**
 * What a share earned between two blocks, as percent per year with compounding.
 * @param before - share price and Unix seconds of the earlier block.
 * @returns null when no time has passed, a price is missing, or the yearly factor is implausible.
 */
export function apyOfSharePrices(
  before: { readonly price: bigint; readonly timestamp: bigint },
  after: { readonly price: bigint; readonly timestamp: bigint },
): number | null {
  const seconds = Number(after.timestamp - before.timestamp)
  if (seconds <= 0 || before.price <= 0n || after.price <= 0n) return null
  // log1p of the difference: an hour's growth is about a millionth, which a quotient of floats would lose.
  const growth = Number(((after.price - before.price) * 10n ** 18n) / before.price) / 1e18
  const yearly = Math.log1p(growth) * (yearSeconds / seconds)
  if (!(Math.abs(yearly) <= Math.log(maxYearlyFactor))) return null
  return Math.expm1(yearly) * 100
}

/**
 * @param apyBase - percent per year; null when unknown.
 * @returns TVL to the cent, yields to a millionth of a percent. The reward is null without rewards, without a TVL
 *   and where one of its tokens has no price.
 */
export function figuresOf(
  state: PositionState | null,
  apyBase: number | null,
  usdOf: UsdOf,
): PositionFigures {
  const tvl = state?.holdings ? sumOf(state.holdings, usdOf) : null
  const apyReward = rewardApy(state, tvl, usdOf)
  const isEarning = apyBase !== null || apyReward !== null
  return {
    tvl: rounded(tvl, 2),
    apy: isEarning ? rounded((apyBase ?? 0) + (apyReward ?? 0), 6) : null,
    apyBase: rounded(apyBase, 6),
    apyReward: rounded(apyReward, 6),
  }
}

function rewardApy(state: PositionState | null, tvl: number | null, usdOf: UsdOf): number | null {
  if (!state?.rewards.length || !tvl) return null
  const paid = sumOf(
    state.rewards.map(({ token, perYear }) => ({ token, amount: perYear })),
    usdOf,
  )
  return paid === null ? null : (paid / tvl) * 100
}

function rounded(value: number | null, digits: number): number | null {
  if (value === null || !Number.isFinite(value)) return null
  return Number(value.toFixed(digits))
}

/** The figures with a yield that was determined later; null changes nothing. */
export function withBaseApy(figures: PositionFigures, apyBase: number | null): PositionFigures {
  if (apyBase === null) return figures
  return {
    ...figures,
    apyBase: rounded(apyBase, 6),
    apy: rounded(apyBase + (figures.apyReward ?? 0), 6),
  }
}
