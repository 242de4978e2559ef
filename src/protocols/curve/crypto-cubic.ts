/**
 * Balance of one coin of a crypto pool as the root of a cubic, with the scaling and the roundings of the "ng"
 * factories; divisions truncate towards zero, as those of the contracts do.
 *
 * @see curvefi/tricrypto-ng 584591e, contracts/main/CurveCryptoMathOptimized3.vy and curvefi/metaregistry b18e83e,
 *   contracts/amms/twocryptong/CurveCryptoMathOptimized2.vy (`get_y`, `_cbrt`)
 */
import { smaller } from '../../domain/lists.js'
import { maxUint256 } from '../../domain/primitives.js'

const e14 = 10n ** 14n
const e18 = 10n ** 18n
const e32 = 10n ** 32n
const e36 = 10n ** 36n
const minShare = 10n ** 16n
const maxShare = 10n ** 20n
const ampMultiplier = 10_000n
/** From here on x * 1e36 does not fit into 256 bits, and from 1e18 times it on x * 1e18 does not. */
const cubeRootLimit = maxUint256 / e36

interface Curve {
  /** A * n^n * 10_000. */
  readonly amp: bigint
  /** E18. */
  readonly gamma: bigint
  readonly invariant: bigint
}

/** a x^3 + b x^2 + c x + d, brought to a size in which the roots keep their digits. */
interface Cubic {
  readonly a: bigint
  readonly b: bigint
  readonly c: bigint
  readonly d: bigint
}

/**
 * Normalised balance of coin j that keeps D.
 *
 * @param fallback - for the rare numbers without a single real root.
 * @returns null where the contract refuses the numbers.
 */
export function solveCubic(
  curve: Curve,
  xp: readonly bigint[],
  j: number,
  fallback: () => bigint | null,
): bigint | null {
  const others = xp.filter((_x, k) => k !== j)
  const { invariant } = curve
  if (invariant < 10n ** 17n || others.some((x) => !isSafe(x, invariant))) return null
  const [first = 0n, second] = others
  const y = second === undefined ? twoCoins(curve, first) : threeCoins(curve, first, second)
  if (y === 'no single root') return fallback()
  if (y === null) return null
  const share = (y * e18) / invariant
  // One unit more slack than for the others.
  return share >= minShare - 1n && share <= maxShare ? y : null
}

/** The contracts work with balances between 1 % of D and 100 D. */
export function isSafe(x: bigint, d: bigint): boolean {
  const share = (x * e18) / d
  return share >= minShare && share <= maxShare
}

function twoCoins(
  { amp, gamma, invariant: d0 }: Curve,
  x: bigint,
): bigint | null | 'no single root' {
  const squared = amp * gamma * gamma
  const scaled = (4n * squared) / 400_000_000n
  const raw = {
    a: e32,
    b: (d0 * squared) / 400_000_000n / x - 3n * e32 - 2n * gamma * e14,
    c: 3n * e32 + 4n * gamma * e14 + gamma ** 2n / 10_000n + (scaled * x) / d0 - scaled,
    d: -((e18 + gamma) ** 2n / 10_000n),
  }
  if (raw.b === 0n) return null
  const first = (3n * raw.a * raw.c) / raw.b - raw.b
  const second = 3n * first + raw.b - (((27n * raw.a ** 2n) / raw.b) * raw.d) / raw.b
  const divider = dividerOf(smaller(smaller(size(first), size(second)), raw.a), 2)
  const { a, b, c, d } = divided(raw, divider)
  if (b === 0n) return null
  const delta0 = (3n * a * c) / b - b
  const delta1 = 3n * delta0 + b - (((27n * a ** 2n) / b) * d) / b
  const root = middle(b, delta0, delta1)
  if (typeof root !== 'bigint') return root
  const k0 = (e18 * root - e18 * b - ((e18 * b) / root) * delta0) / (3n * a)
  return (((d0 * d0) / x) * k0) / 4n / e18
}

function threeCoins(
  { amp, gamma, invariant: d0 }: Curve,
  x: bigint,
  z: bigint,
): bigint | null | 'no single root' {
  const squared = gamma * gamma
  const raw = {
    a: e36 / 27n,
    b:
      e36 / 9n +
      (2n * e18 * gamma) / 27n -
      (((d0 * d0) / x) * squared * amp) / 729n / ampMultiplier / z,
    c:
      e36 / 9n +
      (gamma * (gamma + 4n * e18)) / 27n +
      (((squared * (x + z - d0)) / d0) * amp) / 27n / ampMultiplier,
    d: (e18 + gamma) ** 2n / 27n,
  }
  if (raw.b === 0n) return null
  const divider = dividerOf(size((3n * raw.a * raw.c) / raw.b - raw.b), 4)
  const cubic = balanced(raw, divider)
  const { a, b, c, d } = cubic
  if (a === 0n || b === 0n) return null
  const product = 3n * a * c
  const delta0 = product / b - b
  const delta1 = (3n * product) / b - 2n * b - (((27n * a ** 2n) / b) * d) / b
  const root = middle(b, delta0, delta1)
  if (typeof root !== 'bigint') return root
  const k0 = (b + (b * delta0) / root - root) / 3n
  return (((((d0 * d0) / 27n / z) * d0) / x) * k0) / a
}

/** The term of Cardano's formula that is a product of cube roots. */
function middle(b: bigint, delta0: bigint, delta1: bigint): bigint | null | 'no single root' {
  const discriminant = delta1 ** 2n + ((4n * delta0 ** 2n) / b) * delta0
  if (discriminant <= 0n) return 'no single root'
  const root = squareRoot(discriminant)
  const first = b > 0n ? cubeRoot(b) : -cubeRoot(-b)
  const second = delta1 > 0n ? cubeRoot((delta1 + root) / 2n) : -cubeRoot((root - delta1) / 2n)
  const product = (((first * first) / e18) * second) / e18
  return product === 0n ? null : product
}

/** Three coins: a and b are brought to the same size first. */
function balanced(raw: Cubic, divider: bigint): Cubic {
  if (size(raw.a) > size(raw.b)) {
    const factor = size(raw.a / raw.b)
    const { a, b, c, d } = raw
    return divided({ a: a * factor, b: b * factor, c: c * factor, d: d * factor }, divider)
  }
  return divided(divided(raw, size(raw.b / raw.a)), divider)
}

function divided({ a, b, c, d }: Cubic, divider: bigint): Cubic {
  return { a: a / divider, b: b / divider, c: c / divider, d: d / divider }
}

/** A power of ten 18 digits below the value, in steps of so many digits; 1e2 above 1e20 and 1 below. */
function dividerOf(value: bigint, step: number): bigint {
  for (let digits = 48; digits >= 24; digits -= step) {
    if (value > 10n ** BigInt(digits)) return 10n ** BigInt(digits - 18)
  }
  return value > 10n ** 20n ? 100n : 1n
}

/** Cube root of an 18-decimal number, by seven rounds of Newton's method as the contracts unroll them. */
function cubeRoot(x: bigint): bigint {
  const [scaled, factor] =
    x >= cubeRootLimit * e18
      ? [x, 10n ** 12n]
      : x >= cubeRootLimit
        ? [x * e18, 10n ** 6n]
        : [x * e36, 1n]
  const log2 = scaled === 0n ? 0 : scaled.toString(2).length - 1
  const rest = BigInt(log2 % 3)
  let root = (2n ** BigInt(Math.floor(log2 / 3)) * 1260n ** rest) / 1000n ** rest
  for (let round = 0; round < 7 && root > 0n; round++) {
    root = (2n * root + scaled / (root * root)) / 3n
  }
  return root * factor
}

function squareRoot(x: bigint): bigint {
  let root = 2n ** BigInt((x.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + x / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

function size(x: bigint): bigint {
  return x < 0n ? -x : x
}
