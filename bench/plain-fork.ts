/** The service's own thread code with a plain Anvil fork in place of fork pool and archive. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { openCatalog } from '../src/catalog/store.js'
import { loadTokenLists } from '../src/catalog/token-lists.js'
import { noAccount, type RouteAnswer, type RouteRequest } from '../src/domain/engine.js'
import type { BlockPin } from '../src/domain/primitives.js'
import { WorkerContext } from '../src/routing/block/worker-context.js'
import { runTask } from '../src/routing/dispatch.js'
import { sandboxPools } from '../src/sandbox/market/catalog.js'
import { startAnvil } from '../test/support/anvil.js'
import { placeContracts } from '../test/support/execute.js'

export interface PlainFork {
  /** @throws Error with the message of the service's error. */
  quote(request: RouteRequest): Promise<RouteAnswer>
  stop(): Promise<void>
}

export interface PlainThread {
  fork(nodeUrl: string, pin: BlockPin): Promise<PlainFork>
}

/** A folder for a service of chain 1 that knows the sandbox's pools that no look-up finds. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(1, sandboxPools())
  catalog.close()
  return dataDir
}

/**
 * Its own bulk reads go straight to the node: through the fork, which works a batch off one by one, they alone
 * would take most of the time.
 */
export async function createPlainThread(): Promise<PlainThread> {
  const worker = new WorkerContext({
    dataDir: makeDataDir(),
    candidates: 24,
    maxHops: 3,
    poolBlacklist: [],
    liquidityFloorUsd: 0,
    priorityFeePerGas: {},
    tokens: await loadTokenLists([]),
  })
  return {
    async fork(nodeUrl, pin) {
      const fork = await startAnvil([
        ...['--fork-url', nodeUrl, '--fork-block-number', String(pin.number)],
        ...['--chain-id', String(pin.chainId)],
        ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
      ])
      await placeContracts(fork)
      return {
        async quote(request) {
          const reply = await runTask<'route'>(worker, {
            kind: 'route',
            args: { mode: 'quote', request, accountId: noAccount },
            place: { pin, archiveUrl: nodeUrl, forkUrls: [fork.url] },
            cancel: new MessageChannel().port2,
          })
          if (!reply.ok) throw new Error(reply.error.message)
          return reply.value
        },
        stop: fork.stop,
      }
    },
  }
}
