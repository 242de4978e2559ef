/**
 * The first answer at a block that was never asked for, against the same work on a plain Anvil fork of the same node. On
 * the sandbox also what each block of a walk costs at the node.
 * The node is the sandbox, or that of BENCH_NODE_URL (chain 1, its last two blocks readable).
 */
import { performance } from 'node:perf_hooks'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { readPin } from '../test/support/pin.js'
import { callsPerBlock } from './calls.js'
import { here } from './compare/checkout.js'
import {
  type FirstCost,
  firstAnswer,
  firsts,
  givenChain,
  sandboxChain,
  toRow,
} from './first-answer.js'
import { type LatencyNode, sequentialRounds, startLatencyNode } from './latency-node.js'
import { createPlainThread } from './plain-fork.js'
import { exampleQuote, type Section } from './section.js'

const latenciesMs = [0, 20, 50]
/** New services, each asked once. */
const answers = 3

export async function coldBench(): Promise<Section[]> {
  const own = process.env.BENCH_NODE_URL
  const sandbox = own ? null : await startSandbox({})
  const nodeUrl = own ?? sandbox?.url ?? ''
  const chain = own ? givenChain : sandboxChain(nodeUrl)
  const rows: Section['rows'] = []
  const sections: Section[] = []
  try {
    // A given node need not have so many blocks.
    if (sandbox) sections.push(await callsPerBlock(sandbox.url, sandbox.blockNumber - 1n))
    for (const latencyMs of latenciesMs) {
      const node = await startLatencyNode(nodeUrl, latencyMs)
      for (const what of firsts) {
        const costs: FirstCost[] = []
        for (let count = 0; count < answers; count++) {
          costs.push(await firstAnswer(here, node, chain, what))
        }
        rows.push({ 'latency ms': latencyMs, what, ...toRow(costs) })
      }
      const { ms, requests, rounds } = await throughPlainFork(node)
      rows.push({
        'latency ms': latencyMs,
        what: 'plain Anvil, known pools',
        ms: Math.round(ms),
        requests,
        'round trips': rounds,
      })
      await node.stop()
    }
  } finally {
    await sandbox?.stop()
  }
  const name = `first answer at a new block, ${own ? 'given node' : 'sandbox'}`
  const about =
    `The middle of ${answers} new services, each in a process of its own and asked by HTTP; ` +
    (own
      ? 'the block is the one before the newest.'
      : 'the block is mined after the service last looked for a head, and named by its number.')
  return [{ name, about, rows }, ...sections]
}

async function throughPlainFork(
  node: LatencyNode,
): Promise<Pick<FirstCost, 'ms' | 'requests' | 'rounds'>> {
  const thread = await createPlainThread()
  const pin = await readPin(node.url)
  node.reset()
  const started = performance.now()
  const fork = await thread.fork(node.url, pin)
  await fork.quote(exampleQuote)
  const ms = performance.now() - started
  await fork.stop()
  return { ms, requests: node.requests.length, rounds: sequentialRounds(node.requests) }
}
