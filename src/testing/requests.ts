/** Requests of tests: the fields of the API under the same names, amounts as bigint. Reference: docs/openapi.json. */
import type { InputOf } from '../client/calls.js'
import type { LocalRequest } from '../domain/recording.js'

/** Raw units. */
export type AmountInput = bigint | number | string
/** One, or a list. */
export type Some<T> = T | readonly T[]

/** Fields that are numbers, whatever their form on the wire. */
type Numeric =
  | 'amountIn'
  | 'amountOut'
  | 'minAmountOut'
  | 'fee'
  | 'slippage'
  | 'gasDrop'
  | 'deadline'
  | 'blockNumber'
  | 'destinationBlockNumber'

/** The client's input, except that lists may be single values, and numbers may be of any kind. */
type Loose<Input> = {
  readonly [Name in keyof Input]: Name extends Numeric
    ? NonNullable<Input[Name]> extends readonly unknown[]
      ? Some<AmountInput>
      : AmountInput
    : Name extends 'routingStrategy'
      ? Input[Name] | (string & {})
      : NonNullable<Input[Name]> extends readonly (infer Item)[]
        ? Some<Item>
        : Input[Name]
}

/**
 * Where a request gives none, `chainId` is that of `createForkroute`, then 1, and `blockNumber` likewise, then the
 * newest.
 */
export type QuoteInput = Loose<InputOf<'postQuote'>>
export type RouteInput = Loose<InputOf<'postRoute'>>

export type BundleInput = Loose<Omit<InputOf<'postBundle'>, 'actions'>> & {
  /** In order. Amounts in `args` may be bigint, or `{ useOutputOfCallAt: n }`: what action n yields. */
  readonly actions: readonly {
    readonly protocol: string
    readonly action: string
    readonly args?: Readonly<Record<string, unknown>>
  }[]
}

export type PricesInput = Loose<Omit<InputOf<'getPrices'>, 'chainId'>> & {
  readonly chainId?: number
}

export interface Inputs {
  readonly route: RouteInput
  readonly quote: QuoteInput
  readonly bundle: BundleInput
  readonly prices: PricesInput
}
export type RequestKind = keyof Inputs
export const requestKinds = ['route', 'quote', 'bundle', 'prices'] as const satisfies RequestKind[]

/** The request of the API. @param given - its fields; a bundle has its list as `actions`, prices have `chainId`. */
export function toApiRequest(
  kind: RequestKind,
  given: Readonly<Record<string, unknown>>,
): LocalRequest {
  if (kind === 'route') return { path: '/shortcuts/route', body: toJson(given) }
  if (kind === 'quote') return { path: '/shortcuts/quote', query: toQuery(given) }
  if (kind === 'bundle') {
    const { actions, ...rest } = given
    return { path: '/shortcuts/bundle', query: toQuery(rest), body: toJson(actions ?? null) }
  }
  const { chainId, ...rest } = given
  return { path: `/prices/${encodeURIComponent(String(chainId ?? 1))}`, query: toQuery(rest) }
}

function toQuery(fields: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === undefined || value === null) return []
      return [[name, Array.isArray(value) ? value.map(String) : String(value)]]
    }),
  )
}

/** The value in JSON form: bigint as a number where that is exact, else as its digits. Other values are unchanged. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field)]))
}
