/** Walking through blocks up, down and jumping: at each the answers of a service that was never anywhere else. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLatencyNode } from '../../../bench/latency-node.js'
import { exampleQuote } from '../../../bench/section.js'
import { noAccount } from '../../../src/domain/engine.js'
import { bigintToString } from '../../../src/domain/primitives.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startEngine, type TestEngine } from '../../support/engine.js'

const ether = 10n ** 18n
const requests = [
  exampleQuote,
  {
    ...exampleQuote,
    inputs: [{ token: '0x514910771af9ca656af840dff83e8264ecf986ca', amount: 5_000n * ether }],
    tokensOut: ['0x6b175474e89094c44da98b954eedeac495271d0f'],
  },
] as const satisfies (typeof exampleQuote)[]

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox({})
})
afterAll(() => sandbox?.stop())

async function answersAt(
  { engine }: TestEngine,
  blockNumber: bigint,
  isBackground: boolean,
): Promise<string> {
  const context = { accountId: noAccount, signal: AbortSignal.timeout(60_000), isBackground }
  const answers = await engine.quotes({ chainId: 1, blockNumber, requests }, context)
  expect(answers.quotes.map(({ ok }) => ok)).toEqual([true, true])
  const quotes = answers.quotes.map((quote) => quote.ok && quote.value)
  return JSON.stringify({ block: answers.block, quotes }, bigintToString)
}

test.each([
  ['state that was not read again', ['overrides']],
  ['state that was read in bulk', []],
])('the same bytes, from processes that served other blocks and %s', async (_what, refused) => {
  const node = await startLatencyNode(sandbox.url, 0, { refused })
  const walker = await startEngine({ url: node.url })
  try {
    const [network] = walker.engine.networks()
    const last = BigInt(network?.blockNumber ?? 0) - 2n
    const blocks = [last, last - 60n]
    const expected = new Map<bigint, string>()
    for (const block of blocks) {
      const fresh = await startEngine({ url: sandbox.url })
      expected.set(block, await answersAt(fresh, block, false))
      await fresh.stop()
    }
    expect(new Set(expected.values()).size).toBe(blocks.length)
    // More blocks than forks are kept for, so that processes change theirs.
    const visits = [last - 60n, last - 2n, last - 1n, last, last - 60n, last]
    const pids = new Set<number>()
    for (const block of visits) {
      const answers = await answersAt(walker, block, true)
      expect(answers).toBe(expected.get(block) ?? answers)
      for (const pid of walker.forks.stats().pids) pids.add(pid)
    }
    expect(pids.size).toBeLessThan(visits.length)
    const { provenHits } = await walker.archive.stats()
    if (refused.length > 0) expect(provenHits).toBeGreaterThan(500)
    else expect(provenHits).toBe(0)
    expect(walker.problems).toEqual([])
  } finally {
    await walker.stop()
    await node.stop()
  }
})
