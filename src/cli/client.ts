/**
 * How commands reach the service: a running one with --url, else one started inside this process
 * for the length of the command. Both are asked over HTTP, so an answer is the same either way.
 */
import { request } from 'undici'
import { ConfigError, loadConfig } from '../config.js'
import { createLogger } from '../log.js'
import { withProgress } from './output.js'

export interface ConnectionOptions {
  readonly url?: string
  readonly key?: string
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface ApiClient {
  /** @param path - below /api/v1. @throws ApiFailure. */
  get<T>(path: string, query?: Query): Promise<T>
}

/** The service answered with an error; `body` is that error as it came. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  constructor(readonly body: { message?: string | string[]; code?: string }) {
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

function createClient(url: string, key: string | undefined): ApiClient {
  const { origin, pathname } = baseOf(url)
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(['--key: must be printable ASCII without blanks.'], 'command line')
  }
  const base = `${origin}${pathname.replace(/\/$/, '')}`
  return {
    async get<T>(path: string, query: Query = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) {
        for (const item of [value ?? []].flat()) search.append(name, String(item))
      }
      const response = await request(`${base}/api/v1${path}?${search}`, {
        headers: { ...(key && { authorization: `Bearer ${key}` }) },
        headersTimeout: 120_000,
      }).catch((error: NodeJS.ErrnoException) => {
        const reason = error.code ?? error.message
        throw new ApiFailure({ message: `The service at ${origin} does not answer (${reason}).` })
      })
      const text = await response.body.text()
      let body: unknown
      try {
        body = JSON.parse(text)
      } catch {
        throw new ApiFailure({ message: `HTTP ${response.statusCode} without JSON.` })
      }
      if (response.statusCode !== 200) throw new ApiFailure(body as ApiFailure['body'])
      return body as T
    },
  }
}

/** Runs one command against a service, and takes down what it started. */
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
  const { createApiServer } = await import('../api/server.js')
  const { createService } = await import('../service.js')
  const service = await withProgress('Starting the service', (onProgress) =>
    createService(config, { logger, onProgress }),
  )
  try {
    const api = createApiServer({ engine: service.engine, config, keys: null, logger })
    try {
      const { url } = await api.listen()
      await work(createClient(url, undefined))
    } finally {
      await api.close()
    }
  } finally {
    await service.close()
  }
}
