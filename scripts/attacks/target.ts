/** What is attacked: the service as users start it, in a process of its own with keys of several accounts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { openKeyStore } from '../../src/api/key-store.js'
import { nativeToken } from '../../src/domain/primitives.js'
import { runService } from '../soak/processes.js'

export interface Reply {
  readonly status: number
  /** Of an error: its code; of anything else null. */
  readonly code: string | null
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each attack knows what it asked for
  readonly body: any
}

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly key?: string
  /** JSON unless it is a text. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Target {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  /** Keys: of the attacker, of another account, of an admin; and of many accounts that only ask for quotes. */
  readonly keys: {
    readonly attacker: string
    readonly other: string
    readonly admin: string
    readonly quotes: readonly string[]
  }
  /** The path of a plain quote at a fixed block. */
  readonly quotePath: string
  /** As the attacker unless a key is named; empty: without a key. */
  ask(path: string, asking?: Asking): Promise<Reply>
  /** Stops it with SIGTERM, and starts it on the same folder. @returns seconds that it took to stop. */
  restart(): Promise<number>
  /** Seconds that it took to stop. */
  stop(): Promise<number>
}

const quoteKeys = 120

/** @param env - beside this, as a user sets it; the rate limit is too high to be met unless it is named. */
export async function openTarget(
  nodeUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-attacked-'))
  // The service itself decides who may read it.
  const dataDir = join(folder, 'data')
  const store = openKeyStore(dataDir)
  const make = (name: string, isAdmin = false) => store.createKey({ name, isAdmin }).key
  const keys = {
    attacker: make('attacker'),
    other: make('other'),
    admin: make('admin', true),
    quotes: Array.from({ length: quoteKeys }, (_, index) => make(`quotes ${index}`)),
  }
  store.close()
  const settings = { AUTH_MODE: 'key', DATA_DIR: dataDir, ...env }
  const clients = new Agent({ connections: 256, headersTimeout: 120_000, bodyTimeout: 120_000 })
  let running = await runService(nodeUrl, settings)

  async function ask(path: string, asking: Asking = {}): Promise<Reply> {
    const { method = 'GET', key = keys.attacker, body, headers } = asking
    const answer = await request(`${running.url}${path}`, {
      dispatcher: clients,
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    const parsed = isJson && text ? JSON.parse(text) : null
    return { status: answer.statusCode, code: parsed?.code ?? null, text, body: parsed }
  }

  async function stop(): Promise<number> {
    const begun = performance.now()
    await running.stop()
    return (performance.now() - begun) / 1_000
  }

  const networks = await ask('/api/v1/networks?chainId=1')
  const query = new URLSearchParams({
    tokenIn: nativeToken,
    tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    amountIn: `${10n ** 18n}`,
    blockNumber: String(networks.body[0].blockNumber),
  })
  const quotePath = `/api/v1/shortcuts/quote?${query}`
  return {
    get url() {
      return running.url
    },
    get pid() {
      return running.pid
    },
    dataDir,
    keys,
    quotePath,
    ask,
    async restart() {
      const seconds = await stop()
      running = await runService(nodeUrl, settings)
      return seconds
    },
    async stop() {
      const seconds = await stop()
      await clients.destroy()
      rmSync(folder, { recursive: true, force: true })
      return seconds
    },
  }
}
