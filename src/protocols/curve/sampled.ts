/**
 * Pools without native math here: the price curve of each direction is sampled by `get_dy`.
 * Good for ranking only; the simulation decides.
 */

export interface Sample {
  /** Raw units, > 0. */
  readonly amountIn: bigint
  /** Raw units, > 0, fee taken. */
  readonly amountOut: bigint
}

export interface SampledPoolState {
  readonly kind: 'sampled'
  /** `direction(i, j)` to samples in ascending order of amountIn. */
  readonly curves: Readonly<Record<string, readonly Sample[]>>
  /** `direction(i, j)` to the amount that earlier swaps of the same search have put in. */
  readonly spent: Readonly<Record<string, bigint>>
}

/** Largest sample: 1.5 times the pool's balance of the coin; each next one is a sixth of it. */
const sampleCount = 9
const sampleRatio = 6n

/** Key of one direction in the records of a state. */
export function direction(i: number, j: number): string {
  return `${i}>${j}`
}

/**
 * Geometric sizes to sample, ascending, without zeros.
 *
 * @param balance - raw units that the pool holds of the coin; null when not known.
 * @param decimals - of the coin, gives the sizes when the balance is not known.
 */
export function sampleSizes(balance: bigint | null, decimals: number): bigint[] {
  const sizes: bigint[] = []
  let size = balance === null ? 10n ** BigInt(decimals + 6) : (balance * 3n) / 2n
  for (let k = 0; k < sampleCount && size > 0n; k++) {
    sizes.unshift(size)
    size /= sampleRatio
  }
  return sizes
}

/**
 * Output by interpolation: the price paid per unit (in / out) is taken as linear in the amount
 * between two samples, which is exact for a constant product; beyond the samples the last line goes on.
 *
 * @returns raw units, rounded down; 0n without samples.
 */
export function interpolate(samples: readonly Sample[], amountIn: bigint): bigint {
  const [first, second] = samples
  if (!first) return 0n
  if (!second || amountIn <= first.amountIn) {
    return (amountIn * first.amountOut) / first.amountIn
  }
  const found = samples.findIndex((sample) => sample.amountIn >= amountIn)
  const upperIndex = found === -1 ? samples.length - 1 : found
  const lower = samples[upperIndex - 1] ?? first
  const upper = samples[upperIndex] ?? second
  // price(x) = x / out(x) as a fraction over the common denominator lower.amountOut * upper.amountOut.
  const span = upper.amountIn - lower.amountIn
  const priceLower = lower.amountIn * upper.amountOut
  const priceUpper = upper.amountIn * lower.amountOut
  const price = priceLower * span + (priceUpper - priceLower) * (amountIn - lower.amountIn)
  if (price <= 0n) return upper.amountOut
  return (amountIn * lower.amountOut * upper.amountOut * span) / price
}

/** Output after what earlier swaps of the same search have taken; raw units. */
export function sampledAmountOut(
  state: SampledPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): bigint {
  const key = direction(i, j)
  const samples = state.curves[key] ?? []
  const spent = state.spent[key] ?? 0n
  if (spent === 0n) return interpolate(samples, amountIn)
  const output = interpolate(samples, spent + amountIn) - interpolate(samples, spent)
  return output > 0n ? output : 0n
}

/** The state after a swap: later amounts of the same direction start further along the curve. */
export function sampledApply(
  state: SampledPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): SampledPoolState {
  const key = direction(i, j)
  return { ...state, spent: { ...state.spent, [key]: (state.spent[key] ?? 0n) + amountIn } }
}
