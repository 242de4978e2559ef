/** What a caller may do about an error, as data in `details.next`: programs offer it, `message` says it in words. */

/** Sends the same request again with one parameter changed. */
export interface ParameterStep {
  /** Name in the request, an item of a list by its index: `amountIn[1]`. */
  readonly parameter: string
  /** Index of the bundle's action whose argument it is. */
  readonly action?: number
  /** What to give, as text; null: leave the parameter out; absent: the caller has to choose. */
  readonly value?: string | null
}

/** Asks another endpoint, before the same request or in its place. */
export interface EndpointStep {
  /** Method and path, such as `GET /api/v1/wallet/approve`. */
  readonly endpoint: string
  readonly query?: Readonly<Record<string, string>>
}

/** Sends the same request again with a header. */
export interface HeaderStep {
  readonly header: string
  /** A part in angle brackets stands for what the caller has. */
  readonly value: string
}

/** Any one of the steps may be enough; the first is the most likely. */
export type NextStep = ParameterStep | EndpointStep | HeaderStep
