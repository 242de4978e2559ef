/**
 * A complete service inside this process, for as long as a command or test needs it: on a chain, or on a cassette
 * that it records or replays. It answers over HTTP on a loopback port, so its answers equal those of any other service.
 */

import { request } from 'undici'
import { createApiServer } from '../api/server.js'
import type { Config } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { type LocalRequest, recordingHeader } from '../domain/recording.js'
import type { ArchiveMode } from '../rpc/archive/archive-messages.js'
import type { Logger } from '../telemetry/log.js'
import type { SandboxNode } from './chosen-chains.js'
import { createService, type Service } from './service.js'

export interface LocalAnswer {
  readonly status: number
  /** The exact body. */
  readonly text: string
  /** While recording: the request's number in the cassette; null: not recorded. */
  readonly recording: number | null
}

export interface LocalService {
  readonly service: Service
  /** Scheme, host and port, without a path. */
  readonly url: string
  ask(
    asked: LocalRequest,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<LocalAnswer>
  close(): Promise<void>
}

/**
 * @param config - in a replay, settings that change answers come from the cassette instead.
 * @throws ForkrouteError, ConfigError.
 */
export async function openLocalService(
  config: Config,
  options: {
    readonly logger: Logger
    readonly mode?: ArchiveMode
    readonly sandboxChains?: readonly number[] | 'all'
    /** Nodes of a sandbox that runs already; null or absent: it starts its own where none are configured. */
    readonly sandbox?: readonly SandboxNode[] | null
    onProgress?(message: string, fraction: number): void
  },
): Promise<LocalService> {
  const { logger } = options
  const service = await createService(config, {
    ...options,
    takesUpBacktests: false,
    followsPools: false,
  })
  // There is nobody else to keep out, and the load of the machine must not change an answer.
  const own = { host: '127.0.0.1', port: 0, authMode: 'open' } as const
  const limits = { rateLimitPerMinute: 1e9, maxInFlight: 10_000, requestTimeoutMs: 600_000 }
  const api = createApiServer({
    ...service,
    config: { ...service.config, ...own, ...limits },
    keys: null,
    logger,
  })
  const close = async () => {
    await api.close()
    await service.close()
  }
  try {
    const { url } = await api.listen()
    return {
      service,
      url,
      ask: (asked, headers, signal) => ask(url, asked, headers, signal),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function ask(
  url: string,
  { path, query = {}, body, method = body === undefined ? 'GET' : 'POST' }: LocalRequest,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<LocalAnswer> {
  const target = new URL(`/api/v1${path}`, url)
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) target.searchParams.append(name, String(each))
  }
  const response = await request(target, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...defined({ signal }),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const recording = response.headers[recordingHeader]
  return {
    status: response.statusCode,
    text: await response.body.text(),
    recording: recording === undefined ? null : Number(recording),
  }
}
