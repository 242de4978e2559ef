/** The calculation core over its life: replayed recordings, many blocks at once, callers that leave, threads that die. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { QuoteRequest } from '../../../src/domain/engine.js'
import { type Address, bigintToString } from '../../../src/domain/primitives.js'
import { startEngine, type TestEngine } from '../../support/engine.js'
import { withSandbox } from '../../support/sandbox.js'

/** On a busy machine; how fast it is, is not asserted. */
const patience = { timeout: 30_000 }

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const uni: Address = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'

const context = withSandbox()
const folder = mkdtempSync(join(tmpdir(), 'forkroute-engine-life-'))
const cassette = join(folder, 'engine.cassette')
afterAll(() => rm(folder, { recursive: true }))

function request(tokenIn: Address, tokenOut: Address, blockNumber?: bigint): QuoteRequest {
  return {
    chainId: 1,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: tokenIn, amount: 10n ** 18n }],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: 5_000n },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: true,
    includePriceImpact: true,
    ...(blockNumber !== undefined && { blockNumber }),
  }
}

function ask(
  { engine }: TestEngine,
  wanted: QuoteRequest,
  signal = new AbortController().signal,
): Promise<string> {
  return engine
    .quote(wanted, { accountId: `0x${'0'.repeat(64)}`, signal })
    .then((answer) => JSON.stringify(answer, bigintToString))
}

describe('record and replay', () => {
  test('a recorded route is replayed to the same bytes without any node', async () => {
    const live = await startEngine({
      url: context().sandbox.url,
      mode: { kind: 'record', file: cassette },
    })
    const recorded: string[] = []
    for (const wanted of [request(weth, usdc), request(uni, dai)]) {
      recorded.push(await ask(live, wanted))
    }
    await live.stop()
    const replay = await startEngine({ url: '', mode: { kind: 'replay', file: cassette } })
    try {
      // The other way round, and at once: nothing depends on the order.
      const replayed = await Promise.all(
        [request(uni, dai), request(weth, usdc)].map((wanted) => ask(replay, wanted)),
      )
      expect(replayed.reverse()).toEqual(recorded)
      expect((await replay.archive.stats()).upstreamHttpRequests).toBe(0)
    } finally {
      await replay.stop()
    }
  })
})

describe('many at once', () => {
  test('more blocks than are kept, callers that leave: right answers, and every lease comes back', async () => {
    const one = await startEngine({ url: context().sandbox.url })
    try {
      const head = one.archive.head(1)?.number ?? 0n
      const blocks = [1n, 9n, 17n, 25n, 33n].map((back) => head - back)
      const leave = new AbortController()
      const leaving = blocks.map((block) => ask(one, request(dai, weth, block), leave.signal))
      const staying = blocks.map((block) => ask(one, request(weth, usdc, block)))
      leave.abort(new Error('left'))
      for (const result of await Promise.allSettled(leaving)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { message: 'left' } })
      }
      const answers = await Promise.all(staying)
      expect(new Set(answers).size).toBe(blocks.length)
      for (const [index, block] of blocks.entries()) {
        expect(await ask(one, request(weth, usdc, block))).toBe(answers[index])
      }
      await expect.poll(() => one.forks.stats().leases, patience).toBe(0)
      await expect.poll(() => one.forks.stats().blocks, patience).toBeLessThanOrEqual(3)
      expect(one.problems).toEqual([])
    } finally {
      await one.stop()
    }
  })

  test('closing while calculations run ends them all with an error, and leaves no fork', async () => {
    const one = await startEngine({ url: context().sandbox.url, threads: 2 })
    const running = [weth, dai, uni].map((token) => ask(one, request(token, usdc, 100n)))
    const settled = Promise.allSettled(running)
    await expect.poll(() => one.forks.stats().leases, patience).toBeGreaterThan(0)
    const { pids } = one.forks.stats()
    await one.stop()
    await settled
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
  })
})

describe('a chain that goes on', () => {
  test('answers follow the new head, and a replaced block is never mixed with its successor', async () => {
    const { client } = context()
    const one = await startEngine({ url: context().sandbox.url })
    try {
      const undo = await client.request('evm_snapshot', [])
      const before = await ask(one, request(weth, usdc))
      await client.request('anvil_mine', ['0x1'])
      const [first] = JSON.parse(`[${before}]`)
      await expect
        .poll(async () => JSON.parse(await ask(one, request(weth, usdc))).block.number, patience)
        .toBe(String(BigInt(first.block.number) + 1n))
      const old = one.archive.head(1)
      await client.request('evm_revert', [undo])
      await client.request('evm_increaseTime', [500])
      await client.request('anvil_mine', ['0x1'])
      await expect.poll(() => one.archive.head(1)?.hash, patience).not.toBe(old?.hash)
      const head = one.archive.head(1)
      expect(head?.number).toBe(old?.number)
      expect(one.archive.url(1, head?.number ?? 0n, old?.hash)).toMatch(new RegExp(`${old?.hash}$`))
      await expect
        .poll(async () => JSON.parse(await ask(one, request(weth, usdc))).block.hash, patience)
        .toBe(head?.hash)
    } finally {
      await one.stop()
    }
  })
})
