/**
 * The link to Redis that coordinators and workers share, and the names under which things are found there.
 * While Redis is unreachable, commands wait; nothing fails or gets lost.
 */
import { Redis } from 'ioredis'
import { storageUnavailable } from '../../domain/common-errors.js'
import type { Logger } from '../../telemetry/log.js'

/** The work of a killed worker is resumed by others after this long, or at most twice this. */
export const lockMs = 10_000
/** Workers skip a job whose coordinator has been silent for this long, until it comes back. */
export const coordinatorMs = 60_000
/** Results that no coordinator takes are dropped after this time; their blocks are calculated again. */
export const resultsSeconds = 3_600
/** Blocks of a job that were calculated and not yet taken; workers wait while there are more. */
export const maxWaitingResults = 64
const connectTimeoutMs = 5_000
const slowestRetryMs = 2_000
/** A connection this long without an answer is dead, even if nobody closed it: no command takes so long. */
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
  /** Prefix of BullMQ's own keys. */
  readonly prefix: string
  /** Kinds of coordinators, by the time when they were last seen. */
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

/** Connects in the background; a problem is logged once until it is over. */
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
