/**
 * Slippages that were measured, recorded over HTTP, and measured again from the cassette alone; and measured with the
 * events of pools and without.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { alice, environment, ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { measureBothWays } from '../../support/measured-slippage.js'
import { withSandbox } from '../../support/sandbox.js'
import { again, expectedOf, open, type Recorded } from '../../support/service/cassette-context.js'
import { examplesOf, partsShown, planOf } from '../../support/service/examples.js'
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
  const [example] = examplesOf('how-to/auto-slippage')
  const service = await startService({ AUTH_MODE: 'open', RPC_URL_1: context().sandbox.url })
  try {
    const { status, body, text } = await service.get(example?.path ?? '', example?.query)
    expect(status, text).toBe(200)
    expect(partsShown(example?.shown, body)).toEqual(example?.shown)
  } finally {
    await service.stop()
  }
})

test("the page's plan: each minimum is that of the answer at its block, and the summary has the mean of them", async () => {
  // The window of block 369 ends ten blocks before that of the two after it.
  const blocks = 'blocks: { from: latest-9, to: latest-7 }'
  const plan = planOf('how-to/auto-slippage').replace(/^blocks: .*$/m, blocks)
  expect(plan).toContain(blocks)
  const path = join(folder, 'plan.yaml')
  await writeFile(path, plan)
  const service = await startService(environment(context().sandbox.url))
  onTestFinished(() => service.stop())
  const out = join(folder, 'backtest')
  const done = await runCli([
    ...['backtest', path, '--url', service.url],
    ...['--out', out, '--format', 'jsonl,json'],
  ])
  expect(done.code, done.err).toBe(0)

  const lines = (await readFile(join(out, 'results.jsonl'), 'utf8')).trimEnd().split('\n')
  const rows = lines.map((line) => JSON.parse(line))
  expect(rows.map(({ blockNumber, variant }) => `${blockNumber} ${variant}`)).toEqual(
    [369, 370, 371].flatMap((block) => [`${block} 50 bps`, `${block} auto`]),
  )
  const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
  const asked = { chainId: '1', fromAddress: alice, executionMode: 'backend', ...trade }
  const measured = { ...asked, slippage: 'auto', maxSlippage: '100' }
  const answers = []
  for (const { variant, blockNumber, outcome } of rows) {
    if (variant !== 'auto') continue
    const at = { ...measured, blockNumber: String(blockNumber) }
    const { body, text } = await service.get('/api/v1/shortcuts/route', at)
    expect(body.slippage, text).toMatchObject({ source: 'measured', maxSlippage: 100 })
    expect([outcome.amountsOut, outcome.minAmountsOut]).toEqual([
      [body.amountOut],
      [body.minAmountOut],
    ])
    answers.push(body)
  }

  const summary = JSON.parse(await readFile(join(out, 'summary.json'), 'utf8'))
  const allowed = rows.map(({ outcome: { amountsOut, minAmountsOut } }) => {
    const [quoted, least] = [BigInt(amountsOut[0]), BigInt(minAmountsOut[0])]
    return Number(((quoted - least) * 1_000_000_000n) / quoted) / 100_000
  })
  for (const [index, name] of ['50 bps', 'auto'].entries()) {
    const { variant, allowedSlippage } = summary.variants[index]
    const own = allowed.filter((_one, at) => at % 2 === index)
    expect([variant, allowedSlippage.count]).toEqual([name, 3])
    expect(allowedSlippage.mean).toBeCloseTo(own.reduce((sum, one) => sum + one, 0) / 3, 2)
    const printed = done.out.split('\n').find((line) => line.startsWith(`│ ${name}`))
    expect(printed).toContain(` ${Math.round(allowedSlippage.mean * 100) / 100} `)
  }
  const [fixed, auto] = summary.variants
  expect(fixed.allowedSlippage.mean).toBe(50)
  expect(auto.allowedSlippage.mean).toBeLessThan(50)

  const [last] = answers.slice(-1)
  for (const { delay, status, amountsOut } of rows.at(-1).executions) {
    const executed = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: 371 + delay,
      tx: last.tx,
      fund: [{ token: weth, amount: ether }],
      approve: contractAddress('Router'),
      watch: [{ token: usdc, owner: alice }],
    })
    expect([delay, status, amountsOut]).toEqual(
      executed.status === 'success'
        ? [delay, 'filled', executed.deltas.map(String)]
        : [delay, 'reverted', undefined],
    )
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
