/** An Anvil with the built chain in it: takes requests, and the states of older blocks before they are read. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Pool } from 'undici'
import { hexToNumber } from 'viem'
import { defined } from '../../domain/defined.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import { createRpcClient } from '../../rpc/node/json-rpc.js'
import { startAnvil } from './anvil-process.js'
import type { History } from './history.js'

export interface RunningChain {
  /** Process id of its Anvil. */
  readonly pid: number
  /** Serves JSON-RPC over HTTP and WebSocket. */
  readonly url: string
  hasEnded(): boolean
  /** Gives Anvil the state of an older block, once. */
  load(blockNumber: number): Promise<void>
  /** @param body - of a POST request; null: a GET request. */
  forward(body: string | null): Promise<{ readonly status: number; readonly body: string }>
  stop(): Promise<void>
}

const connections = 64
const headers = { 'content-type': 'application/json' }

/** The built chain. */
export interface SavedChain {
  readonly chainId: number
  /** Time between two blocks. */
  readonly blockSeconds: number
  /** Dump of the head, for `anvil --load-state`. */
  readonly statePath: string
}

/** @throws ForkrouteError FORK_UNAVAILABLE when Anvil does not start, or not with the chain. */
export async function startChain(
  { chainId, blockSeconds, statePath }: SavedChain,
  history: History,
): Promise<RunningChain> {
  const anvil = await startAnvil({ chainId, loadState: statePath })
  const client = createRpcClient(anvil.url)
  const pool = new Pool(anvil.url, { connections, pipelining: 1 })
  const loaded = new Map<number, Promise<void>>()

  async function loadState(number: number): Promise<void> {
    const blob = await promisify(gzip)(JSON.stringify(history.loadableState(number)), { level: 1 })
    await client.request('anvil_loadState', [`0x${blob.toString('hex')}`])
  }

  async function stop(): Promise<void> {
    await pool.destroy()
    await client.close()
    await anvil.stop()
  }

  try {
    const head = await client.request<{ hash: Hex; timestamp: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    if (history.numberOf(head.hash) !== history.lastBlock) {
      throw new ForkrouteError('FORK_UNAVAILABLE', 'The saved sandbox chain is gone.')
    }
    // Blocks of users follow the last one as all others do; without this they would take the wall clock's time.
    await client.request('evm_setTime', [hexToNumber(head.timestamp)])
    await client.request('anvil_setBlockTimestampInterval', [blockSeconds])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    pid: anvil.pid,
    url: anvil.url,
    hasEnded: anvil.hasEnded,
    load(number) {
      const cached = loaded.get(number)
      if (cached) return cached
      const loading = loadState(number)
      loaded.set(number, loading)
      // The next request for the block tries again.
      loading.catch(() => loaded.delete(number))
      return loading
    },
    async forward(body) {
      const method = body === null ? 'GET' : 'POST'
      const answer = await pool.request({
        method,
        path: '/',
        headers,
        ...defined({ body: body ?? undefined }),
      })
      return { status: answer.statusCode, body: await answer.body.text() }
    },
    stop,
  }
}
