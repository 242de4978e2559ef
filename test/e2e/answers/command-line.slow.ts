/** The command line as a newcomer uses it, on a service of the sandbox: names in place of addresses, and next steps. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatUnits } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken, sandboxTokens } from '../../../src/sandbox/tokens.js'
import { type Outcome, runCli } from '../../support/cli.js'
import { commandsOf } from '../../support/service/examples.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice } = sandboxAccount('alice')
const { address: carol } = sandboxAccount('carol')
const [weth, usdc] = [sandboxToken('WETH').address, sandboxToken('USDC').address]

let service: TestService

beforeAll(async () => {
  service = await startService({ AUTH_MODE: 'open' })
})
afterAll(() => service?.stop())

const run = (...args: string[]): Promise<Outcome> => runCli([...args, '--url', service.url])

/** What the command prints as JSON; nothing else may stand there. */
async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json')
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

test('a route over many pools names tokens by symbol and fits a hundred columns', async () => {
  const { code, out, err } = await run('route', '200', 'WETH', 'USDC', '--from', alice)
  expect(code, err).toBe(0)
  expect(out).toMatch(/swap .*WETH .*USDC .*0x\w{4}…\w{4}/)
  expect(out).not.toContain(usdc)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
})

test('tokens that only the sandbox has are known by their symbols', async () => {
  for (const symbol of ['HNY', 'FRZN', 'sta']) {
    const { err } = await run('route', '1', symbol, 'WETH', '--from', carol)
    expect(err).not.toContain('is called')
  }
  const { out } = await run('quote', '5', 'STA', 'WETH')
  expect(out).toContain('5 STA')
})

test('tokens can be only those that are on the chain', async () => {
  const all = await json('tokens', '--chain', 'ethereum')
  const present = await json('tokens', '--chain', 'ethereum', '--present')
  expect(all.meta.total).toBeGreaterThan(100)
  const addresses = present.data.map((token: { address: string }) => token.address)
  expect(addresses).toContain(weth)
  const onSandbox = [nativeToken, ...sandboxTokens.map(({ address }) => address)]
  expect(onSandbox).toEqual(expect.arrayContaining(addresses))
})

test('a route without an allowance says how to go on, and the approval is that of the route', async () => {
  const trade = ['1', 'USDC', 'WETH', '--from', carol]
  const refused = await run('route', ...trade)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/INSUFFICIENT_ALLOWANCE[\s\S]*forkroute approve[\s\S]*--backend/)
  const approval = await json('approve', '1', 'USDC', '--from', carol)
  const route = await json('route', ...trade, '--backend')
  expect(approval).toMatchObject({ token: usdc, amount: '1000000', spender: route.tx.to })
})

test('an exact output pays what was asked, a fee is taken, and pools are left out', async () => {
  const exact = await json('quote', '1000', 'WETH', 'USDC', '--exact-out')
  expect(BigInt(exact.amountOut)).toBeGreaterThanOrEqual(1_000_000_000n)
  const free = await json('quote', '1', 'WETH', 'USDC')
  const fee = ['--fee', '100', '--fee-receiver', carol]
  const paid = await json('quote', '1', 'WETH', 'USDC', ...fee)
  expect(BigInt(paid.amountOut)).toBeLessThan(BigInt(free.amountOut))
  const [pool] = free.route[0].internalRoutes
  const other = await json('quote', '1', 'WETH', 'USDC', '--exclude-pools', pool.pool)
  expect(JSON.stringify(other.route)).not.toContain(pool.pool)
  const direct = await json('quote', '1', 'WETH', 'USDC', '--only-pools', pool.pool)
  expect(direct.route).toHaveLength(1)
})

test('a minimum above what there is refuses, one below is what the transaction enforces', async () => {
  const args = ['route', '1', 'WETH', 'USDC', '--from', alice, '--deadline', '600']
  const route = await json(...args, '--min-out', '2900')
  expect(route.minAmountOut).toBe('2900000000')
  expect((await run(...args, '--min-out', '5000')).code).toBe(1)
})

test('the page on alternatives: each has its amount, and all carry the tag', async () => {
  const [quote, route] = commandsOf('how-to/alternatives')
  for (const args of [quote ?? [], route ?? []]) {
    const [{ code, out, err }, answer] = [await run(...args), await json(...args)]
    expect(code, err).toBe(0)
    const all = [answer, ...answer.alternatives]
    expect(all).toHaveLength(3)
    const amounts = [...out.matchAll(/amount out +│ (\S+) USDC/g)].map(([, amount]) => amount)
    expect(amounts).toEqual(all.map(({ amountOut }) => formatUnits(BigInt(amountOut), 6)))
  }
  const tag = route?.at(-1)?.slice(2)
  const { tx, alternatives } = await json(...(route ?? []))
  for (const { data } of [tx, ...alternatives.map((one: { tx: object }) => one.tx)]) {
    expect(data).toContain(tag)
  }
})

test('the page on measured slippage: it is told with its blocks, and is that of the minimum', async () => {
  const [args = []] = commandsOf('how-to/auto-slippage')
  const { code, out, err } = await run(...args)
  expect(code, err).toBe(0)
  const { amountOut, minAmountOut, slippage } = await json(...args)
  const { bps, blocks } = slippage
  expect(out).toContain(`${bps} bps, measured in the blocks ${blocks.from} to ${blocks.to}`)
  expect(minAmountOut).toBe(`${(BigInt(amountOut) * BigInt(10_000 - bps)) / 10_000n}`)
})

test('a bundle of a file pays in the position’s own units', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-actions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'actions.json')
  const swap = { tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}`, slippage: '50' }
  const deposit = {
    tokenIn: usdc,
    tokenOut: '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c',
    amountIn: { useOutputOfCallAt: 0 },
    primaryAddress: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
  }
  const actions = [
    { protocol: 'svc', action: 'route', args: swap },
    { protocol: 'aave-v3', action: 'deposit', args: deposit },
  ]
  writeFileSync(file, JSON.stringify(actions))
  const { code, out, err } = await run('bundle', file, '--from', alice)
  expect(code, err).toBe(0)
  expect(out).toMatch(/takes .*1 WETH/)
  expect(out).toMatch(/pays .*\d{4}\.\d+ aEthUSDC/)
})

test('track of an unknown hash says at once how long it goes on asking', async () => {
  const { code, err } = await run('track', `0x${'5d'.repeat(32)}`, '--timeout', '1')
  expect(code).toBe(1)
  expect(err).toContain('yet; asking again for up to 10 s')
})
