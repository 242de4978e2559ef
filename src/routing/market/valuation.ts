/** What amounts are worth, for choosing and for price impact. */
import type { ChainDefinition } from '../../chains/chain.js'
import type { RouteRequest } from '../../domain/engine.js'
import { type Address, centiBpsDenominator } from '../../domain/primitives.js'

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
 * A number to compare answers by: one output in its own raw units after gas; several outputs in USD;
 * by the plain amounts where a price is missing.
 */
export function netValue(
  outputs: readonly { readonly token: Address }[],
  amountsOut: readonly bigint[],
  gas: bigint | null,
  priced: ReadonlyMap<Address, PricedToken>,
): bigint {
  const [first = 0n] = amountsOut
  if (outputs.length === 1) return first - (gas ?? 0n)
  const values = outputs.map(({ token }, index) => {
    const price = priced.get(token)
    return price
      ? valueE18((amountsOut[index] ?? 0n) - (index === 0 ? (gas ?? 0n) : 0n), price)
      : null
  })
  if (values.includes(null)) return first
  return values.reduce<bigint>((sum, value) => sum + (value ?? 0n), 0n)
}

/**
 * (1 - valueOut / valueIn) * 10_000 with two decimals, fees included; negative where the output is worth more.
 * @returns null where any price is missing.
 */
export function priceImpactBps(
  request: Pick<RouteRequest, 'tokensIn' | 'amountsIn' | 'tokensOut'>,
  amountsOut: readonly bigint[],
  priced: ReadonlyMap<Address, PricedToken>,
): number | null {
  const valueIn = totalValue(request.tokensIn, request.amountsIn, priced)
  const valueOut = totalValue(request.tokensOut, amountsOut, priced)
  if (valueIn === null || valueOut === null || valueIn === 0n) return null
  return Number(((valueIn - valueOut) * centiBpsDenominator) / valueIn) / 100
}

function totalValue(
  tokens: readonly Address[],
  amounts: readonly bigint[],
  priced: ReadonlyMap<Address, PricedToken>,
): bigint | null {
  let total = 0n
  for (const [index, token] of tokens.entries()) {
    const price = priced.get(token)
    if (!price) return null
    total += valueE18(amounts[index] ?? 0n, price)
  }
  return total
}
