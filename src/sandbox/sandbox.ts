/**
 * The sandbox: an Ethereum mainnet in small on this machine, with real protocol contracts, over 300 blocks of
 * scripted history, and traps. It stands at the same block at every start and advances only by what is sent to it.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { hexToNumber } from 'viem'
import { ethereum } from '../chains/ethereum.js'
import type { Hex } from '../domain/primitives.js'
import { createRpcClient } from '../rpc/json-rpc.js'
import { startAnvil } from './anvil-process.js'
import { createHistory, type HistoryData } from './history.js'
import { serveHistory } from './history-server.js'
import { ensureSandboxState, type SandboxStateOptions } from './state.js'

export interface Sandbox {
  /** JSON-RPC over HTTP, loopback only. */
  readonly url: string
  readonly port: number
  /** Of its Anvil. */
  readonly pid: number
  /** Of the head at the start. */
  readonly blockNumber: bigint
  stop(): Promise<void>
}

/**
 * Builds the chain first if the cache does not hold it.
 *
 * @param options.port - 0 or absent: any free one.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when its contracts cannot be downloaded, FORK_UNAVAILABLE when
 * Anvil does not start, INVALID_REQUEST when the port cannot be had.
 */
export async function startSandbox(
  options: SandboxStateOptions & { readonly port?: number } = {},
): Promise<Sandbox> {
  const state = await ensureSandboxState(options)
  const [anvil, history] = await Promise.all([
    startAnvil({ loadState: state.statePath }),
    loadHistory(state.historyPath),
  ])
  const client = createRpcClient(anvil.url)
  const stopAnvil = async () => {
    await client.close()
    await anvil.stop()
  }
  try {
    // Blocks of users follow the last one as all others do; without this they would take the wall clock's time.
    const { timestamp } = await client.request<{ timestamp: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    await client.request('evm_setTime', [hexToNumber(timestamp)])
    await client.request('anvil_setBlockTimestampInterval', [ethereum.blockTimeSeconds])
    const server = await serveHistory({
      port: options.port ?? 0,
      anvil: { url: anvil.url, client },
      history,
    })
    return {
      url: `http://127.0.0.1:${server.port}`,
      port: server.port,
      pid: anvil.pid,
      blockNumber: state.blockNumber,
      async stop() {
        await server.close()
        await stopAnvil()
      },
    }
  } catch (error) {
    await stopAnvil()
    throw error
  }
}

async function loadHistory(path: string) {
  const json = await promisify(gunzip)(await readFile(path))
  return createHistory(JSON.parse(json.toString()) as HistoryData)
}
