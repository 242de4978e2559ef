/**
 * Backtests on the sandbox chain: rows against quotes and an Anvil of the test's own, and the command line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import {
  alice,
  blocksTotal,
  environment,
  ether,
  type Page,
  plan,
  resultsOf,
  temporaryFolder,
  usdc,
  weth,
} from '../../support/backtest/ether-plan.js'
import { cliEntry, runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withSandbox()
let service: TestService
/** Of the plan, undisturbed. */
let undisturbed: Page
beforeAll(async () => {
  service = await startService(environment(context().sandbox.url))
  undisturbed = await resultsOf(service)
})
afterAll(() => service?.stop())

test('a row is the quote of its block, and its executions are what the chain does', async () => {
  expect(undisturbed.blocks).toHaveLength(blocksTotal)
  const [block] = undisturbed.blocks
  const at = { chainId: '1', blockNumber: String(block.blockNumber) }
  const [all, oneWay, large] = block.rows
  const trade = { tokenIn: nativeToken, tokenOut: usdc, amountIn: `${ether}`, fromAddress: alice }
  const quote = await service.get('/api/v1/shortcuts/quote', { ...at, ...trade })
  expect(all).toMatchObject({
    request: 'alice',
    variant: 'all',
    amountsOut: [quote.body.amountOut],
    gas: quote.body.gas,
    priceImpact: quote.body.priceImpact,
    price: Number(quote.body.amountOut) / 1e6,
  })
  expect(oneWay).toMatchObject({ request: 'alice', variant: 'one way' })
  expect(oneWay.path.map(({ shareBps }: { shareBps: number }) => shareBps)).toContain(10_000)
  expect(large.path.length).toBeGreaterThan(block.rows[3].path.length)
  expect(BigInt(large.amountsOut[0])).toBeGreaterThan(BigInt(block.rows[3].amountsOut[0]))
  expect(large.minAmountsOut).toEqual(large.amountsOut)

  const route = await service.get('/api/v1/shortcuts/route', {
    ...at,
    ...trade,
    executionMode: 'backend',
  })
  expect(route.body.amountOut).toBe(all.amountsOut[0])
  for (const [index, delay] of [1, 2].entries()) {
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: block.blockNumber + delay,
      tx: route.body.tx,
      watch: [{ token: usdc, owner: alice }],
    })
    expect(all.executions[index]).toEqual(
      done.status === 'success'
        ? { delay, status: 'filled', amountsOut: done.deltas.map(String), gas: `${done.gasUsed}` }
        : { delay, status: 'reverted', gas: `${done.gasUsed}`, reason: expect.any(String) },
    )
  }
  const statuses = undisturbed.blocks.flatMap(({ rows }) =>
    rows.flatMap(({ executions }: { executions: { status: string }[] }) =>
      executions.map(({ status }) => status),
    ),
  )
  expect(new Set(statuses)).toEqual(new Set(['filled', 'reverted']))
})

describe('forkroute backtest', () => {
  test('carries out a plan, prints its summary and writes every file', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.yaml')
    await writeFile(
      file,
      `name: two blocks
blocks: { from: latest-4, to: latest-3 }
requests:
  - { tokenIn: ${weth}, tokenOut: ${usdc}, amountIn: ${ether} }
`,
    )
    const { code, out, err } = await runCli([
      ...['backtest', file, '--url', service.url],
      ...['--out', join(folder, 'results')],
    ])
    expect(err).toContain('finished: 2 of 2 blocks')
    expect(code).toBe(0)
    expect(out).toContain('2 of 2')
    expect((await readdir(join(folder, 'results'))).sort()).toEqual([
      'deliveries.csv',
      'deliveries.parquet',
      'executions.csv',
      'executions.parquet',
      'report.html',
      'results.jsonl',
      'results.sqlite',
      'routes.csv',
      'routes.parquet',
      'summary.json',
    ])
    const summary = JSON.parse(await readFile(join(folder, 'results', 'summary.json'), 'utf8'))
    expect(summary).toMatchObject({ blocks: 2, variants: [{ variant: 'default', routes: 2 }] })
    const listed = await runCli(['backtest', 'list', '--json', '--url', service.url])
    expect(JSON.parse(listed.out)[0]).toMatchObject({ name: 'two blocks', state: 'finished' })
  })

  test('names the lines of what is wrong with a plan', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.yaml')
    await writeFile(
      file,
      `blocks: { from: latest-4 }\nrequests:\n  - tokenIn: ${weth}\n    tokenOut: x\n`,
    )
    const { code, err } = await runCli(['backtest', file, '--url', service.url])
    expect(code).toBe(1)
    expect(err).toContain('line 3: requests[0].amountIn is required')
    expect(err).toContain('line 4: requests[0].tokenOut must be an address')
  })

  test('an interrupt cancels, says how to go on, and that works', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'plan.json')
    const blocks = { from: 'latest-60', to: 'latest-1' }
    await writeFile(file, JSON.stringify({ ...plan, blocks }))
    const command = spawn(process.execPath, [cliEntry, 'backtest', file, '--url', service.url], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void command.kill('SIGKILL'))
    const ended = once(command, 'exit')
    const lines: string[] = []
    for await (const line of createInterface({ input: command.stderr })) {
      lines.push(line)
      if (line.startsWith('running')) command.kill('SIGINT')
    }
    expect(await ended).toEqual([130, null])
    const text = lines.join('\n')
    expect(text).toMatch(/The backtest is cancelled\. \d+ of 60 blocks are done\./)
    const [, id = ''] = /--resume (\w+)/.exec(text) ?? []
    const path = `/api/v1/backtests/${id}`
    expect((await service.get(path)).body).toMatchObject({ state: 'cancelled', blocksTotal: 60 })
    const removed = await runCli(['backtest', 'remove', id, '--url', service.url])
    expect(removed).toMatchObject({ code: 0 })
    expect((await service.get(path)).status).toBe(404)
  })
})
