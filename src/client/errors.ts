/** What can go wrong, as classes: one for each code of docs/reference/errors.md, and two for a service that gives no answer. */
import type { TransactionReceipt } from 'viem'
import type { components } from './generated/schema.js'

export type ErrorCode = components['schemas']['ErrorCode']
/** What may be done about an error: a parameter to change, an endpoint to ask, or a header to send. */
export type NextStep = components['schemas']['NextStep']
/** Body of an error. */
export type ErrorBody = components['schemas']['Error']

/** The service refused, with the body of its error. */
export abstract class ForkrouteApiError extends Error {
  abstract readonly code: ErrorCode
  /** The body exactly as the service sent it. */
  readonly body: Partial<ErrorBody>
  /** HTTP status. */
  readonly status: number
  /** Name of the request in the service's log. */
  readonly requestId: string | null
  /** Facts, by name; which ones depends on the code. */
  readonly details: Readonly<Record<string, unknown>>
  /** What may be done about it, the likeliest first; any one may be enough. */
  readonly next: readonly NextStep[]
  /** Each input that is wrong, where several are; else one sentence. */
  readonly messages: readonly string[]

  constructor(
    body: Partial<ErrorBody>,
    /** HTTP status, where the body has none. */
    status = 500,
    /** When the same request may succeed; null where asking again is no use. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    const messages = [body.message ?? ''].flat()
    super(messages.join('\n'))
    this.name = new.target.name
    this.body = body
    this.messages = messages
    this.status = body.statusCode ?? status
    this.requestId = body.requestId ?? null
    this.details = body.details ?? {}
    this.next = body.details?.next ?? []
  }
}

export class InvalidRequestError extends ForkrouteApiError {
  readonly code = 'INVALID_REQUEST'
}
export class UnknownChainError extends ForkrouteApiError {
  readonly code = 'UNKNOWN_CHAIN'
}
export class UnknownBlockError extends ForkrouteApiError {
  readonly code = 'UNKNOWN_BLOCK'
}
export class InsufficientBalanceError extends ForkrouteApiError {
  readonly code = 'INSUFFICIENT_BALANCE'
}
export class InsufficientAllowanceError extends ForkrouteApiError {
  readonly code = 'INSUFFICIENT_ALLOWANCE'
}
export class UnauthorizedError extends ForkrouteApiError {
  readonly code = 'UNAUTHORIZED'
}
export class KeyDisabledError extends ForkrouteApiError {
  readonly code = 'KEY_DISABLED'
}
export class ScopeMissingError extends ForkrouteApiError {
  readonly code = 'SCOPE_MISSING'
}
export class CallerNotAllowedError extends ForkrouteApiError {
  readonly code = 'CALLER_NOT_ALLOWED'
}
export class NotFoundError extends ForkrouteApiError {
  readonly code = 'NOT_FOUND'
}
export class NoPriceError extends ForkrouteApiError {
  readonly code = 'NO_PRICE'
}
export class MethodNotAllowedError extends ForkrouteApiError {
  readonly code = 'METHOD_NOT_ALLOWED'
}
export class BodyTooLargeError extends ForkrouteApiError {
  readonly code = 'BODY_TOO_LARGE'
}
export class UnsupportedMediaTypeError extends ForkrouteApiError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE'
}
export class NoRouteError extends ForkrouteApiError {
  readonly code = 'NO_ROUTE'
}
export class SimulationRevertedError extends ForkrouteApiError {
  readonly code = 'SIMULATION_REVERTED'
}
export class SimulationTooLargeError extends ForkrouteApiError {
  readonly code = 'SIMULATION_TOO_LARGE'
}
export class NotFundableError extends ForkrouteApiError {
  readonly code = 'NOT_FUNDABLE'
}
export class RateLimitedError extends ForkrouteApiError {
  readonly code = 'RATE_LIMITED'
}
export class TooManyStreamsError extends ForkrouteApiError {
  readonly code = 'TOO_MANY_STREAMS'
}
export class TooManyBacktestsError extends ForkrouteApiError {
  readonly code = 'TOO_MANY_BACKTESTS'
}
export class InternalError extends ForkrouteApiError {
  readonly code = 'INTERNAL'
}
export class OpportunitiesDisabledError extends ForkrouteApiError {
  readonly code = 'OPPORTUNITIES_DISABLED'
}
export class ChainNotReadyError extends ForkrouteApiError {
  readonly code = 'CHAIN_NOT_READY'
}
export class UpstreamUnavailableError extends ForkrouteApiError {
  readonly code = 'UPSTREAM_UNAVAILABLE'
}
export class StateUnavailableError extends ForkrouteApiError {
  readonly code = 'STATE_UNAVAILABLE'
}
export class ForkUnavailableError extends ForkrouteApiError {
  readonly code = 'FORK_UNAVAILABLE'
}
export class StorageUnavailableError extends ForkrouteApiError {
  readonly code = 'STORAGE_UNAVAILABLE'
}
export class ThreadLostError extends ForkrouteApiError {
  readonly code = 'THREAD_LOST'
}
export class OverloadedError extends ForkrouteApiError {
  readonly code = 'OVERLOADED'
}
export class DeadlineExceededError extends ForkrouteApiError {
  readonly code = 'DEADLINE_EXCEEDED'
}

/** Keyed by error code. A code without a class does not compile. */
const classes = {
  INVALID_REQUEST: InvalidRequestError,
  UNKNOWN_CHAIN: UnknownChainError,
  UNKNOWN_BLOCK: UnknownBlockError,
  INSUFFICIENT_BALANCE: InsufficientBalanceError,
  INSUFFICIENT_ALLOWANCE: InsufficientAllowanceError,
  UNAUTHORIZED: UnauthorizedError,
  KEY_DISABLED: KeyDisabledError,
  SCOPE_MISSING: ScopeMissingError,
  CALLER_NOT_ALLOWED: CallerNotAllowedError,
  NOT_FOUND: NotFoundError,
  NO_PRICE: NoPriceError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  BODY_TOO_LARGE: BodyTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  NO_ROUTE: NoRouteError,
  SIMULATION_REVERTED: SimulationRevertedError,
  SIMULATION_TOO_LARGE: SimulationTooLargeError,
  NOT_FUNDABLE: NotFundableError,
  RATE_LIMITED: RateLimitedError,
  TOO_MANY_STREAMS: TooManyStreamsError,
  TOO_MANY_BACKTESTS: TooManyBacktestsError,
  INTERNAL: InternalError,
  OPPORTUNITIES_DISABLED: OpportunitiesDisabledError,
  CHAIN_NOT_READY: ChainNotReadyError,
  UPSTREAM_UNAVAILABLE: UpstreamUnavailableError,
  STATE_UNAVAILABLE: StateUnavailableError,
  FORK_UNAVAILABLE: ForkUnavailableError,
  STORAGE_UNAVAILABLE: StorageUnavailableError,
  THREAD_LOST: ThreadLostError,
  OVERLOADED: OverloadedError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
} as const satisfies {
  readonly [C in ErrorCode]: new (
    ...args: ConstructorParameters<typeof InternalError>
  ) => ForkrouteApiError & { readonly code: C }
}

/** The service cannot be reached, or the connection ended before the answer did. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** An answer that is none of this interface, such as that of a proxy. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** The transaction cannot be sent as things are. */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError'
}

/** The transaction was mined and reverted. */
export class TransactionRevertedError extends Error {
  override readonly name = 'TransactionRevertedError'
  constructor(readonly receipt: TransactionReceipt) {
    super(`The transaction ${receipt.transactionHash} reverted.`)
  }
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (error instanceof UnexpectedAnswerError) return error.status >= 502
  return error instanceof ForkrouteApiError && error.retryAfterSeconds !== null
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(classes, code)
}

/** The error of a body; a code of a later version of the service is an UnexpectedAnswerError that names it. */
export function toError(
  body: unknown,
  status: number,
  retryAfterSeconds: number | null = null,
): ForkrouteApiError | UnexpectedAnswerError {
  const its = body as Partial<ErrorBody> | null | undefined
  if (typeof its === 'object' && its && isCode(its.code) && its.message !== undefined) {
    return new classes[its.code](its, status, retryAfterSeconds)
  }
  const code = typeof its === 'object' && its?.code ? ` (${its.code})` : ''
  const said =
    typeof its === 'object' && its?.message
      ? [its.message].flat().join(' ')
      : 'no body that is understood'
  return new UnexpectedAnswerError(status, `HTTP ${status}: ${said}${code}.`)
}
