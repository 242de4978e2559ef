/** Sizes of a curve, and what the quote of each says. */
import type { QuoteBatch } from '../../client/client.js'

type Ladder = Extract<QuoteBatch['quotes'][number], { readonly ladder: unknown }>
type Rung = Ladder['ladder'][number]
export type Quoted = Extract<Rung, { readonly amountOut: unknown }>

export interface Size {
  readonly amountIn: bigint
  /** Null: there is none of this size. */
  readonly quote: Quoted | null
  readonly problem: string | null
}

const rungs = 14

/** Sizes that grow by the same factor each, ends included, each once. */
export function sizesBetween(least: bigint, most: bigint, count = rungs): readonly bigint[] {
  const factor = (Number(most) / Number(least)) ** (1 / (count - 1))
  const between = Array.from({ length: count - 2 }, (_, index) =>
    rounded((least * BigInt(Math.round(factor ** (index + 1) * 1_000_000))) / 1_000_000n),
  ).filter((size) => size > least && size < most)
  return [...new Set([least, ...between, most])]
}

/** To two digits, as people name sizes. */
function rounded(size: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, size.toString().length - 2))
  return (size / unit) * unit
}

/** Pools and their protocols in the order of the route; wrapping is none. */
export function poolsOf({
  quote,
}: Size): readonly { readonly pool: string; readonly protocol: string }[] {
  return (quote?.route ?? []).flatMap(({ internalRoutes = [] }) => internalRoutes)
}

/** Units of tokenOut for one of tokenIn; null without a quote. */
export function priceOf(
  { amountIn, quote }: Size,
  decimalsIn: number,
  decimalsOut: number,
): number | null {
  if (!quote) return null
  return (Number(quote.amountOut) / Number(amountIn)) * 10 ** (decimalsIn - decimalsOut)
}

/** Whether the route goes through other pools than that of the size before. */
export function isOtherWay(size: Size, before: Size | undefined): boolean {
  if (!before) return false
  const name = (one: Size) =>
    poolsOf(one)
      .map(({ pool }) => pool)
      .sort()
      .join()
  return name(size) !== name(before)
}
