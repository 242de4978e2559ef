/** The span of a request, which goes on with the trace of its client. */
import type { Request, Response } from 'express'
import { inTrace, isTracing, noteSpan, traceId } from '../telemetry/tracing.js'
import type { RouteDefinition } from './contract.js'
import { toForkrouteError } from './errors.js'

/**
 * Traces what an endpoint does for a request that was admitted, from the time it came in. An event of a stream is a
 * trace of its own, so that none lasts for as long as the stream.
 */
export function traceRequest<T>(
  { method, path }: Pick<RouteDefinition, 'method' | 'path'>,
  req: Request,
  res: Response,
  work: () => Promise<T>,
): Promise<T> {
  if (!isTracing()) return work()
  const verb = method.toUpperCase()
  const options = {
    kind: 'server' as const,
    parent: req.header('traceparent'),
    facts: { 'http.request.method': verb, 'http.route': path },
  }
  const startedAt = Date.now() - (performance.now() - res.locals.startedAt)
  const isFirst = !res.headersSent
  return inTrace(
    `${verb} ${path}`,
    async () => {
      res.locals.traceId = traceId()
      try {
        const result = await work()
        noteSpan({ 'http.response.status_code': res.statusCode })
        return result
      } catch (thrown) {
        const { code, status } = toForkrouteError(thrown)
        noteSpan({ 'http.response.status_code': status, 'error.type': code })
        throw thrown
      }
    },
    { ...options, ...(isFirst && { startedAt }) },
  )
}
