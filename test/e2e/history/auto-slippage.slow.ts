/**
 * Slippages that were measured, recorded over HTTP, and measured again from the cassette alone; and measured with the
 * events of pools and without.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { measureBothWays } from '../../support/measured-slippage.js'
import { withSandbox } from '../../support/sandbox.js'
import { again, expectedOf, open, type Recorded } from '../../support/service/cassette-context.js'
import { examplesOf, partsShown } from '../../support/service/examples.js'
import { startService } from '../../support/service/service.js'

const context = withSandbox()
const dai = sandboxToken('DAI').address
let folder: string
let file: string
const recorded: Recorded[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-auto-'))
  file = join(folder, 'auto.cassette')
  const env = { RPC_URL_1: context().sandbox.url, WORKERS: '2', CANDIDATES: '6' }
  const service = await open(folder, { kind: 'record', file }, env)
  for (const [blockNumber, amountIn] of [
    [370, ether],
    [372, (11n * ether) / 10n],
  ] as const) {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${amountIn}` }
    const query = { ...trade, slippage: 'auto', blockNumber }
    const request = { path: '/shortcuts/quote', query }
    const { status, text, recording } = await service.ask(request)
    recorded.push({ request, status, text, number: recording ?? 0 })
  }
  await service.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the page shows what is answered', async () => {
  const [example] = examplesOf('auto-slippage')
  const service = await startService({ AUTH_MODE: 'open', RPC_URL_1: context().sandbox.url })
  try {
    const { status, body, text } = await service.get(example?.path ?? '', example?.query)
    expect(status, text).toBe(200)
    expect(partsShown(example?.shown, body)).toEqual(example?.shown)
  } finally {
    await service.stop()
  }
})

test('both requests share a window, and a replay of one thread answers each with the same bytes', async () => {
  const [first, second] = recorded.map(({ text }) => JSON.parse(text).slippage)
  expect(first).toMatchObject({ source: 'measured', blocks: { from: 318, to: 370 } })
  expect(second).toEqual(first)
  const replay = await open(folder, { kind: 'replay', file }, { WORKERS: '1', CANDIDATES: '6' })
  try {
    for (const one of recorded.toReversed()) {
      expect(await again(replay, one)).toBe(expectedOf(one))
    }
  } finally {
    await replay.close()
  }
})

test.each([
  ['uniswap-v3', weth, usdc],
  ['uniswap-v2', weth, dai],
])(
  'events of %s spare executions: with and without them the answer is the same to the byte',
  async (slug, tokenIn, tokenOut) => {
    const ask = { tokenIn, tokenOut, amountIn: `${ether}`, blockNumber: '370' }
    const { withEvents, without } = await measureBothWays(context().sandbox.url, slug, ask)
    expect(JSON.parse(without.text).slippage).toMatchObject({ source: 'measured' })
    expect(withEvents.text).toBe(without.text)
    // Traders of the sandbox swap in this pool at most of these blocks, and some have no event.
    expect(without.executions - withEvents.executions).toBeGreaterThan(10)
    // Twice 53 blocks of history that no fork has read before.
  },
  600_000,
)
