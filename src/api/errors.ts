/** Turns every error of the API into the one error body: docs/reference/api.md#errors. No internal details leave the service. */

import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import { defined } from '../domain/defined.js'
import { errorCodes, ForkrouteError } from '../domain/errors.js'
import type { Logger } from '../telemetry/log.js'
import { count } from '../telemetry/metrics.js'

/** Retry-After in seconds where the error itself sets none. */
const defaultRetryAfterSeconds = 1

/** What Express and its body parser throw: `http-errors` with a status and a type. */
interface HttpFault {
  readonly status?: unknown
  readonly type?: unknown
  /** Bytes that a body may have. */
  readonly limit?: unknown
}

/** Faults of the request that Express or its parser found. Null for anything else, which is a bug. */
function fromHttpFault(error: unknown): ForkrouteError | null {
  if (!(error instanceof Error)) return null
  const { status, type, limit } = error as HttpFault
  if (type === 'entity.parse.failed') {
    return new ForkrouteError('INVALID_REQUEST', 'The request body is not valid JSON.')
  }
  if (status === 413) {
    const bytes = typeof limit === 'number' ? ` of ${limit} bytes` : ''
    const message = `The request body is over the limit${bytes} (BODY_LIMIT_BYTES). Divide it into several requests.`
    return new ForkrouteError('BODY_TOO_LARGE', message)
  }
  if (status === 415) {
    return new ForkrouteError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The request body must be JSON in UTF-8 (content-type: application/json).',
      { next: [{ header: 'content-type', value: 'application/json' }] },
    )
  }
  if (status === 400) {
    return new ForkrouteError(
      'INVALID_REQUEST',
      'The request could not be read: its path has a % that is no percent-encoding, or its body broke off.',
    )
  }
  return null
}

/** The facts of an error as in the body, without the request id. */
export function errorFacts(
  error: Pick<ForkrouteError, 'code' | 'message' | 'details'> & {
    readonly messages?: readonly string[] | null | undefined
  },
) {
  const { status } = errorCodes[error.code]
  const { next, ...facts } = error.details ?? {}
  return {
    statusCode: status as number,
    error: STATUS_CODES[status] ?? 'Error',
    message: error.messages ? [...error.messages] : error.message,
    code: error.code,
    ...(error.details && { details: { ...facts, ...(next && { next: [...next] }) } }),
  }
}

/** The error body of the API. */
export function errorBody(error: ForkrouteError, requestId: string) {
  const { details, ...facts } = errorFacts(error)
  return { ...facts, requestId, ...defined({ details }) }
}

/** The error that a caller may see for any thrown value. */
export function toForkrouteError(error: unknown): ForkrouteError {
  if (error instanceof ForkrouteError && error.code !== 'INTERNAL') return error
  return (
    fromHttpFault(error) ??
    new ForkrouteError('INTERNAL', errorCodes.INTERNAL.title, undefined, { cause: error })
  )
}

function send(res: Response, error: ForkrouteError): void {
  const { status } = error
  if (errorCodes[error.code].retry && !res.hasHeader('retry-after')) {
    res.setHeader('retry-after', String(defaultRetryAfterSeconds))
  }
  if (status === 401) res.setHeader('www-authenticate', 'Bearer')
  res.status(status).json(errorBody(error, res.locals.requestId))
}

/**
 * Ends the connection in the middle of an answer. By a reset, since in HTTP/1.0, which proxies speak, its end in order
 * is that of a whole answer.
 * @param cause - told to the operator, unless the client has left before; absent: the client is at fault.
 */
export function cut(res: Response, cause?: unknown): void {
  if (cause !== undefined && !res.destroyed) res.locals.cutBy = cause
  res.socket?.resetAndDestroy()
  res.destroy()
}

/** Refuses every method without a handler. @param allowed - the methods that the path does take. */
export function allowOnly(allowed: readonly string[]): RequestHandler {
  return (req, res) => {
    res.setHeader('allow', allowed.join(', '))
    const [path = ''] = req.originalUrl.split('?')
    throw new ForkrouteError(
      'METHOD_NOT_ALLOWED',
      `${req.method} is not allowed here, but ${allowed.join(', ')}.`,
      {
        next: allowed
          .filter((method) => method !== 'HEAD')
          .map((method) => ({ endpoint: `${method} ${path.slice(0, 200)}` })),
      },
    )
  }
}

/** Express recognises an error handler by its four parameters. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  for (const code of Object.keys(errorCodes)) count('errors_total', { code }, 0)
  return (thrown, _req, res, _next) => {
    const error = toForkrouteError(thrown)
    const { requestId } = res.locals
    // The client has left, or half an answer is sent: an error body can no longer be delivered.
    if (res.headersSent || res.destroyed) {
      if (res.locals.cutBy === thrown) {
        logger.warn({ err: thrown, requestId, code: error.code }, 'answer cut in its middle')
        count('errors_total', { code: error.code })
      } else logger.debug({ err: thrown, requestId }, 'request abandoned')
      cut(res)
      return
    }
    if (error.code === 'INTERNAL') {
      logger.error({ err: thrown, requestId }, 'request failed: a fault of the service')
    } else if (error.status >= 500) {
      logger.warn({ err: thrown, requestId, code: error.code }, 'request failed')
    }
    count('errors_total', { code: error.code })
    send(res, error)
  }
}
