/**
 * The first route at a block that was never asked for, after one at its neighbour: how long it takes and
 * how often the node is asked, against the same work on a plain Anvil fork of the same node.
 * The node is the sandbox, or that of BENCH_NODE_URL (chain 1, its last two blocks readable).
 */
import { performance } from 'node:perf_hooks'
import { loadConfig } from '../src/config.js'
import type { BlockPin } from '../src/domain/primitives.js'
import { createLogger } from '../src/log.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { createService } from '../src/service.js'
import { startLatencyNode } from './latency-node.js'
import { createPlainThread, makeDataDir } from './plain-fork.js'
import { exampleQuote, noAccount, type Section } from './section.js'

const latenciesMs = [0, 20, 50]

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
  const config = loadConfig({
    DATA_DIR: makeDataDir(),
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
  const { requests } = node
  await service.close()
  return { ms, requests, pin: answer.block }
}

async function throughPlainFork(node: Node, pin: BlockPin) {
  const thread = await createPlainThread()
  node.reset()
  const started = performance.now()
  const fork = await thread.fork(node.url, pin)
  await fork.quote(exampleQuote)
  const ms = performance.now() - started
  const { requests } = node
  await fork.stop()
  return { ms, requests }
}
