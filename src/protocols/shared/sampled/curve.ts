/**
 * What a pool gives by the amount that goes in, from a few quotes: a concave curve through those of them that no mix of
 * two others beats. It ranks and splits; no amount of an answer comes from it. Pure.
 */
import { compareAmounts, smaller } from '../../../domain/lists.js'

export interface Sample {
  /** Raw units, > 0. */
  readonly amountIn: bigint
  /** Raw units, > 0. */
  readonly amountOut: bigint
}

interface Vertex {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /**
   * How much the rate at the beginning of the piece that ends here is above its mean, times `one`: at its end the rate is
   * as much below. So the piece is that of a constant product.
   */
  readonly bend: bigint
}

/** From the origin, in ascending order; the output stays at the last one. */
export type Curve = readonly Vertex[]

const one = 1n << 64n

/** The samples may come in any order; those that give no more than a smaller one count for nothing. */
export function concaveCurve(samples: readonly Sample[]): Curve {
  const corners: Sample[] = [{ amountIn: 0n, amountOut: 0n }]
  for (const next of rising(samples)) {
    while (corners.length > 1 && !isAbove(corners.at(-2), corners.at(-1), next)) corners.pop()
    corners.push(next)
  }
  return corners.map((corner, k) => ({ ...corner, bend: bendOf(corners, k) }))
}

function rising(samples: readonly Sample[]): Sample[] {
  let most = 0n
  return samples
    .toSorted((a, b) => compareAmounts(a.amountIn, b.amountIn))
    .filter(({ amountIn, amountOut }) => {
      if (amountIn <= 0n || amountOut <= most) return false
      most = amountOut
      return true
    })
}

/** Whether the middle one lies above the line between the others. */
function isAbove(a: Sample | undefined, b: Sample | undefined, c: Sample): boolean {
  if (!a || !b) return true
  return (
    (b.amountOut - a.amountOut) * (c.amountIn - b.amountIn) >
    (c.amountOut - b.amountOut) * (b.amountIn - a.amountIn)
  )
}

/**
 * At a corner the rate is taken as the product of the mean rates on both sides by the mean over both: that of a constant
 * product through the three. The piece that ends at corner `k` bends as far as the rates at both of its ends allow, so
 * that rates never rise along the curve.
 */
function bendOf(corners: readonly Sample[], k: number): bigint {
  const [before, from, to, behind] = [corners[k - 2], corners[k - 1], corners[k], corners[k + 1]]
  if (!from || !to) return one
  const [bound = one, ...others] = [
    ...(before ? [ratio([before, from], [before, to])] : []),
    ...(behind ? [ratio([from, behind], [to, behind])] : []),
  ]
  return others.reduce(smaller, bound)
}

/** The mean rate between two samples by that between two others, times `one`, rounded down. */
function ratio([a, b]: readonly [Sample, Sample], [c, d]: readonly [Sample, Sample]): bigint {
  const above = (b.amountOut - a.amountOut) * (d.amountIn - c.amountIn)
  return (above * one) / ((d.amountOut - c.amountOut) * (b.amountIn - a.amountIn))
}

/** @returns raw units, rounded down; 0n where nothing could be quoted. */
export function outputOf(curve: Curve, amountIn: bigint): bigint {
  const end = curve.findIndex((vertex) => vertex.amountIn >= amountIn)
  const [from, to] = [curve[end - 1], curve[end]]
  if (end < 0) return curve.at(-1)?.amountOut ?? 0n
  if (!from || !to) return 0n
  const span = to.amountIn - from.amountIn
  const part = amountIn - from.amountIn
  const gain = (to.amountOut - from.amountOut) * part * to.bend
  return from.amountOut + gain / (span * one + (to.bend - one) * part)
}
