/**
 * Every expected error: one table, one class, and the form in which errors cross threads.
 * docs/reference/errors.md is generated from the table. Anything that is not a ForkrouteError is a bug
 * and reaches the caller as INTERNAL without its message.
 */
import type { NextStep } from './next-step.js'

export const errorCodes = {
  INVALID_REQUEST: { status: 400, retry: false, title: 'The request does not match its schema.' },
  UNKNOWN_CHAIN: { status: 400, retry: false, title: 'The chain is not configured here.' },
  UNKNOWN_BLOCK: {
    status: 400,
    retry: false,
    title: 'The block does not exist (yet), or its state is no longer available.',
  },
  INSUFFICIENT_BALANCE: {
    status: 400,
    retry: false,
    title: 'The spender holds less of tokenIn than amountIn at the block.',
  },
  INSUFFICIENT_ALLOWANCE: {
    status: 400,
    retry: false,
    title: 'The spender allows less of tokenIn than amountIn at the block.',
  },
  UNAUTHORIZED: { status: 401, retry: false, title: 'The API key is missing or not valid.' },
  KEY_DISABLED: { status: 403, retry: false, title: 'The API key is disabled.' },
  SCOPE_MISSING: {
    status: 403,
    retry: false,
    title: 'The API key lacks the scope that the path needs.',
  },
  CALLER_NOT_ALLOWED: {
    status: 403,
    retry: false,
    title: 'The request comes from a page, or by a host name, that is not among the allowed ones.',
  },
  NOT_FOUND: { status: 404, retry: false, title: 'The path or the named thing does not exist.' },
  NO_PRICE: { status: 404, retry: false, title: 'No price is known for the token at the block.' },
  METHOD_NOT_ALLOWED: { status: 405, retry: false, title: 'The path exists, the method does not.' },
  BODY_TOO_LARGE: { status: 413, retry: false, title: 'The request body is over the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retry: false, title: 'The request body is not JSON.' },
  NO_ROUTE: {
    status: 422,
    retry: false,
    title: 'No path connects the tokens within the limits.',
  },
  SIMULATION_REVERTED: {
    status: 422,
    retry: false,
    title: 'Paths exist, but every candidate failed in simulation.',
  },
  SIMULATION_TOO_LARGE: {
    status: 422,
    retry: false,
    title: 'The simulations of the request would use more gas than one request may.',
  },
  NOT_FUNDABLE: {
    status: 422,
    retry: false,
    title:
      'The amount of tokenIn cannot be given to the sender in a simulation: ask for a sender that holds it.',
  },
  RATE_LIMITED: { status: 429, retry: true, title: 'The key is over its request rate.' },
  TOO_MANY_STREAMS: {
    status: 429,
    retry: true,
    title: 'The key has as many streams open, or its account as many files, as it may have.',
  },
  TOO_MANY_BACKTESTS: {
    status: 429,
    retry: true,
    title: 'The account has as many backtests open, or stored, as it may have.',
  },
  INTERNAL: {
    status: 500,
    retry: false,
    title: 'A fault of the service itself; its log has the cause.',
  },
  OPPORTUNITIES_DISABLED: {
    status: 503,
    retry: false,
    title: 'The operator has not switched opportunities on.',
  },
  CHAIN_NOT_READY: {
    status: 503,
    retry: true,
    title: 'The chain has no pinned block yet, or its node is too far behind.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    retry: true,
    title: 'No configured node of the chain answers, or none answers truthfully.',
  },
  STATE_UNAVAILABLE: {
    status: 503,
    retry: true,
    title: 'The node does not give state that the answer needs.',
  },
  FORK_UNAVAILABLE: {
    status: 503,
    retry: true,
    title: 'A fork died, and so did its replacements.',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    retry: true,
    title: 'The data folder cannot be written (disk full, or not writable).',
  },
  THREAD_LOST: {
    status: 503,
    retry: true,
    title:
      'The thread that calculated the answer ended too early, for example because memory ran out.',
  },
  OVERLOADED: { status: 503, retry: true, title: 'More work is waiting than can be done in time.' },
  DEADLINE_EXCEEDED: {
    status: 504,
    retry: true,
    title: 'The deadline passed before anything was found.',
  },
} as const satisfies Record<string, { status: number; retry: boolean; title: string }>

export type ErrorCode = keyof typeof errorCodes

/** Facts of an error: JSON values only, no secrets, no paths of files, no URLs. */
export interface ErrorDetails {
  /** What the caller may do about it. */
  readonly next?: readonly NextStep[]
  readonly [fact: string]: unknown
}

/** An expected error. `message` is one sentence that a caller may print; `messages` when several inputs are wrong. */
export class ForkrouteError extends Error {
  override readonly name: string = 'ForkrouteError'
  constructor(
    readonly code: ErrorCode,
    message: string | readonly string[],
    readonly details?: ErrorDetails,
    options?: { cause?: unknown },
  ) {
    super(typeof message === 'string' ? message : message.join(' '), options)
    this.messages = typeof message === 'string' || message.length === 1 ? null : message
  }
  /** Set when several inputs are wrong at once: a list of one is a sentence. */
  readonly messages: readonly string[] | null
  get status(): number {
    return errorCodes[this.code].status
  }
}

/** An error as data: structured clone drops `code` and own fields, so threads exchange this. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly messages?: readonly string[]
  readonly details?: ErrorDetails
  /** Stack of an unexpected error, for the log only. */
  readonly stack?: string
}

export type Wire<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: WireError }

/** Any thrown value as data. */
export function toWireError(error: unknown): WireError {
  if (error instanceof ForkrouteError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.messages && { messages: error.messages }),
      ...(error.details && { details: error.details }),
    }
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'INTERNAL', message: errorCodes.INTERNAL.title, stack }
}

/** Restores the error from the data that `toWireError` made. */
export function fromWireError(wire: WireError): ForkrouteError {
  const error = new ForkrouteError(wire.code, wire.messages ?? wire.message, wire.details)
  if (wire.stack) error.stack = wire.stack
  return error
}
