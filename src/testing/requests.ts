/** Requests of tests: the fields of the API under the same names, amounts as bigint. Reference: docs/openapi.json. */

import type { Address } from '../domain/primitives.js'
import type { LocalRequest } from '../domain/recording.js'

/** Raw units. */
export type AmountInput = bigint | number | string
/** One, or a list. */
export type Some<T> = T | readonly T[]

interface AnyRequest {
  /** Default: `chainId` of `createForkroute`, then 1. */
  readonly chainId?: number
  /** Calculate at the end of this block. Default: `blockNumber` of `createForkroute`, then the newest. */
  readonly blockNumber?: bigint | number
  readonly deadlineMs?: number
}

interface RoutingRequest extends AnyRequest {
  readonly routingStrategy?:
    | 'router'
    | 'delegate'
    | 'router-legacy'
    | 'delegate-legacy'
    | (string & {})
  /** Swap protocols to leave out. */
  readonly ignoreAggregators?: readonly string[]
  /** Protocols to leave out, by slug. */
  readonly ignoreStandards?: readonly string[]
  /** Pools that no route uses, by address or id. */
  readonly excludePools?: readonly string[]
  /** Pools beside which no other is used. */
  readonly onlyPools?: readonly string[]
  /** Tokens at which no route stops on its way. */
  readonly excludeTokens?: readonly Address[]
}

interface PairRequest extends RoutingRequest {
  /** The native token is 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee. */
  readonly tokenIn: Some<Address>
  /** One per tokenIn, fee included; this or amountOut. */
  readonly amountIn?: Some<AmountInput>
  /** For one tokenIn and one tokenOut: the least amountIn that gives so much is found. */
  readonly amountOut?: AmountInput
  readonly tokenOut: Some<Address>
  /** Basis points: one per amountIn. */
  readonly fee?: Some<AmountInput>
  readonly feeReceiver?: Address
}

export interface QuoteInput extends PairRequest {
  /** The sender; its funds do not matter. Default: none. */
  readonly fromAddress?: Address
  /** Whether to calculate it; default true. */
  readonly priceImpact?: boolean
}

export interface RouteInput extends PairRequest {
  readonly fromAddress: Address
  /** `user` (default): the sender must have funds and allowance at the block; `backend`: they are put there. */
  readonly executionMode?: 'user' | 'backend'
  /** Basis points; default 50. Not together with minAmountOut. */
  readonly slippage?: number
  /** One per tokenOut. */
  readonly minAmountOut?: Some<AmountInput>
  readonly receiver?: Address
  readonly spender?: Address
  readonly refundReceiver?: Address
  /** Adds gasCost to the answer. */
  readonly includeTransactionCost?: boolean
  /** At most 16 printable ASCII characters. */
  readonly referralCode?: string
}

export interface BundleInput extends RoutingRequest {
  readonly fromAddress: Address
  /** In order. Amounts in `args` may be bigint, or `{ useOutputOfCallAt: n }`: what action n yields. */
  readonly actions: readonly {
    readonly protocol: string
    readonly action: string
    readonly args?: Readonly<Record<string, unknown>>
  }[]
  /** Default `backend`. */
  readonly executionMode?: 'user' | 'backend'
  readonly receiver?: Address
  readonly refundReceiver?: Address
  readonly referralCode?: string
  /** Neither gas nor amounts are calculated. */
  readonly skipQuote?: boolean
}

export interface PricesInput extends AnyRequest {
  /** 100 at most. */
  readonly addresses: readonly Address[]
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
