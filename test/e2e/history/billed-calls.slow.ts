/** What a new block costs at a node that bills calls, and that the answers do not depend on how it was read. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LatencyNode, startLatencyNode } from '../../../bench/latency-node.js'
import { exampleQuote } from '../../../bench/section.js'
import { noAccount } from '../../../src/domain/engine.js'
import { bigintToString } from '../../../src/domain/primitives.js'
import { startEngine, type TestEngine } from '../../support/engine.js'
import { withSandbox } from '../../support/sandbox.js'

const requests = [
  exampleQuote,
  {
    ...exampleQuote,
    inputs: [{ token: exampleQuote.tokensOut[0] ?? '0x', amount: 20_000_000_000n }],
    tokensOut: exampleQuote.inputs.map(({ token }) => token),
  },
]

interface Served {
  readonly node: LatencyNode
  readonly engine: TestEngine
}

const context = withSandbox()
const open: Served[] = []

/** @param client - what the node calls itself: nothing is kept of the code at development nodes. */
async function serve(refused: readonly string[], client?: string): Promise<Served> {
  const pose = { refused, ...(client !== undefined && { client }) }
  const node = await startLatencyNode(context().sandbox.url, 0, pose)
  const served = { node, engine: await startEngine({ url: node.url, pollIntervalMs: 600_000 }) }
  open.push(served)
  return served
}

let bulk: Served
let asNode: Served
let single: Served
beforeAll(async () => {
  bulk = await serve([])
  asNode = await serve([], 'node/1')
  single = await serve(['overrides', 'eth_getProof'])
})
afterAll(async () => {
  for (const { engine, node } of open) {
    await engine.stop()
    await node.stop()
  }
})

async function ask({ engine, node }: Served, blockNumber: bigint, isBackground: boolean) {
  node.reset()
  const signal = AbortSignal.timeout(120_000)
  const batch = { chainId: 1, blockNumber, requests }
  const asked = { accountId: noAccount, signal, isBackground }
  const { block, quotes } = await engine.engine.quotes(batch, asked)
  expect(quotes.map(({ ok }) => ok)).toEqual([true, true])
  const values = quotes.map((quote) => quote.ok && quote.value)
  const calls = node.requests.flatMap(({ body }) => [JSON.parse(body)].flat()).length
  return { answer: JSON.stringify({ block, values }, bigintToString), calls }
}

test('two requests per block: at most 40 calls for each block after the second, and the answers of a node without overrides', async () => {
  const last = context().sandbox.blockNumber - 1n
  // Forwards, back to one that no reorg reaches, and one that was asked for before.
  const visits = [last - 4n, last - 3n, last - 2n, last, last - 90n, last - 91n, last - 4n]
  const seen = new Set<string>()
  for (const [index, at] of visits.entries()) {
    const isBackground = index % 2 === 0
    const [expected, ...others] = [
      await ask(single, at, isBackground),
      await ask(bulk, at, isBackground),
      await ask(asNode, at, isBackground),
    ]
    for (const { answer, calls } of others) {
      expect(answer).toBe(expected?.answer)
      expect(calls).toBeLessThanOrEqual(index < 2 ? 400 : 40)
    }
    if (!seen.has(`${at}`)) expect(expected?.calls).toBeGreaterThan(1_000)
    seen.add(`${at}`)
  }
})
