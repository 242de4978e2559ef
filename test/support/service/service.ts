/** The whole service as users run it: real threads, forks, SQLite and HTTP, on a port and folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeyStore } from '../../../src/api/key-store.js'
import { createApiServer } from '../../../src/api/server.js'
import { loadConfig } from '../../../src/config/config.js'
import type { SandboxNode } from '../../../src/service/chosen-chains.js'
import { createService } from '../../../src/service/service.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { countsVariable } from '../family/counts.js'
import { startValidatingProxy } from '../family/validating-proxy.js'

export interface TestService {
  readonly url: string
  readonly key: string
  readonly accountId: string
  readonly dataDir: string
  /** The node behind the service: the sandbox's URL when no RPC URL was given. */
  readonly nodeUrl: string
  get(path: string, query?: Query, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  /** Sends the request as it is; with the key, unless its headers say otherwise. */
  send(path: string, request: SentRequest): Promise<Answer>
  stop(): Promise<void>
}

export interface SentRequest {
  /** Default: GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests
  readonly body: any
}

/**
 * With one thread unless the environment says otherwise: each of several would read the market and compile the code anew,
 * which takes most of the time of a service that is asked little.
 *
 * @param sandbox - nodes of one that runs already; absent: the service starts its own, where it is given no node.
 */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  sandbox?: readonly SandboxNode[],
): Promise<TestService> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'forkroute-test-')))
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'error',
    WORKERS: '1',
    ...env,
    DATA_DIR: dataDir,
  })
  const logger = createLogger(config.logLevel)
  const service = await createService(config, { logger, sandbox })
  const keys = openKeyStore(dataDir)
  const { key, record } = keys.createKey({ name: 'test', isAdmin: true })
  const server = createApiServer({
    ...service,
    config,
    keys: config.authMode === 'open' ? null : keys,
    logger,
  })
  const own = await server.listen()
  // Where answers are counted, every client of the service asks by the proxy.
  const proxy = process.env[countsVariable]
    ? await startValidatingProxy(own.url, config.apiDialect)
    : null
  const { url } = proxy ?? own
  const auth = { authorization: `Bearer ${key}` }
  return {
    url,
    key,
    accountId: record.accountId,
    dataDir,
    nodeUrl: service.sandboxUrls?.[1] ?? config.rpcUrls[1]?.[0] ?? '',
    get(path, query = {}, headers = {}) {
      const target = new URL(path, url)
      for (const [name, value] of Object.entries(query)) {
        for (const each of typeof value === 'string' ? [value] : (value ?? [])) {
          target.searchParams.append(name, each)
        }
      }
      return answer(fetch(target, { headers: { ...auth, ...headers } }))
    },
    post: (path, body) =>
      answer(
        fetch(new URL(path, url), {
          method: 'POST',
          headers: { ...auth, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    send: (path, { headers, ...request }) =>
      answer(fetch(new URL(path, url), { ...request, headers: { ...auth, ...headers } })),
    async stop() {
      await server.close()
      await proxy?.stop()
      await service.close()
      keys.close()
      if (!env.DATA_DIR) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function answer(pending: Promise<Response>): Promise<Answer> {
  const response = await pending
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}
