/** The value of amounts, for choosing a route and for price impact. */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, centiBpsDenominator, type TokenAmount } from '../../domain/primitives.js'

export interface PricedToken {
  readonly decimals: number
  /** USD per whole token. */
  readonly priceUsd: number
}

/** USD times 1e18 per whole token: prices are compared as integers. */
function priceE18({ priceUsd }: PricedToken): bigint {
  return BigInt(Math.round(priceUsd * 1e18))
}

/** USD times 1e18 of a raw amount, rounded down. */
function valueE18(amount: bigint, token: PricedToken): bigint {
  return (amount * priceE18(token)) / 10n ** BigInt(token.decimals)
}

/**
 * Gas in raw units of a token, rounded down; null where either price is not known.
 * @param gasWei - gas used times gas price.
 */
export function gasInToken(
  chain: ChainDefinition,
  priced: ReadonlyMap<Address, PricedToken>,
  token: Address | undefined,
  gasWei: bigint,
): bigint | null {
  const native = priced.get(chain.wrappedNative)
  const target = token && priced.get(token)
  if (!native || !target || priceE18(target) === 0n) return null
  return (valueE18(gasWei, native) * 10n ** BigInt(target.decimals)) / priceE18(target)
}

/**
 * A number to rank answers by: one output in its raw units after gas; several outputs in USD;
 * the plain amounts where a price is missing.
 */
export function netValue(
  [first, ...others]: readonly TokenAmount[],
  gas: bigint | null,
  priced: ReadonlyMap<Address, PricedToken>,
): bigint {
  if (!first) return 0n
  const net = { token: first.token, amount: first.amount - (gas ?? 0n) }
  if (!others.length) return net.amount
  return totalValue([net, ...others], priced) ?? first.amount
}

/**
 * (1 - valueOut / valueIn) * 10_000, fees included, rounded to two decimals, a half away from zero; negative where the
 * output is worth more.
 * @returns null where any price is missing.
 */
export function priceImpactBps(
  inputs: readonly TokenAmount[],
  outputs: readonly TokenAmount[],
  priced: ReadonlyMap<Address, PricedToken>,
): number | null {
  const valueIn = totalValue(inputs, priced)
  const valueOut = totalValue(outputs, priced)
  if (valueIn === null || valueOut === null || valueIn === 0n) return null
  const lost = (valueIn - valueOut) * centiBpsDenominator
  return Number((2n * lost + (lost < 0n ? -valueIn : valueIn)) / (2n * valueIn)) / 100
}

/** USD times 1e18, each amount rounded down; null where any price is missing. */
function totalValue(
  amounts: readonly TokenAmount[],
  priced: ReadonlyMap<Address, PricedToken>,
): bigint | null {
  let total = 0n
  for (const { token, amount } of amounts) {
    const price = priced.get(token)
    if (!price) return null
    total += valueE18(amount, price)
  }
  return total
}
