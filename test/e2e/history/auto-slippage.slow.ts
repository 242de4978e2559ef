/** Slippages that were measured, recorded over HTTP, and measured again from the cassette alone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { withSandbox } from '../../support/sandbox.js'
import { again, expectedOf, open, type Recorded } from '../../support/service/cassette-context.js'

const context = withSandbox()
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
