/**
 * The USD price of a position's token, such as an LP share, a vault share or an aToken: the prices of what it owns, in
 * the proportion in which a withdrawal pays them, before fees for leaving and taxes of transfers. Pure.
 */
import type { Address } from '../domain/primitives.js'
import type { Holdings } from '../protocols/positions.js'
import { usdScale } from './observation.js'
import type { TokenPrice } from './pricing.js'

export interface PricedPart {
  readonly decimals: number
  readonly price: TokenPrice
}

/** Digits of a double's mantissa that decide its value, after the first. */
const doubleDigits = 16

/**
 * What one whole token owns, USD, each part rounded down at 1e-30. Confidence: that of the parts, each weighted by its
 * value, so that a doubtful price counts for as much as it makes up.
 *
 * @param decimals - of the position's token.
 * @param parts - null where a part has no price: then the position has none either.
 */
export function priceHoldings(
  { shares, amounts }: Holdings,
  decimals: number,
  parts: ReadonlyMap<Address, PricedPart | null>,
): TokenPrice | null {
  const unit = 10n ** BigInt(decimals)
  let total = 0n
  let trusted = 0n
  for (const { token, amount } of amounts) {
    // Nothing of a token is worth nothing, whatever its price.
    if (amount === 0n) continue
    const part = parts.get(token)
    if (!part) return null
    const scale = shares * 10n ** BigInt(part.decimals)
    const value = (amount * unit * toScaled(part.price.priceUsd)) / scale
    total += value
    trusted += value * BigInt(Math.round(part.price.confidence * 100))
  }
  if (total <= 0n) return null
  return {
    priceUsd: Number(`${total}e-30`),
    confidence: Number((2n * trusted + total) / (2n * total)) / 100,
    source: 'holdings',
  }
}

/** A price times `usdScale`, with every digit that the double has. */
function toScaled(priceUsd: number): bigint {
  const [mantissa = '0', exponent = '0'] = priceUsd.toExponential(doubleDigits).split('e')
  const places = Number(exponent) - doubleDigits
  const digits = BigInt(mantissa.replace('.', '')) * usdScale
  return places < 0 ? digits / 10n ** BigInt(-places) : digits * 10n ** BigInt(places)
}
