/**
 * Server-sent events: writes what a stream yields, keeps the connection alive, and drops a client that does not read.
 * Also limits the number of streams.
 */
import type { Response } from 'express'
import { ForkrouteError } from '../domain/errors.js'
import { bigintToString } from '../domain/primitives.js'
import type { Logger } from '../telemetry/log.js'
import { count, type StreamEnd } from '../telemetry/metrics.js'
import type { StreamEvent } from './contract.js'
import { errorBody, toForkrouteError } from './errors.js'

/** Between two keep-alive comments; below the idle time after which common proxies cut a connection. */
const heartbeatMs = 15_000
/** Between two looks whether the key still counts: a chain may have no block, or a job no news, for hours. */
const keyCheckMs = 1_000

export interface StreamPlaces {
  /**
   * Takes a place until the answer is closed.
   * @throws ForkrouteError TOO_MANY_STREAMS when the caller has reached its limit; OVERLOADED when the service has.
   */
  take(res: Response): void
  readonly open: number
}

export function createStreamPlaces(limits: {
  readonly maxStreams: number
  readonly maxStreamsPerKey: number
}): StreamPlaces {
  const { maxStreams, maxStreamsPerKey } = limits
  const byCaller = new Map<string, number>()
  let open = 0
  return {
    take(res) {
      const { caller } = res.locals
      const openStreams = byCaller.get(caller) ?? 0
      if (openStreams >= maxStreamsPerKey) {
        count('refused_total', { limit: 'streams_per_key' })
        throw new ForkrouteError(
          'TOO_MANY_STREAMS',
          `${openStreams} streams are open, which is the limit of a key; close one first.`,
        )
      }
      if (open >= maxStreams) {
        count('refused_total', { limit: 'streams' })
        throw new ForkrouteError(
          'OVERLOADED',
          `${open} streams are open, which is the limit; try again in a moment.`,
        )
      }
      byCaller.set(caller, openStreams + 1)
      open += 1
      res.once('close', () => {
        const left = (byCaller.get(caller) ?? 0) - 1
        if (left > 0) byCaller.set(caller, left)
        else byCaller.delete(caller)
        open -= 1
      })
    },
    get open() {
      return open
    },
  }
}

/**
 * Writes the events until the client leaves or stops reading, its key is disabled, or the service stops.
 *
 * @param args.checkKey - throws once the key no longer counts; absent in open mode.
 * @param args.maxUnsentBytes - a client with more than this unsent when the next event arrives is dropped.
 * @param args.draining - aborted when the service begins to stop: the stream is then ended in order.
 */
export async function serveEvents(args: {
  readonly res: Response
  readonly events: AsyncIterable<StreamEvent>
  readonly checkKey?: (() => unknown) | undefined
  readonly maxUnsentBytes: number
  readonly draining: AbortSignal
  readonly logger: Logger
}): Promise<void> {
  const { res, draining, logger } = args
  const { requestId } = res.locals
  res.status(200)
  res.setHeader('content-type', 'text/event-stream; charset=utf-8')
  // nginx and similar proxies would otherwise buffer the events.
  res.setHeader('x-accel-buffering', 'no')
  res.flushHeaders()

  let end: StreamEnd = 'client'
  const drain = () => {
    end = 'shutdown'
    res.end()
  }
  draining.addEventListener('abort', drain, { once: true })
  /** False when the client was dropped or has left. */
  const write = (text: string): boolean => {
    if (res.destroyed || res.writableEnded) return false
    if (res.writableLength > args.maxUnsentBytes) {
      end = 'slow'
      res.destroy()
      return false
    }
    res.write(text)
    return true
  }
  /** Ends the stream where it says that the key no longer counts. */
  const tell = (event: StreamEvent): boolean => {
    if (!write(toText(event, requestId, logger))) return false
    if (!('error' in event && isKeyRefused(event.error))) return true
    end = 'key'
    res.end()
    return false
  }
  const heartbeat = setInterval(() => write(': \n\n'), heartbeatMs)
  const keyCheck = setInterval(() => {
    try {
      args.checkKey?.()
    } catch (error) {
      if (isKeyRefused(error)) tell({ error })
    }
  }, keyCheckMs)
  try {
    if (draining.aborted) drain()
    for await (const event of args.events) {
      if (!tell(event)) break
    }
    if (!res.destroyed && !res.writableEnded) {
      end = 'done'
      res.end()
    }
  } catch (error) {
    // The wait for the next head ends with an error when the client leaves.
    if (!res.destroyed && !res.writableEnded) {
      end = 'error'
      logger.error({ err: error, requestId }, 'stream failed: a fault of the service')
      res.destroy()
    }
  } finally {
    clearInterval(heartbeat)
    clearInterval(keyCheck)
    draining.removeEventListener('abort', drain)
    count('stream_ends_total', { reason: end })
    logger.info({ requestId, caller: res.locals.caller, end }, 'stream ended')
  }
}

/** Whether the key was disabled after the stream was opened. */
function isKeyRefused(error: unknown): boolean {
  return error instanceof ForkrouteError && ['UNAUTHORIZED', 'KEY_DISABLED'].includes(error.code)
}

function toText(event: StreamEvent, requestId: string, logger: Logger): string {
  if (!('error' in event)) return toEvent(event.name ?? 'quotes', event.body, event.id)
  const error = toForkrouteError(event.error)
  count('errors_total', { code: error.code })
  if (error.code === 'INTERNAL') {
    logger.error({ err: event.error, requestId }, 'event failed: a fault of the service')
  }
  return toEvent('error', errorBody(error, requestId))
}

/** Serialised JSON contains no line breaks, so one data line holds it. */
function toEvent(name: string, body: unknown, id?: string): string {
  const lines = [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`])]
  return `${lines.join('\n')}\ndata: ${JSON.stringify(body, bigintToString)}\n\n`
}
