/**
 * Ticks and their prices: price = 1.0001^tick, kept as its square root in Q64.96.
 * Equal to the contracts bit for bit; Uniswap V3, its forks and V4 share these numbers.
 * @see Uniswap/v3-core 1.0.1, contracts/libraries/TickMath.sol
 * @see Uniswap/v4-core 1.0.2, src/libraries/TickMath.sol
 */
import { at } from '../../../domain/lists.js'
import { maxUint256 } from '../../../domain/primitives.js'
import { memo } from './memo.js'

export const minTick = -887_272
export const maxTick = 887_272

/** `sqrtPriceAtTick(minTick)` and `sqrtPriceAtTick(maxTick)`; a swap ends one short of them. */
export const minSqrtPriceX96 = 4_295_128_739n
export const maxSqrtPriceX96 = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n

/** 1.0001^(-2^i / 2) in Q128.128, i = 0 to 19, rounded as the contract has them. */
const factors = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
] as const

const lnOfTick = Math.log(1.0001)

/**
 * Square root of the price at a tick.
 * @param tick - integer, minTick to maxTick.
 * @returns Q64.96, rounded up. Remembered: swaps on one chain meet the same ticks again and again.
 * @throws RangeError outside the range.
 */
export const sqrtPriceAtTick = memo(65_536, (tick: number): bigint => {
  if (tick < minTick || tick > maxTick) throw new RangeError(`Tick ${tick} is out of range.`)
  let ratio = 1n << 128n
  let bits = Math.abs(tick)
  for (let i = 0; bits !== 0; i += 1, bits >>= 1) {
    if (bits & 1) ratio = (ratio * at(factors, i)) >> 128n
  }
  if (tick > 0) ratio = maxUint256 / ratio
  return (ratio + 0xffffffffn) >> 32n
})

const roughFactors = factors.map((factor) => Number(factor) / 2 ** 128)

/** A table holds all ticks below 2^8: half of the factors are multiplied once and for all. */
const tabledBits = 8
const roughLow = Float64Array.from({ length: 2 ** tabledBits }, (_, low) =>
  roughFactors.reduce((ratio, factor, bit) => ((low >> bit) & 1 ? ratio * factor : ratio), 1),
)

/** What `sqrtPriceAtTick` gives, in floating point, not times 2^96, to 1e-14 of it and the same on every machine. */
export function roughSqrtPriceAtTick(tick: number): number {
  const size = Math.abs(tick)
  let ratio = roughLow[size % roughLow.length] as number
  for (let i = tabledBits, bits = size >> tabledBits; bits !== 0; i += 1, bits >>= 1) {
    if (bits & 1) ratio *= at(roughFactors, i)
  }
  return tick > 0 ? 1 / ratio : ratio
}

/**
 * Greatest tick whose price is not above the given one.
 * @param sqrtPriceX96 - Q64.96, minSqrtPriceX96 up to but without maxSqrtPriceX96.
 */
export function tickAtSqrtPrice(sqrtPriceX96: bigint): number {
  // The floating-point logarithm is off by far less than one tick; exact comparisons settle the rest.
  const guess = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / lnOfTick)
  let tick = Math.min(Math.max(guess, minTick), maxTick - 1)
  while (sqrtPriceAtTick(tick) > sqrtPriceX96) tick -= 1
  while (sqrtPriceAtTick(tick + 1) <= sqrtPriceX96) tick += 1
  return tick
}
