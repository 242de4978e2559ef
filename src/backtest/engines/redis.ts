/**
 * The link to Redis that coordinators and workers share, and the names under which things are found there.
 * While Redis is away commands wait for it; nothing fails and nothing is lost by that.
 */
import { Redis } from 'ioredis'
import { storageUnavailable } from '../../domain/common-errors.js'
import type { Logger } from '../../log.js'

/** Of a worker that was killed, its work is taken up by others after this long, twice at most. */
export const lockMs = 10_000
/** A job whose coordinator sent no sign of life for so long is left alone by workers until it comes back. */
export const coordinatorMs = 60_000
/** Results that no coordinator took are dropped after that; their blocks are calculated again. */
export const resultsSeconds = 3_600
/** Blocks of a job that were calculated and not yet taken; workers wait while there are more. */
export const maxWaitingResults = 64
const connectTimeoutMs = 5_000
const slowestRetryMs = 2_000
/** Longer than any command waits for its answer: the connection is dead, though nobody closed it. */
const silenceMs = 30_000

export interface QueueOptions {
  /** May carry a password: never shown. */
  readonly redisUrl: string
  /** Installations with different names share a Redis without meeting each other. */
  readonly serviceName: string
  /**
   * Stands for the version and the settings that decide answers: coordinators and workers of different kinds never
   * share work, because their results could differ.
   */
  readonly kind: string
  readonly logger: Logger
}

/** A queue per chain: workers take part in those of the chains that they have nodes for. */
export const queueName = (chainId: number): string => `blocks-${chainId}`

/** Names of what is kept in Redis. */
export interface QueueNames {
  /** Of BullMQ's own keys. */
  readonly prefix: string
  /** Kinds of coordinators by the time at which they were last there. */
  readonly kinds: string
  plan(job: string): string
  results(job: string): string
}

export function queueNames({ serviceName, kind }: QueueOptions): QueueNames {
  const prefix = `forkroute:${serviceName}:${kind}`
  return {
    prefix,
    kinds: `forkroute:${serviceName}:kinds`,
    plan: (job) => `${prefix}:plan:${job}`,
    results: (job) => `${prefix}:results:${job}`,
  }
}

/** Connects in the background; what goes wrong is logged once until it is over. */
export function connectRedis({ redisUrl, logger }: QueueOptions): Redis {
  const redis = new Redis(redisUrl, {
    connectionName: 'forkroute',
    // Commands wait until Redis is back.
    maxRetriesPerRequest: null,
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, slowestRetryMs),
  })
  let problem: string | null = null
  redis.on('error', (error: Error) => {
    const seen = reasonOf(error)
    if (seen !== problem) logger.warn({ reason: seen }, 'Redis does not answer; waiting for it')
    problem = seen
  })
  redis.on('ready', () => {
    if (problem) logger.info('Redis answers again')
    problem = null
  })
  return redis
}

/** The code of an error of Redis or of the connection, without anything else that its text may hold. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return code
  return /^[A-Z]{2,}(?= )/.exec(String(message))?.[0] ?? 'unknown'
}

const refusals = ['NOAUTH', 'WRONGPASS', 'NOPERM', 'ERR']

/**
 * Whether waiting may help: Redis is loading, full, read-only or going down.
 * @throws ForkrouteError STORAGE_UNAVAILABLE when Redis refuses who asks; the error itself when it is not of Redis.
 */
export function assertTransient(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'ReplyError') throw error
  const reason = reasonOf(error)
  if (!refusals.includes(reason)) return
  throw storageUnavailable('Redis refuses the request', error, reason)
}
