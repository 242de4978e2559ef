/**
 * How commands reach the service: a running one with --url, else one started inside this process
 * for the length of the command. Both are asked over HTTP, so an answer is the same either way.
 */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  type BacktestProgress,
  createForkrouteClient,
  type ForkrouteClient,
} from '../client/client.js'
import { ConnectionError, ForkrouteApiError, UnexpectedAnswerError } from '../client/errors.js'
import { ConfigError, loadConfig } from '../config/config.js'
import { blockTagForms, parseBlockTag } from '../domain/block-tag.js'
import { createLogger } from '../telemetry/log.js'
import { withProgress } from './output.js'

export interface ConnectionOptions {
  /** The chain that the command is about. */
  readonly chain?: string
  /** Another that it is about. */
  readonly toChain?: string
  /** Whether a sandbox that is started for the command has all its chains, in place of those two. */
  readonly allChains?: boolean
  readonly url?: string
  readonly key?: string
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface ApiClient {
  /** The same service with types, and amounts as bigint. */
  readonly forkroute: ForkrouteClient
  /** @param path - below /api/v1. @throws ApiFailure. */
  get<T>(path: string, query?: Query): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
  /** Progress of a backtest until it is over. @throws ApiFailure. */
  follow(id: string, signal: AbortSignal): AsyncIterable<BacktestProgress>
  /** Writes an answer into a file, which gets its name only when it is complete. */
  download(path: string, query: Query, file: string): Promise<void>
}

/**
 * The number of the block that the user names; undefined: the newest.
 * @throws ForkrouteError INVALID_REQUEST when the text names no block.
 */
export async function resolveBlock(
  client: ApiClient,
  chainId: string,
  text: string | undefined,
): Promise<string | undefined> {
  const tag = text === undefined ? null : parseBlockTag(text)
  if (!tag || (tag.kind === 'latest' && tag.back === 0n)) return undefined
  if (tag.kind === 'number') return tag.number.toString()
  const block = await client.get<{ number: number }>(`/networks/${chainId}/blocks`, { at: text })
  return String(block.number)
}

/** A service that is started anew is there again by then. */
const giveUpAfterMs = 60_000

/** Behind every refusal for want of a key. */
const keyHint =
  'Give the key of an account of that service with --key, or in the variable FORKROUTE_KEY.'

/**
 * For commands on files of the data folder, which no service gives out.
 * @param what - what they work on, as the beginning of a sentence.
 * @throws ConfigError where a service is named.
 */
export function refuseUrl({ url }: ConnectionOptions, what: string): void {
  if (url === undefined) return
  throw new ConfigError(
    [`--url: ${what} in the folder DATA_DIR; run this where the service runs, without --url.`],
    'command line',
  )
}

/** Help text of the option --block. */
export const blockHelp = `at the end of this block: ${blockTagForms}`

/** The service answered with an error; `body` is that error as it came. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  constructor(
    readonly body: { message?: string | string[]; code?: string },
    /** When the service may answer; null where asking again is no use. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    const { message = 'The service gave no usable answer.', code } = body
    super(`${[message].flat().join('\n')}${code ? ` (${code})` : ''}`)
  }
}

/** @throws ConfigError where the url or the key cannot be used. */
function connect(url: string, key: string | undefined): ForkrouteClient {
  try {
    return createForkrouteClient({ url, key })
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError([`--${error.message}`], 'command line')
    throw error
  }
}

function toFailure(error: unknown): unknown {
  if (error instanceof ForkrouteApiError) {
    const { body, code, messages, retryAfterSeconds } = error
    if (code !== 'UNAUTHORIZED') return new ApiFailure(body, retryAfterSeconds)
    return new ApiFailure({ ...body, message: `${messages.join(' ')} ${keyHint}` })
  }
  const isSilent = error instanceof ConnectionError || error instanceof UnexpectedAnswerError
  return isSilent ? new ApiFailure({ message: error.message }) : error
}

/** Amounts stay the strings that they are, since commands print them. */
function createClient(url: string, key: string | undefined): ApiClient {
  const forkroute = connect(url, key)
  const request = forkroute.raw.request as (
    ...args: readonly unknown[]
  ) => Promise<{ readonly data: unknown }>

  async function ask<T>(
    method: 'get' | 'post' | 'delete',
    path: string,
    options: { readonly query?: Query; readonly body?: unknown; readonly parseAs?: 'stream' } = {},
  ): Promise<T> {
    const { query, ...more } = options
    try {
      return (await request(method, `/api/v1${path}`, { params: { query }, ...more })).data as T
    } catch (error) {
      throw error instanceof SyntaxError
        ? new ApiFailure({ message: 'HTTP 200 without JSON.' })
        : toFailure(error)
    }
  }

  return {
    forkroute,
    get: (path, query) => ask('get', path, query && { query }),
    post: (path, body) => ask('post', path, { body }),
    delete: (path) => ask('delete', path),
    async *follow(id, signal) {
      try {
        for await (const event of forkroute.followBacktest({ id }, { signal, giveUpAfterMs })) {
          if (event.event === 'error') throw event.error
          yield event.data
        }
      } catch (error) {
        throw toFailure(error)
      }
    },
    async download(path, query, file) {
      const part = `${file}.part`
      try {
        const body = await ask<ReadableStream>('get', path, { query, parseAs: 'stream' })
        await pipeline(Readable.fromWeb(body), createWriteStream(part))
        await rename(part, file)
      } catch (error) {
        await rm(part, { force: true })
        // What `fetch` rejects with where the service cuts a file that it cannot finish.
        if (!(error instanceof TypeError)) throw error
        const name = basename(file)
        throw new ApiFailure({
          message: `The connection ended before ${name} was whole, so it is not kept; ask for it again.`,
        })
      }
    },
  }
}

/** Runs one command against a service, and stops the service if it was started for the command. */
export async function withApi(
  options: ConnectionOptions,
  work: (client: ApiClient) => Promise<void>,
): Promise<void> {
  if (options.url) {
    await work(createClient(options.url, options.key ?? process.env.FORKROUTE_KEY))
    return
  }
  const config = loadConfig({
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    AUTH_MODE: 'open',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  })
  const logger = createLogger(config.logLevel)
  // Loaded when needed: a command for a running service starts faster without it.
  const { openLocalService } = await import('../service/local-service.js')
  const local = await withProgress('Starting the service', (onProgress) =>
    openLocalService(config, {
      logger,
      onProgress,
      ...(options.chain && {
        sandboxChains: [...new Set([options.chain, options.toChain ?? options.chain])].map(Number),
      }),
      ...(options.allChains && { sandboxChains: 'all' as const }),
    }),
  )
  try {
    await work(createClient(local.url, undefined))
  } finally {
    await local.close()
  }
}
