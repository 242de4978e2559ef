/** Who asks, and how often they may: keys, request rates, and the bound on running calculations. */
import type { Request, RequestHandler } from 'express'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import type { KeyStore } from './key-store.js'

/** Stands in the on-chain event when the service runs without keys. */
export const openAccountId: Hex = `0x${'0'.repeat(64)}`

/**
 * Puts the account into `res.locals.accountId` and what the rate is counted by into `res.locals.caller`.
 * @param keys - null in open mode: everybody is let in and counted by address.
 */
export function authenticate(keys: KeyStore | null): RequestHandler {
  return (req, res, next) => {
    if (!keys) {
      res.locals.accountId = openAccountId
      res.locals.caller = req.ip ?? 'unknown'
      next()
      return
    }
    const key = bearerToken(req)
    if (!key) {
      throw new ForkrouteError(
        'UNAUTHORIZED',
        'An API key is required: send the header "Authorization: Bearer <key>".',
      )
    }
    const record = keys.findKey(key)
    if (!record) throw new ForkrouteError('UNAUTHORIZED', 'The API key is not valid.')
    if (record.disabledAt !== null) {
      throw new ForkrouteError('KEY_DISABLED', 'The API key is disabled.')
    }
    res.locals.accountId = record.accountId
    res.locals.caller = record.id
    next()
  }
}

function bearerToken(req: Request): string | undefined {
  return /^Bearer +(\S{1,256}) *$/i.exec(req.headers.authorization ?? '')?.[1]
}

const windowSeconds = 60

/** Counts every request of a caller in windows of a minute. */
export function limitRate(requestsPerMinute: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: windowSeconds })
  return async (_req, res, next) => {
    const state = await limiter.consume(res.locals.caller).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    })
    const resetSeconds = String(Math.ceil(state.msBeforeNext / 1_000))
    res.setHeader('ratelimit-limit', String(requestsPerMinute))
    res.setHeader('ratelimit-remaining', String(state.remainingPoints))
    res.setHeader('ratelimit-reset', resetSeconds)
    if (state.consumedPoints > requestsPerMinute) {
      res.setHeader('retry-after', resetSeconds)
      throw new ForkrouteError(
        'RATE_LIMITED',
        `More than ${requestsPerMinute} requests in a minute; try again in ${resetSeconds} s.`,
      )
    }
    next()
  }
}

export interface Gate {
  /** @throws ForkrouteError OVERLOADED at once when too many run; there is no queue. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly inFlight: number
}

export function createGate(maxInFlight: number): Gate {
  let inFlight = 0
  return {
    async run(work) {
      if (inFlight >= maxInFlight) {
        throw new ForkrouteError(
          'OVERLOADED',
          `${maxInFlight} calculations are running, which is the limit; try again in a moment.`,
        )
      }
      inFlight++
      try {
        return await work()
      } finally {
        inFlight--
      }
    },
    get inFlight() {
      return inFlight
    },
  }
}
