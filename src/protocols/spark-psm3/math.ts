/**
 * Spark's PSM3: USDC and USDS at par, and sUSDS at the rate that its provider tells. It pays what it holds. Pure.
 *
 * @see sparkdotfi/spark-psm 2b1a72a, src/PSM3.sol, _getSwapQuote, _pullAsset and _pushAsset
 */

/** One of its tokens. */
export interface Asset {
  /** Raw units of a whole token. */
  readonly unit: bigint
  /** Raw units that lie where it pays from. */
  readonly held: bigint
  /** Raw units that it may take from there; null: all. */
  readonly allowed: bigint | null
  /** Whether its worth is by the rate. */
  readonly isShare: boolean
}

export interface Psm3State {
  /** As the pool has its tokens. */
  readonly assets: readonly [Asset, Asset]
  /** What one sUSDS is worth, in 1e27, at the time of the swap. */
  readonly rate: bigint
}

interface Outcome {
  readonly amountOut: bigint
  readonly after: Psm3State
}

const ray = 10n ** 27n

/**
 * @param amountIn - raw units, > 0.
 * @returns null where it holds, or may take, less than that is worth.
 */
export function swapExactIn(
  { assets, rate }: Psm3State,
  zeroForOne: boolean,
  amountIn: bigint,
): Outcome | null {
  const [into, out] = zeroForOne ? assets : [assets[1], assets[0]]
  const amountOut = quote(into, out, rate, amountIn)
  if (amountOut > out.held || (out.allowed !== null && amountOut > out.allowed)) return null
  const [taken, paid] = [
    { ...into, held: into.held + amountIn },
    {
      ...out,
      held: out.held - amountOut,
      allowed: out.allowed === null ? null : out.allowed - amountOut,
    },
  ]
  return { amountOut, after: { rate, assets: zeroForOne ? [taken, paid] : [paid, taken] } }
}

/** Each division rounds down, in the order of the contract. */
function quote(into: Asset, out: Asset, rate: bigint, amount: bigint): bigint {
  if (out.isShare) return (((amount * ray) / rate) * out.unit) / into.unit
  if (into.isShare) return (((amount * rate) / ray) * out.unit) / into.unit
  return (amount * out.unit) / into.unit
}
