/**
 * e^x, ln x and x^y for 18-decimal fixed point, with the contract's decomposition, digits and
 * truncations, so that the result equals the chain's to the wei. Signed division truncates to zero,
 * in Solidity as in bigint.
 *
 * @see balancer/balancer-v2-monorepo 316ded0, pkg/solidity-utils/contracts/math/LogExpMath.sol
 * @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/core/libraries/math/LogExpMath.sol, the same
 */

const e18 = 10n ** 18n
const e20 = 10n ** 20n
const e36 = 10n ** 36n

const maxNaturalExponent = 130n * e18
const minNaturalExponent = -41n * e18
/** Between these ln is computed with 36 digits. */
const ln36Lower = (e18 * 9n) / 10n
const ln36Upper = (e18 * 11n) / 10n
const mildExponentBound = 2n ** 254n / e20

interface Power {
  /** 2^k in the digits of its table. */
  readonly exponent: bigint
  /** e^(2^k) in the digits of its table, as the contract has them rounded. */
  readonly value: bigint
}

/** e^128 and e^64: exponent with 18 digits, value with none. */
const largePowers: readonly Power[] = [
  {
    exponent: 128n * e18,
    value: 38_877_084_059_945_950_922_200_000_000_000_000_000_000_000_000_000_000_000n,
  },
  { exponent: 64n * e18, value: 6_235_149_080_811_616_882_910_000_000n },
]

/** e^32 down to e^(1/16): exponent and value with 20 digits. */
const smallPowers: readonly Power[] = [
  { exponent: 32n * e20, value: 7_896_296_018_268_069_516_100_000_000_000_000n },
  { exponent: 16n * e20, value: 888_611_052_050_787_263_676_000_000n },
  { exponent: 8n * e20, value: 298_095_798_704_172_827_474_000n },
  { exponent: 4n * e20, value: 5_459_815_003_314_423_907_810n },
  { exponent: 2n * e20, value: 738_905_609_893_065_022_723n },
  { exponent: e20, value: 271_828_182_845_904_523_536n },
  { exponent: e20 / 2n, value: 164_872_127_070_012_814_685n },
  { exponent: e20 / 4n, value: 128_402_541_668_774_148_407n },
  { exponent: e20 / 8n, value: 113_314_845_306_682_631_683n },
  { exponent: e20 / 16n, value: 106_449_445_891_785_942_956n },
]

/** `exp` stops at e^(1/4): its series converges from there. */
const expPowers = smallPowers.slice(0, 8)
const expTerms = 12n

/**
 * @param x - E18, >= 0.
 * @param y - E18, >= 0.
 * @returns E18, with a relative error of at most 1e-14.
 * @throws RangeError where the contract reverts: arguments or y * ln x out of bounds.
 */
export function pow(x: bigint, y: bigint): bigint {
  if (y === 0n) return e18
  if (x === 0n) return 0n
  if (x >> 255n !== 0n || y >= mildExponentBound) throw new RangeError('pow argument out of bounds')
  let product: bigint
  if (ln36Lower < x && x < ln36Upper) {
    const log = ln36(x)
    product = (log / e18) * y + ((log % e18) * y) / e18
  } else {
    product = lnAnywhere(x) * y
  }
  return exp(product / e18)
}

/**
 * e^x; x and result E18.
 *
 * @throws RangeError where the contract reverts: x below -41 or above 130.
 */
export function exp(x: bigint): bigint {
  if (x < minNaturalExponent || x > maxNaturalExponent) {
    throw new RangeError('exponent out of bounds')
  }
  if (x < 0n) return (e18 * e18) / exp(-x)
  let rest = x
  let large = 1n
  const power = largePowers.find(({ exponent }) => rest >= exponent)
  if (power) {
    rest -= power.exponent
    large = power.value
  }
  rest *= 100n
  let product = e20
  for (const { exponent, value } of expPowers) {
    if (rest < exponent) continue
    rest -= exponent
    product = (product * value) / e20
  }
  let term = rest
  let series = e20 + term
  for (let n = 2n; n <= expTerms; n++) {
    term = (term * rest) / e20 / n
    series += term
  }
  return (((product * series) / e20) * large) / 100n
}

/**
 * ln x; x and result E18.
 *
 * @throws RangeError where the contract reverts: x is not positive.
 */
export function ln(x: bigint): bigint {
  if (x <= 0n) throw new RangeError('logarithm out of bounds')
  return ln36Lower < x && x < ln36Upper ? ln36(x) / e18 : lnAnywhere(x)
}

/** ln x with 18 digits also near one; x and result E18, x > 0. */
function lnAnywhere(x: bigint): bigint {
  if (x < e18) return -lnAnywhere((e18 * e18) / x)
  let rest = x
  let sum = 0n
  for (const { exponent, value } of largePowers) {
    if (rest < value * e18) continue
    rest /= value
    sum += exponent
  }
  sum *= 100n
  rest *= 100n
  for (const { exponent, value } of smallPowers) {
    if (rest < value) continue
    rest = (rest * e20) / value
    sum += exponent
  }
  return (sum + artanhSeries(rest, e20, 11n)) / 100n
}

/** ln x near one; x E18, result E36. */
function ln36(x: bigint): bigint {
  return artanhSeries(x * e18, e36, 15n)
}

/** ln a = 2 (z + z^3/3 + z^5/5 ...), z = (a - 1) / (a + 1), in units of `unit`, up to z^last. */
function artanhSeries(a: bigint, unit: bigint, last: bigint): bigint {
  const z = ((a - unit) * unit) / (a + unit)
  const square = (z * z) / unit
  let power = z
  let series = z
  for (let n = 3n; n <= last; n += 2n) {
    power = (power * square) / unit
    series += power / n
  }
  return series * 2n
}
