/**
 * The first answer at a block that was never asked for: how long it takes, how often the node is asked and how many
 * of these requests wait for each other, against the same work on a plain Anvil fork of the same node. On the sandbox
 * also what each block of a walk costs at the node.
 * The node is the sandbox, or that of BENCH_NODE_URL (chain 1, its last two blocks readable).
 */
import { rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { loadConfig } from '../src/config.js'
import { noAccount, type RouteRequest } from '../src/domain/engine.js'
import type { BlockPin } from '../src/domain/primitives.js'
import { createLogger } from '../src/log.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { createService, type Service } from '../src/service.js'
import { callsPerBlock } from './calls.js'
import { type LatencyNode, sequentialRounds, startLatencyNode } from './latency-node.js'
import { createPlainThread, makeDataDir } from './plain-fork.js'
import { exampleQuote, type Section } from './section.js'

const latenciesMs = [0, 20, 50]
/** Of each request at the head, before the new block: code that has run before is compiled. */
const quotesBefore = 20n
const idleMs = 3_000

/** With a token that was not met before: 1 WETH into LINK on a given node, 10 UNI into LINK on the sandbox. */
const otherQuotes: Readonly<Record<'given' | 'sandbox', RouteRequest>> = {
  given: { ...exampleQuote, tokensOut: ['0x514910771af9ca656af840dff83e8264ecf986ca'] },
  sandbox: {
    ...exampleQuote,
    inputs: [{ token: '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984', amount: 10n ** 19n }],
    tokensOut: ['0x514910771af9ca656af840dff83e8264ecf986ca'],
  },
}

export async function coldBench(): Promise<Section[]> {
  const own = process.env.BENCH_NODE_URL
  const sandbox = own ? null : await startSandbox({})
  const nodeUrl = own ?? sandbox?.url ?? ''
  const other = otherQuotes[own ? 'given' : 'sandbox']
  const rows: Section['rows'] = []
  const sections: Section[] = []
  try {
    // A given node need not have so many blocks.
    if (sandbox) sections.push(await callsPerBlock(sandbox.url, sandbox.blockNumber - 1n))
    for (const latencyMs of latenciesMs) {
      const node = await startLatencyNode(nodeUrl, latencyMs)
      const add = (what: string, { ms, requests, rounds }: Cost) =>
        rows.push({
          'latency ms': latencyMs,
          what,
          ms: Math.round(ms),
          requests,
          'round trips': rounds,
        })
      const known = await throughService(node, [exampleQuote], exampleQuote)
      add('known pools', known)
      add('another pair', await throughService(node, [exampleQuote], other))
      add('first of all', await throughService(node, [], other))
      add('plain Anvil, known pools', await throughPlainFork(node, known.pin))
      await node.stop()
    }
  } finally {
    await sandbox?.stop()
  }
  const name = `first answer at a new block, ${own ? 'given node' : 'sandbox'}`
  return [{ name, rows }, ...sections]
}

interface Cost {
  readonly ms: number
  readonly requests: number
  /** Of the requests, so many one after the other. */
  readonly rounds: number
}

async function measured<T>(
  node: LatencyNode,
  work: () => Promise<T>,
): Promise<Cost & { readonly value: T }> {
  node.reset()
  const started = performance.now()
  const value = await work()
  const ms = performance.now() - started
  return { value, ms, requests: node.requests.length, rounds: sequentialRounds(node.requests) }
}

/** @param before - asked at the head, each many times; then `asked` at the block before it. */
async function throughService(
  node: LatencyNode,
  before: readonly RouteRequest[],
  asked: RouteRequest,
): Promise<Cost & { readonly pin: BlockPin }> {
  const dataDir = makeDataDir()
  const config = loadConfig({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    RPC_URL_1: node.url,
    HEAD_POLL_MS: '600000',
  })
  const service: Service = await createService(config, { logger: createLogger('error') })
  const context = { accountId: noAccount, signal: AbortSignal.timeout(120_000) }
  try {
    for (const request of before) {
      for (let quote = 0n; quote < quotesBefore; quote++) {
        const inputs = request.inputs.map(({ token, amount }) => ({
          token,
          amount: amount + quote,
        }))
        await service.engine.quote({ ...request, inputs }, context)
      }
    }
    // Blocks come seconds apart: what is prepared for the next one is ready by then.
    await setTimeout(idleMs)
    const [network] = service.engine.networks()
    const blockNumber = BigInt(network?.blockNumber ?? 0) - 1n
    const { value, ...cost } = await measured(node, () =>
      service.engine.quote({ ...asked, blockNumber }, context),
    )
    return { ...cost, pin: value.block }
  } finally {
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function throughPlainFork(node: LatencyNode, pin: BlockPin): Promise<Cost> {
  const thread = await createPlainThread()
  const { value: fork, ...cost } = await measured(node, async () => {
    const started = await thread.fork(node.url, pin)
    await started.quote(exampleQuote)
    return started
  })
  await fork.stop()
  return cost
}
