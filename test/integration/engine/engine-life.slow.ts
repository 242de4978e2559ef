/** The calculation core over its life: replayed recordings, many blocks at once, callers that leave, threads that die. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import type { QuoteRequest } from '../../../src/domain/engine.js'
import { type Address, bigintToString } from '../../../src/domain/primitives.js'
import { startEngine, type TestEngine } from '../../support/engine.js'
import { loopbackFaults, startLoopbackProxy } from '../../support/nodes/loopback-proxy.js'
import { withSandbox } from '../../support/sandbox.js'

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

const asking = { accountId: `0x${'0'.repeat(64)}`, signal: new AbortController().signal } as const

function ask(
  { engine }: TestEngine,
  wanted: QuoteRequest,
  { signal }: Pick<typeof asking, 'signal'> = asking,
): Promise<string> {
  return engine
    .quote(wanted, { ...asking, signal })
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
      const leaving = blocks.map((block) => ask(one, request(dai, weth, block), leave))
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
      await expect.poll(() => one.forks.stats().leases).toBe(0)
      await expect.poll(() => one.forks.stats().blocks).toBeLessThanOrEqual(3)
      expect(one.problems).toEqual([])
    } finally {
      await one.stop()
    }
  })

  test('closing while calculations run ends them all with an error, and leaves no fork', async () => {
    const one = await startEngine({ url: context().sandbox.url, threads: 2 })
    const running = [weth, dai, uni].map((token) => ask(one, request(token, usdc, 100n)))
    const settled = Promise.allSettled(running)
    await expect.poll(() => one.forks.stats().leases).toBeGreaterThan(0)
    const { pids } = one.forks.stats()
    await one.stop()
    await settled
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
  })
})

describe('forks that die', () => {
  test.each([1, 4])('%i in a row under one calculation: the answer is the same', async (left) => {
    const url = context().sandbox.url
    const healthy = await startEngine({ url })
    const losing = await startEngine({ url, losses: { left } })
    try {
      const block = (healthy.archive.head(1)?.number ?? 0n) - 5n
      const wanted = request(weth, usdc, block)
      expect(await ask(losing, wanted)).toBe(await ask(healthy, wanted))
      expect(losing.forks.stats().restarts).toBe(left)
    } finally {
      await losing.stop()
      await healthy.stop()
    }
  })

  test('three in a row under a block that is run again: its swaps are told as they are', async () => {
    const losses = { left: 0 }
    const losing = await startEngine({ url: context().sandbox.url, losses })
    try {
      const head = losing.archive.head(1)?.number ?? 0n
      const of = { kind: 'blocks', from: head - 1n, to: head - 1n } as const
      const hindsight = () => losing.engine.hindsight({ chainId: 1, of }, asking)
      const healthy = await hindsight()
      expect(healthy.transactions.length).toBeGreaterThan(0)
      losses.left = 3
      expect(await hindsight()).toEqual(healthy)
      expect(losing.forks.stats().restarts).toBe(3)
    } finally {
      await losing.stop()
    }
  })

  test('one after the other without end: the caller is told, and the next calculation works', async () => {
    const losses = { left: Number.POSITIVE_INFINITY }
    const losing = await startEngine({ url: context().sandbox.url, losses })
    try {
      const block = (losing.archive.head(1)?.number ?? 0n) - 5n
      await expect(ask(losing, request(weth, usdc, block))).rejects.toMatchObject({
        code: 'FORK_UNAVAILABLE',
      })
      losses.left = 0
      expect(await ask(losing, request(weth, dai, block))).toContain('"amountOut"')
    } finally {
      await losing.stop()
    }
  })
})

describe('an archive that fails', () => {
  const documented = ['UPSTREAM_UNAVAILABLE', 'STATE_UNAVAILABLE', 'FORK_UNAVAILABLE']

  /** Of an account that nobody has read, so that the archive is asked for it alone. */
  const unseen = (index: number): Address =>
    `0x${(0xabcdef00 + index).toString(16).padStart(40, '0')}`

  test('calculations in its middle end with documented errors, however it fails', async () => {
    let port = 0
    const proxy = await startLoopbackProxy(() => port)
    const archiveAt = (url: string) => {
      const own = new URL(url)
      port = Number(own.port)
      own.port = String(proxy.port)
      return own.href
    }
    const one = await startEngine({ url: context().sandbox.url, archiveAt })
    try {
      const head = one.archive.head(1)?.number ?? 0n
      const known = await ask(one, request(weth, usdc))
      for (const [index, fault] of loopbackFaults.entries()) {
        const block = head - 2n * BigInt(index)
        // What hangs takes its time for each read after the other, so there is one.
        const before = fault === 'hangs' ? [] : [ask(one, request(dai, usdc, block))]
        proxy.fault = fault
        const atWarmBlock = ask(one, { ...request(weth, usdc), receiver: unseen(index) })
        const settled = await Promise.allSettled([...before, atWarmBlock])
        const codes = settled.flatMap((each) =>
          each.status === 'rejected' ? [each.reason.code ?? each.reason] : [],
        )
        expect(documented, fault).toEqual(expect.arrayContaining([...new Set(codes)]))
        expect(codes.length, fault).toBeGreaterThan(0)
        proxy.fault = null
        await expect.poll(() => ask(one, request(weth, usdc)).catch(String)).toBe(known)
      }
    } finally {
      await one.stop()
      await proxy.stop()
    }
  })

  test('its thread dies: calculations end with documented errors, and go on once it is back', async () => {
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    process.on('worker', note)
    const one = await startEngine({ url: context().sandbox.url })
    try {
      const head = one.archive.head(1)?.number ?? 0n
      const asked = [weth, dai, uni].flatMap((token) =>
        [0n, 3n].map((back) => ask(one, request(token, usdc, head - back))),
      )
      const settled = Promise.allSettled(asked)
      await Promise.race(asked)
      await threads[0]?.terminate()
      const codes = (await settled).flatMap((each) =>
        each.status === 'rejected' ? [each.reason.code] : [],
      )
      expect(documented).toEqual(expect.arrayContaining([...new Set(codes)]))
      await expect
        .poll(() => ask(one, request(dai, weth, head - 12n)).catch(String))
        .toContain('amountOut')
    } finally {
      process.off('worker', note)
      await one.stop()
    }
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
        .poll(async () => JSON.parse(await ask(one, request(weth, usdc))).block.number)
        .toBe(String(BigInt(first.block.number) + 1n))
      const old = one.archive.head(1)
      await client.request('evm_revert', [undo])
      await client.request('evm_increaseTime', [500])
      await client.request('anvil_mine', ['0x1'])
      await expect.poll(() => one.archive.head(1)?.hash).not.toBe(old?.hash)
      const head = one.archive.head(1)
      expect(head?.number).toBe(old?.number)
      expect(one.archive.url(1, head?.number ?? 0n, old?.hash)).toMatch(new RegExp(`${old?.hash}$`))
      await expect
        .poll(async () => JSON.parse(await ask(one, request(weth, usdc))).block.hash)
        .toBe(head?.hash)
    } finally {
      await one.stop()
    }
  })
})
