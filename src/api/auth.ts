/** Authentication and limits: API keys, request rates, and the bound on running calculations. */
import cluster from 'node:cluster'
import type { Request, RequestHandler, Response } from 'express'
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { scopeMissing } from '../domain/common-errors.js'
import { noAccount } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { KeyRecord, Scope } from '../domain/operations/keys.js'
import { count as countMetric } from '../telemetry/metrics.js'
import type { KeyStore } from './key-store.js'

/**
 * Sets `res.locals`: `accountId`, `caller` (what the rate is counted by), `scopes`, and `checkKey` (checks the key
 * again, for streams).
 * @param keys - null in open mode: every client is admitted and counted by address, and nobody is an admin.
 */
export function authenticate(keys: KeyStore | null): RequestHandler {
  return (req, res, next) => {
    if (!keys) {
      res.locals.accountId = noAccount
      res.locals.caller = req.ip ?? 'unknown'
      res.locals.scopes = ['use']
      next()
      return
    }
    const key = bearerToken(req)
    if (!key) {
      throw new ForkrouteError(
        'UNAUTHORIZED',
        'An API key is required: send the header "Authorization: Bearer <key>".',
        withKey,
      )
    }
    const check = () => usable(keys, key)
    const record = check()
    res.locals.accountId = record.accountId
    res.locals.caller = record.id
    res.locals.scopes = record.scopes
    res.locals.checkKey = check
    next()
  }
}

/** @throws ForkrouteError SCOPE_MISSING. */
export function requireScope(res: Response, scope: Scope): void {
  const held: readonly Scope[] = res.locals.scopes
  if (held.includes(scope)) return
  const message = `The path needs a key with the scope ${scope}: forkroute keys create --${scope}, where the service runs.`
  // In open mode no key is read, so that none would help.
  const isOpen = res.locals.checkKey === undefined
  throw isOpen
    ? new ForkrouteError('SCOPE_MISSING', message, { scope })
    : scopeMissing(message, scope)
}

/** @throws ForkrouteError UNAUTHORIZED, KEY_DISABLED. */
function usable(keys: KeyStore, key: string): KeyRecord {
  const record = keys.findKey(key)
  if (!record) {
    throw new ForkrouteError(
      'UNAUTHORIZED',
      'The API key is not valid: this service has no such key. Its operator makes one with forkroute keys create.',
      withKey,
    )
  }
  if (record.disabledAt !== null) {
    throw new ForkrouteError(
      'KEY_DISABLED',
      'The API key is disabled. The operator makes another with forkroute keys create.',
      withKey,
    )
  }
  return record
}

export function bearerToken(req: Request): string | undefined {
  return /^Bearer +(\S{1,256}) *$/i.exec(req.headers.authorization ?? '')?.[1]
}

const windowSeconds = 60

const withKey = { next: [{ header: 'authorization', value: 'Bearer <key>' }] }

export interface RateLimit {
  /** Counts every request of a caller as one point. */
  readonly handler: RequestHandler
  /**
   * Counts the further points of a request.
   * @throws ForkrouteError RATE_LIMITED; refused points are not counted.
   */
  charge(res: Response, points: number): Promise<void>
}

/** Counts by caller in windows of a minute; of several processes all together. */
export function createRateLimit(requestsPerMinute: number): RateLimit {
  const terms = { points: requestsPerMinute, duration: windowSeconds }
  const limiter = cluster.isWorker
    ? new RateLimiterCluster({ ...terms, keyPrefix: 'requests' })
    : new RateLimiterMemory(terms)

  async function count(res: Response, points: number): Promise<RateLimiterRes> {
    const state = await limiter.consume(res.locals.caller, points).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    })
    if (!res.headersSent) {
      res.setHeader('ratelimit-limit', String(requestsPerMinute))
      res.setHeader('ratelimit-remaining', String(state.remainingPoints))
      res.setHeader('ratelimit-reset', resetSeconds(state))
    }
    return state
  }

  function refusal(res: Response, state: RateLimiterRes, what: string): ForkrouteError {
    countMetric('refused_total', { limit: 'rate' })
    if (!res.headersSent) res.setHeader('retry-after', resetSeconds(state))
    return new ForkrouteError(
      'RATE_LIMITED',
      `${what} ${requestsPerMinute} requests in a minute; try again in ${resetSeconds(state)} s.`,
    )
  }

  return {
    async handler(_req, res, next) {
      const state = await count(res, 1)
      if (state.consumedPoints > requestsPerMinute) throw refusal(res, state, 'More than')
      next()
    },
    async charge(res, points) {
      if (points === 0) return
      const state = await count(res, points)
      if (state.consumedPoints <= requestsPerMinute) return
      await limiter.reward(res.locals.caller, points)
      throw refusal(res, state, `${points} quotes more are over`)
    },
  }
}

function resetSeconds(state: RateLimiterRes): string {
  return String(Math.ceil(state.msBeforeNext / 1_000))
}
