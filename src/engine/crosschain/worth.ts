/** What comes out of a crosschain quote in dollars: lanes are compared by it, as estimates and as proofs. Pure. */
import { type Cost, nativeToken, type TokenAmount } from '../../domain/primitives.js'
import type { PricedToken } from '../../routing/market/valuation.js'
import type { Side, Sides } from './sides.js'

/** Dollars of what comes out, less gas and messaging on the source; null without prices. */
export function worthOf(
  { source, destination }: Sides,
  what: {
    /** Tokens of the destination. */
    readonly amounts: readonly TokenAmount[]
    /** Tokens of the source that count against it; absent: what goes in is the same for all. */
    readonly spent?: readonly TokenAmount[]
    readonly gas: bigint
    readonly nativeFee: bigint
    /** Dollars that the delivery is going to cost besides; absent: none. */
    readonly deliveryCost?: number
  },
): number | null {
  const { amounts, spent = [], gas, nativeFee, deliveryCost = 0 } = what
  const native = source.prices.get(nativeToken)
  const arePriced = (side: Side, tokens: readonly TokenAmount[]) =>
    tokens.every(({ token }) => side.prices.has(token))
  if (!native || !arePriced(destination, amounts) || !arePriced(source, spent)) return null
  const usdOf = (amount: bigint, token: PricedToken | undefined) =>
    token ? (Number(amount) / 10 ** token.decimals) * token.priceUsd : 0
  const given = spent.map(({ token, amount }) => -usdOf(amount, source.prices.get(token)))
  const worth = amounts.map(({ token, amount }) => usdOf(amount, destination.prices.get(token)))
  const cost = gas * source.gasPrice + nativeFee
  return (
    [...worth, ...given].reduce((sum, one) => sum + one, 0) - usdOf(cost, native) - deliveryCost
  )
}

export function costOf({ prices }: Side, native: bigint): Cost {
  const price = prices.get(nativeToken)
  const usd = price ? (Number(native) / 10 ** price.decimals) * price.priceUsd : null
  return { native, usd }
}
