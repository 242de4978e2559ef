/**
 * Crypto pools (tricrypto, twocrypto) in native bigint. D is used as the contract stores it, so that one swap
 * equals the contract to the wei; what happens after a swap (a new D, a shifted price scale) is left out.
 *
 * @see curvefi/curve-crypto-contract d7d04cd, contracts/tricrypto/CurveCryptoMath3.vy (`newton_y`,
 *   `reduction_coefficient`), CurveCryptoSwap.vy (`exchange`) and contracts/two/CurveCryptoSwap2ETH.vy;
 *   curvefi/twocrypto-ng 0fcca0d, contracts/main/Twocrypto.vy (`_fee`)
 */
import { at, larger } from '../../domain/lists.js'
import { isSafe, solveCubic } from './crypto-cubic.js'

const precision = 10n ** 18n
const feeDenominator = 10n ** 10n
const ampMultiplier = 10_000n
const maxNewtonRounds = 255
/** Contracts refuse a smaller D. */
const minInvariant = 10n ** 17n

export interface CryptoPoolState {
  readonly kind: 'crypto'
  /** Raw units in the order of the coins. */
  readonly balances: readonly bigint[]
  /** 10^(18 - decimals) per coin. */
  readonly precisions: readonly bigint[]
  /** Price of coin k + 1 in coin 0 around which liquidity is concentrated, E18. */
  readonly priceScale: readonly bigint[]
  readonly invariant: bigint
  /** A * n^n * 10_000, as the contract stores it. */
  readonly amp: bigint
  /** E18. */
  readonly gamma: bigint
  /** Fees at balance and far from it, 1e10 = 100 %; `feeGamma` E18 says how fast one becomes the other. */
  readonly midFee: bigint
  readonly outFee: bigint
  readonly feeGamma: bigint
  /** How y is found: by Newton's method (2021), or as the root of a cubic (the "ng" factories). */
  readonly solver: 'newton' | 'cubic'
  /** Two coins, since 2025: `feeGamma` weighs how balanced the pool is, instead of being added to it. */
  readonly weighsFee: boolean
}

/**
 * @param amountIn - raw units of coin i, > 0.
 * @returns raw units of coin j, fee taken; 0n where the pool cannot serve the amount.
 */
export function cryptoAmountOut(
  state: CryptoPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): bigint {
  const scale = (k: number) => (k === 0 ? precision : at(state.priceScale, k - 1))
  const scaleOut = scale(j)
  const precisionOut = at(state.precisions, j)
  const xp = state.balances.map((balance, k) => {
    const held = k === i ? balance + amountIn : balance
    return (held * at(state.precisions, k) * scale(k)) / precision
  })
  const y =
    state.solver === 'cubic'
      ? solveCubic(state, xp, j, () => solveY(state, xp, j))
      : solveY(state, xp, j)
  const before = at(xp, j)
  if (y === null || y >= before || scaleOut === 0n || precisionOut === 0n) return 0n
  xp[j] = y
  const dy = ((before - y - 1n) * precision) / scaleOut / precisionOut
  return dy - (feeOf(state, xp) * dy) / feeDenominator
}

interface CryptoSwap {
  readonly amountOut: bigint
  /** D and the price scale stay, which is close enough for the rest of a search. */
  readonly after: () => CryptoPoolState
}

/** `cryptoAmountOut`, with the state after the swap. */
export function cryptoExchange(
  state: CryptoPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): CryptoSwap {
  const amountOut = cryptoAmountOut(state, i, j, amountIn)
  const after = () => {
    if (amountOut === 0n) return state
    const balances = state.balances.map((balance, k) => {
      if (k === i) return balance + amountIn
      return k === j ? balance - amountOut : balance
    })
    return { ...state, balances }
  }
  return { amountOut, after }
}

function feeOf(state: CryptoPoolState, xp: readonly bigint[]): bigint {
  const { midFee, outFee, feeGamma } = state
  const n = BigInt(xp.length)
  if (n === 2n) return twoCoinFee(state, xp)
  const sum = xp.reduce((total, x) => total + x, 0n)
  const balance = xp.reduce((product, x) => (product * n * x) / sum, precision)
  const share = feeGamma > 0n ? (feeGamma * precision) / (feeGamma + precision - balance) : balance
  return (midFee * share + outFee * (precision - share)) / precision
}

/** Pools of two coins multiply in another order. */
function twoCoinFee(
  { midFee, outFee, feeGamma, weighsFee }: CryptoPoolState,
  xp: readonly bigint[],
): bigint {
  const [a, b] = [at(xp, 0), at(xp, 1)]
  const sum = a + b
  const balance = (((4n * precision * a) / sum) * b) / sum
  const distance = precision - balance
  const share = weighsFee
    ? (feeGamma * balance) / ((feeGamma * balance) / precision + distance)
    : (feeGamma * precision) / (feeGamma + distance)
  return (midFee * share + outFee * (precision - share)) / precision
}

/** Normalised balance of coin j that keeps D; null where the contract refuses the numbers. */
function solveY(state: CryptoPoolState, xp: readonly bigint[], j: number): bigint | null {
  const { invariant: d, gamma, amp } = state
  const n = BigInt(xp.length)
  const others = xp.filter((_x, k) => k !== j).sort((a, b) => (a > b ? -1 : 1))
  if (d < minInvariant || amp === 0n || gamma === 0n || others.some((x) => !isSafe(x, d)))
    return null
  const most = at(others, 0)
  const limit = larger(larger(most / 10n ** 14n, d / 10n ** 14n), 100n)
  // The first guess matters: the method stops while it still moves by 1e-14 of D.
  let y = n === 2n ? (d * d) / (most * 4n) : d / n
  if (n > 2n) for (const x of others.toReversed()) y = (y * d) / (x * n)
  const k0Others = others.reduce((product, x) => (product * x * n) / d, precision)
  const sumOthers = others.reduce((total, x) => total + x, 0n)
  for (let round = 0; round < maxNewtonRounds; round++) {
    const previous = y
    if (previous === 0n) return null
    const k0 = (k0Others * y * n) / d
    const sum = sumOthers + y
    const distance = gamma + precision - k0
    const g1k0 = (distance > 0n ? distance : -distance) + 1n
    const mul1 = (((((precision * d) / gamma) * g1k0) / gamma) * g1k0 * ampMultiplier) / amp
    const mul2 = precision + (2n * precision * k0) / g1k0
    const slope = precision * y + sum * mul2 + mul1 - d * mul2
    if (slope < 0n || k0 === 0n) {
      y = previous / 2n
      continue
    }
    const derivative = slope / y
    if (derivative === 0n) return null
    const minus = mul1 / derivative
    const plus = (slope + precision * d) / derivative + (minus * precision) / k0
    const total = minus + (precision * sum) / derivative
    y = plus < total ? previous / 2n : plus - total
    const difference = y > previous ? y - previous : previous - y
    if (difference < larger(limit, y / 10n ** 14n)) return isSafe(y, d) ? y : null
  }
  return null
}
