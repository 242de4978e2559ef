/**
 * How commands reach the service: a running one with --url, else one started inside this process
 * for the length of the command. Both are asked over HTTP, so an answer is the same either way.
 */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import { ConfigError, loadConfig } from '../config.js'
import { blockTagForms, parseBlockTag } from '../domain/block-tag.js'
import { createLogger } from '../log.js'
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
  /** @param path - below /api/v1. @throws ApiFailure. */
  get<T>(path: string, query?: Query): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
  /** Bodies of server-sent events, until the service ends the stream or the signal is aborted. */
  events<T>(path: string, signal: AbortSignal): AsyncIterable<T>
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

/** The base of a service, also when it is given as `serve` prints it, with /api/v1. @throws ConfigError. */
function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : null
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new ConfigError(
      ['--url: must be an http(s) URL, such as http://127.0.0.1:3000.'],
      'command line',
    )
  }
  base.pathname = base.pathname.replace(/(\/api)?(\/v1)?\/*$/, '')
  return base
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** @throws ApiFailure for anything else. */
async function json(response: {
  readonly statusCode: number
  readonly body: { text(): Promise<string> }
}): Promise<unknown> {
  const text = await response.body.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiFailure({ message: `HTTP ${response.statusCode} without JSON.` })
  }
}

function createClient(url: string, key: string | undefined): ApiClient {
  const { origin, pathname } = baseOf(url)
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(['--key: must be printable ASCII without blanks.'], 'command line')
  }
  const base = `${origin}${pathname.replace(/\/$/, '')}`
  const unreachable = (error: NodeJS.ErrnoException): never => {
    const reason = error.code ?? error.message
    throw new ApiFailure({ message: `The service at ${origin} does not answer (${reason}).` })
  }

  /** An answer whose body is still to be read. @throws ApiFailure for any that is not 200. */
  async function open(path: string, query: Query, options: Asked = {}) {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const item of [value ?? []].flat()) search.append(name, String(item))
    }
    const { method = 'GET', body, signal } = options
    const response = await request(`${base}/api/v1${path}?${search}`, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      headersTimeout: 120_000,
    }).catch(unreachable)
    if (response.statusCode === 200) return response.body
    const failure = (await json(response)) as ApiFailure['body']
    const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN)
    const wait = Number.isFinite(retryAfter) ? retryAfter : null
    if (failure.code !== 'UNAUTHORIZED') throw new ApiFailure(failure, wait)
    throw new ApiFailure({
      ...failure,
      message: `${[failure.message].flat().join(' ')} ${keyHint}`,
    })
  }

  async function ask<T>(path: string, query: Query, options?: Asked): Promise<T> {
    const body = await open(path, query, options)
    return (await json({ statusCode: 200, body })) as T
  }

  return {
    get: (path, query = {}) => ask(path, query),
    post: (path, body) => ask(path, {}, { method: 'POST', body }),
    delete: (path) => ask(path, {}, { method: 'DELETE' }),
    async *events(path, signal) {
      const lines = createInterface({ input: await open(path, {}, { signal }) })
      try {
        for await (const line of lines) {
          if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length))
        }
      } finally {
        lines.close()
      }
    },
    async download(path, query, file) {
      const part = `${file}.part`
      try {
        await pipeline(await open(path, query), createWriteStream(part))
        await rename(part, file)
      } catch (error) {
        await rm(part, { force: true })
        throw error
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
  const { openLocalService } = await import('../local-service.js')
  const local = await withProgress('Starting the service', (onProgress) =>
    openLocalService(config, {
      ...{ logger, onProgress },
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
