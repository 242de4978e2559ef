/** Mean and quantiles of numbers that come one by one; keeps each of them (8 bytes). */

export interface Distribution {
  readonly count: number
  /** Rounded to four decimals. */
  readonly mean: number
  readonly min: number
  readonly p5: number
  readonly p25: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
  readonly max: number
}

/**
 * Quantiles are values that occurred: p is the smallest that at least p percent of all do not exceed (nearest rank).
 *
 * @param values - any order; not changed.
 * @param unit - what one of the answer is worth in the values: 100 for hundredths of basis points to basis points.
 * @returns Null without values.
 */
export function distributionOf(values: readonly number[], unit = 1): Distribution | null {
  const sorted = Float64Array.from(values).sort()
  const count = sorted.length
  if (count === 0) return null
  const quantile = (percent: number) =>
    (sorted[Math.max(0, Math.ceil((percent * count) / 100) - 1)] ?? 0) / unit
  const sum = sorted.reduce((total, value) => total + value, 0)
  return {
    count,
    mean: roundTo(sum / count / unit, 4),
    min: quantile(0),
    p5: quantile(5),
    p25: quantile(25),
    p50: quantile(50),
    p75: quantile(75),
    p95: quantile(95),
    max: quantile(100),
  }
}

/** To so many decimals; never -0, which prints as 0 but is not equal to it. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals
  return Math.round(value * factor) / factor + 0
}

/** The figures of a distribution besides its count, in the order in which they are shown. */
export const quantileNames = ['mean', 'min', 'p5', 'p25', 'p50', 'p75', 'p95', 'max'] as const
