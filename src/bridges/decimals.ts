/** Raw units of a lane's two tokens, where the asset has other decimals on the other side. Pure. */
import type { Lane } from './bridge.js'

type Sides = Pick<Lane, 'decimals'>

/** What an amount of `tokenIn` times the numerator over the denominator is of `tokenOut`. */
export function scaleOf({ decimals }: Sides): { numerator: bigint; denominator: bigint } {
  const more = decimals ? decimals.out - decimals.in : 0
  return {
    numerator: more > 0 ? 10n ** BigInt(more) : 1n,
    denominator: more < 0 ? 10n ** BigInt(-more) : 1n,
  }
}

/** @returns raw units of `tokenOut`, rounded down. */
export function toTokenOut(lane: Sides, amount: bigint): bigint {
  const { numerator, denominator } = scaleOf(lane)
  return (amount * numerator) / denominator
}

/** @returns raw units of `tokenIn` that are no less than the amount of `tokenOut`. */
export function toTokenIn(lane: Sides, amount: bigint): bigint {
  const { numerator, denominator } = scaleOf(lane)
  return (amount * denominator + numerator - 1n) / numerator
}

/** The decimals of a lane, by what the chains' definitions state of them: both, or nothing. */
export function laneDecimals(tokenIn: number | null, tokenOut: number | null): Sides {
  if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return {}
  return { decimals: { in: tokenIn, out: tokenOut } }
}

/** The last part of a token's entry in a chain's definition, which few have. */
export function statedDecimals(part: string | undefined): number | null {
  return part === undefined ? null : Number(part)
}
