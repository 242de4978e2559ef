/**
 * The first route at a block that was never asked for, after one at its neighbour: how long it takes and
 * how often the node is asked, against the same work on a plain Anvil fork of the same node.
 * The node is the sandbox, or that of BENCH_NODE_URL (chain 1, its last two blocks readable).
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { MessageChannel } from 'node:worker_threads'
import { openCatalog } from '../src/catalog/store.js'
import { loadTokenLists } from '../src/catalog/token-lists.js'
import { loadConfig } from '../src/config.js'
import type { BlockPin } from '../src/domain/primitives.js'
import { createLogger } from '../src/log.js'
import { runTask } from '../src/routing/run-task.js'
import { WorkerContext } from '../src/routing/worker-context.js'
import { sandboxPools } from '../src/sandbox/catalog.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { createService } from '../src/service.js'
import { startAnvil } from '../test/support/anvil.js'
import { placeContracts } from '../test/support/execute.js'
import { startLatencyNode } from './latency-node.js'
import { exampleQuote, noAccount, type Section } from './section.js'

const latenciesMs = [0, 20, 50]
const chainId = 1

export async function coldBench(): Promise<Section> {
  const own = process.env.BENCH_NODE_URL
  const sandbox = own ? null : await startSandbox({})
  const nodeUrl = own ?? sandbox?.url ?? ''
  const rows: Section['rows'] = []
  try {
    for (const latencyMs of latenciesMs) {
      const node = await startLatencyNode(nodeUrl, latencyMs)
      const ours = await throughService(node)
      const plain = await throughPlainFork(node, ours.pin)
      await node.stop()
      rows.push({
        'latency ms': latencyMs,
        'ours ms': Math.round(ours.ms),
        'ours requests': ours.requests,
        'plain Anvil ms': Math.round(plain.ms),
        'plain requests': plain.requests,
        'times faster': Number((plain.ms / ours.ms).toFixed(1)),
      })
    }
  } finally {
    await sandbox?.stop()
  }
  return { name: `first route at a new block, ${own ? 'given node' : 'sandbox'}`, rows }
}

type Node = Awaited<ReturnType<typeof startLatencyNode>>

async function throughService(node: Node) {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(chainId, sandboxPools())
  catalog.close()
  const config = loadConfig({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    RPC_URL_1: node.url,
    HEAD_POLL_MS: '600000',
  })
  const service = await createService(config, { logger: createLogger('error') })
  const context = { accountId: noAccount, signal: AbortSignal.timeout(120_000) }
  const { block: head } = await service.engine.quote(exampleQuote, context)
  node.reset()
  const started = performance.now()
  const answer = await service.engine.quote(
    { ...exampleQuote, blockNumber: head.number - 1n },
    context,
  )
  const ms = performance.now() - started
  const requests = node.requests.length
  await service.close()
  return { ms, requests, pin: answer.block }
}

/**
 * The same thread code with one plain fork in place of pool and archive. Its own bulk reads go straight to the
 * node: through the fork, which works a batch off one by one, they alone would take most of the time.
 */
async function throughPlainFork(node: Node, pin: BlockPin) {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(chainId, sandboxPools())
  catalog.close()
  const worker = new WorkerContext({
    dataDir,
    candidates: 24,
    maxHops: 3,
    poolBlacklist: [],
    liquidityFloorUsd: 0,
    priorityFeePerGas: {},
    tokens: await loadTokenLists([]),
  })
  node.reset()
  const started = performance.now()
  const fork = await startAnvil([
    ...['--fork-url', node.url, '--fork-block-number', String(pin.number)],
    ...['--chain-id', String(chainId), '--no-mining', '--no-storage-caching', '--no-rate-limit'],
  ])
  await placeContracts(fork)
  const reply = await runTask<'route'>(worker, {
    kind: 'route',
    args: { mode: 'quote', request: exampleQuote, accountId: noAccount },
    place: { pin, archiveUrl: node.url, forkUrls: [fork.url] },
    cancel: new MessageChannel().port2,
  })
  const ms = performance.now() - started
  const requests = node.requests.length
  await fork.stop()
  if (!reply.ok) throw new Error(reply.error.message)
  return { ms, requests }
}
