/**
 * Pendle at its own addresses, over HTTP: routes into a PT, a YT and shares of a market and out of them by a market that the index
 * of pools names, into an SY and out of it, an SY split and redeemed, and what is left of it all after the expiry. Each is carried
 * out on an Anvil of its own, one behind a front-run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import {
  factoriesOf,
  marketPool,
  routerOf,
  yieldFactoriesOf,
} from '../../../src/protocols/pendle/pools.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { askBundle, output, proveBundle } from '../../support/bundle.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { siteOf } from '../../support/protocols/pendle/place-on-sandbox.js'
import {
  openMarket,
  type PlacedMarket,
  placePendle,
  placeVaultYield,
} from '../../support/protocols/pendle/place-pendle.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const venue = ethereum.venues.pendle ?? {}
const router = routerOf(venue) as Address
const factory = factoriesOf(venue).at(-1) as Address
const yieldFactory = yieldFactoriesOf(venue).at(-1) as Address
const ether = 10n ** 18n
const day = 86_400n

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let indexed: TestService
let plain: TestService
let sy: Address
let market: PlacedMarket
/** A market of an SY that lies. */
let bent: PlacedMarket

const now = async () =>
  BigInt((await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp)

/** Gives Alice so much of the owner's token, and lets the Router take it. */
async function give(token: Address, amount: bigint): Promise<void> {
  await node.send(token, 'function transfer(address, uint256)', [alice, amount])
  const allowed = [contractAddress('Router'), maxUint256]
  await node.send(token, 'function approve(address, uint256)', allowed, alice)
}

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const site = siteOf(node)
  const placed = await placePendle(site, { router, factory, yieldFactory })
  const { bytecode } = compileTestContracts('Vaults.sol')('AccruingVault')
  const vault = await node.deploy(bytecode, 'address', [weth])
  sy = await placeVaultYield(site, vault)
  const amount = 4_000n * ether
  await node.rpc('anvil_dealERC20', [NodeWriter.owner, weth, `0x${(4n * amount).toString(16)}`])
  await node.send(weth, 'function approve(address, uint256)', [sy, amount])
  const deposit = 'function deposit(address, address, uint256, uint256)'
  await node.send(sy, deposit, [NodeWriter.owner, weth, amount, 0n])
  market = await openMarket(site, placed, {
    sy,
    expiry: ((await now()) / day + 100n) * day,
    scalarRoot: 60n * ether,
    initialAnchor: (106n * ether) / 100n,
    lnFeeRateRoot: 4_987_541_511_038_968n,
    split: 2_000n * ether,
    beside: 800n * ether,
  })
  const liar = await node.deploy(
    compileTestContracts('Yields.sol')('LyingYield').bytecode,
    'address',
    [weth],
  )
  await node.send(weth, 'function approve(address, uint256)', [liar, amount])
  await node.send(liar, deposit, [NodeWriter.owner, weth, amount, 0n])
  bent = await openMarket(site, placed, {
    sy: liar,
    expiry: ((await now()) / day + 101n) * day,
    scalarRoot: 60n * ether,
    initialAnchor: (106n * ether) / 100n,
    lnFeeRateRoot: 4_987_541_511_038_968n,
    split: 2_000n * ether,
    beside: 800n * ether,
  })
  await give(liar, 100n * ether)
  for (const token of [bent.pt, bent.yt, bent.market]) await give(token, 100n * ether)
  await give(sy, 100n * ether)
  for (const token of [market.pt, market.yt, market.market]) await give(token, 100n * ether)
  for (const token of [weth, usdc]) {
    const allowed = [contractAddress('Router'), maxUint256]
    await node.send(token, 'function approve(address, uint256)', allowed, alice)
  }
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-pendle-index-'))
  const done = await runCli(['pools', 'sync'], { DATA_DIR: dataDir, RPC_URL_1: sandbox.url })
  expect(done.code, done.err).toBe(0)
  indexed = await startService({ RPC_URL_1: sandbox.url, DATA_DIR: dataDir, POOL_INDEX: 'on' })
  plain = await startService({ RPC_URL_1: sandbox.url })
}, 300_000)
afterAll(async () => {
  await indexed?.stop()
  await plain?.stop()
  await node?.close()
  await sandbox?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

const route = (service: TestService, tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
  service.get('/api/v1/shortcuts/route', {
    tokenIn,
    tokenOut,
    amountIn: String(amountIn),
    fromAddress: alice,
  })

test('into a PT and out of it, by a market of the index', async () => {
  const rows = [
    [weth, market.pt, 20n * ether, ['deposit pendle', 'swap pendle']],
    [market.pt, weth, 20n * ether, ['swap pendle', 'redeem pendle']],
    [sy, market.pt, 7n * ether + 1n, ['swap pendle']],
    [market.pt, sy, 7n * ether + 1n, ['swap pendle']],
  ] as const
  for (const [tokenIn, tokenOut, amountIn, steps] of rows) {
    const answer = await route(indexed, tokenIn, tokenOut, amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(steps)
    await expectExecution(sandbox.url, answer, tokenOut)
  }
})

test('into a YT and shares of the market and out of them', async () => {
  const { yt, market: shares } = market
  const rows = [
    [weth, yt, 2n * ether, ['deposit pendle', 'swap pendle']],
    [yt, weth, 20n * ether, ['swap pendle', 'redeem pendle']],
    [sy, yt, ether + 1n, ['swap pendle']],
    [yt, sy, 7n * ether + 1n, ['swap pendle']],
    [weth, shares, 20n * ether, ['deposit pendle', 'deposit pendle']],
    [shares, weth, 20n * ether, ['redeem pendle', 'redeem pendle']],
    [sy, shares, 7n * ether + 1n, ['deposit pendle']],
    [shares, sy, 7n * ether + 1n, ['redeem pendle']],
  ] as const
  for (const [tokenIn, tokenOut, amountIn, steps] of rows) {
    const answer = await route(indexed, tokenIn, tokenOut, amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(steps)
    await expectExecution(sandbox.url, answer, tokenOut)
  }
})

test('an SY is split into PT and YT, and both are redeemed for it', async () => {
  const { pt, yt } = market
  const query = { fromAddress: alice, chainId: '1' }
  const act = (action: string, args: Record<string, unknown>) => ({
    protocol: 'pendle',
    action,
    args: { primaryAddress: yt, ...args },
  })
  const amountIn = String(3n * ether + 1n)
  const held = { isFunded: false }
  const mint = act('mint', { tokenIn: sy, amountIn })
  const split = await proveBundle(indexed, query, [mint], held)
  expect(Object.keys(split.body.amountsOut).sort()).toEqual([pt, yt].sort())
  expect(split.body.amountsOut[pt]).toBe(split.body.amountsOut[yt])
  const redeem = act('redeem', { tokenIn: [yt, pt], tokenOut: sy, amountIn })
  const joined = await proveBundle(indexed, query, [redeem], held)
  expect(Object.keys(joined.body.amountsOut)).toEqual([sy])
  // What is split comes back, but for a unit.
  const back = act('redeem', { amountIn: output(0) })
  const both = await proveBundle(indexed, query, [mint, back], held)
  expect(Number(BigInt(amountIn) - BigInt(both.body.amountsOut[sy]))).toBeLessThan(2)
  for (const [action, path, expected] of [
    [act('mint', { amountIn, primaryAddress: pt }), 'primaryAddress', 'a YT that a factory'],
    [act('mint', { amountIn, tokenIn: weth }), 'tokenIn', `the SY of the YT, ${sy}`],
    [act('redeem', { amountIn, tokenIn: [pt] }), 'tokenIn', 'as much of each'],
    [act('redeem', { amountIn, tokenOut: weth }), 'tokenOut', `the SY of the YT, ${sy}`],
  ] as const) {
    const refused = await askBundle(indexed, query, [action])
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body.message).toContain(path)
    expect(refused.body.message).toContain(expected)
  }
})

test('a swap elsewhere leads there and back, too', async () => {
  for (const [tokenIn, tokenOut, amountIn] of [
    [usdc, market.pt, 5_000n * 10n ** 6n],
    [market.pt, usdc, 3n * ether],
    [usdc, market.yt, 500n * 10n ** 6n],
    [market.market, usdc, 3n * ether],
  ] as const) {
    const answer = await route(indexed, tokenIn, tokenOut, amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer).filter((step) => step.endsWith(' pendle'))).toHaveLength(2)
    await expectExecution(sandbox.url, answer, tokenOut)
  }
})

test('an SY is entered and left by its address, without an index, and a PT has no way then', async () => {
  for (const [tokenIn, tokenOut] of [
    [weth, sy],
    [sy, weth],
  ] as const) {
    const answer = await route(plain, tokenIn, tokenOut, 3n * ether)
    expect(answer.status, answer.text).toBe(200)
    await expectExecution(sandbox.url, answer, tokenOut)
  }
  const without = await route(plain, weth, market.pt, ether)
  expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
})

const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function swapSyForExactPt(address receiver, uint256 exactPtOut, bytes data)',
])

test('a swap of a bundle keeps to its slippage where somebody buys ahead', async () => {
  const args = { tokenIn: sy, tokenOut: market.pt, amountIn: String(5n * ether) }
  const ahead = [
    {
      to: sy,
      data: encodeFunctionData({
        abi,
        functionName: 'transfer',
        args: [market.market, 60n * ether],
      }),
    },
    {
      to: market.market,
      data: encodeFunctionData({
        abi,
        functionName: 'swapSyForExactPt',
        args: [alice, 50n * ether, '0x'],
      }),
    },
  ].map((one) => ({ ...one, from: alice, value: '0' }))
  const swap = async (slippage: string, first: typeof ahead) => {
    const query = { fromAddress: alice, chainId: '1' }
    const action = { protocol: 'pendle', action: 'swap', args: { ...args, slippage } }
    const { status, text, body } = await askBundle(indexed, query, [action])
    expect(status, text).toBe(200)
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: body.createdAt ?? body.blockNumber,
      tx: body.tx,
      first,
      watch: [
        { token: market.pt, owner: alice },
        { token: sy, owner: alice },
      ],
    })
    return { done, promised: BigInt(body.amountsOut[market.pt]) }
  }
  const alone = await swap('100', [])
  expect(alone.done).toMatchObject({ status: 'success', deltas: [alone.promised, -5n * ether] })
  const held = await swap('100', ahead)
  expect(held.done.status).toBe('success')
  // With what was bought ahead.
  expect(held.done.deltas[0]).toBeLessThan(50n * ether + held.promised)
  expect(held.done.deltas[0]).toBeGreaterThan(50n * ether)
  expect(held.done.deltas[1]).toBe(-65n * ether)
  const tight = await swap('1', ahead)
  expect(tight.done).toMatchObject({ status: 'reverted', deltas: [50n * ether, -60n * ether] })
})

/** The services have seen all that was written. */
async function settled(...services: readonly TestService[]): Promise<void> {
  const head = Number(await node.rpc<Hex>('eth_blockNumber', []))
  for (const service of services) {
    await expect
      .poll(async () => {
        const { body } = await service.get('/api/v1/networks')
        return body.find(({ id }: { id: number }) => id === 1)?.blockNumber
      })
      .toBe(head)
  }
}

test('PT, YT and shares have prices where somebody names their SY, and they are what leaving them gives', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-pendle-list-'))
  const list = join(folder, 'list.json')
  const token = { chainId: 1, address: sy, name: 'SY Vault', symbol: 'SY-VLT', decimals: 18 }
  writeFileSync(list, JSON.stringify({ name: 'List', tokens: [token] }))
  const named = await startService({
    RPC_URL_1: sandbox.url,
    DATA_DIR: dataDir,
    POOL_INDEX: 'on',
    TOKEN_LISTS: list,
  })
  const parts = [sy, market.pt, market.yt, market.market]
  const lies = [bent.sy, bent.pt, bent.yt, bent.market]
  const prices = async (service: TestService, addresses: readonly Address[]) => {
    const answer = await service.get('/api/v1/prices/1', { addresses: addresses.join() })
    expect(answer.status, answer.text).toBe(200)
    return (answer.body as readonly (Price | null)[]).map((one) => one?.price ?? null)
  }
  try {
    expect(await prices(indexed, [...parts, ...lies])).toEqual(Array(8).fill(null))
    expect(await prices(named, lies)).toEqual(Array(4).fill(null))
    const [ofSy, ofPt, ofYt, ofShare] = (await prices(named, parts)).map(Number) as Four
    const [ofWeth] = (await prices(named, [weth])).map(Number) as [number]
    const rate = Number(BigInt(await node.read(sy, 'function exchangeRate() view'))) / 1e18
    // Both parts together are the asset.
    expect(((ofPt + ofYt) * rate) / ofSy).toBeCloseTo(1, 5)
    expect(ofYt).toBeGreaterThan(ofPt / 100)
    for (const [token, price] of [
      [sy, ofSy],
      [market.pt, ofPt],
      [market.market, ofShare],
    ] as const) {
      const quote = await route(named, token, weth, ether / 10n)
      const gives = (Number(quote.body.amountOut) / 1e17) * ofWeth
      expect(gives / price).toBeGreaterThan(0.995)
      expect(gives / price).toBeLessThan(1.000_001)
    }
  } finally {
    await named.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

interface Price {
  readonly price: number
}
type Four = [number, number, number, number]

test('what an SY says of its rate is promised by nobody: answers are what is paid', async () => {
  const say = (said: bigint, taken: bigint) =>
    node.send(bent.sy, 'function say(uint256, uint256)', [said, taken])
  const { sy: liar, pt, yt, market: shares } = bent
  const pairs = [
    [weth, liar],
    [liar, weth],
    [liar, pt],
    [pt, liar],
    [liar, yt],
    [yt, liar],
    [liar, shares],
    [shares, liar],
    [shares, weth],
  ] as const
  for (const [said, taken] of [
    [2n * ether, 0n],
    [ether / 2n, 0n],
    [ether, 900n],
    [3n * ether, 900n],
  ] as const) {
    await say(said, taken)
    await settled(indexed)
    for (const [tokenIn, tokenOut] of pairs) {
      const answer = await route(indexed, tokenIn, tokenOut, ether)
      const label = `${said} ${taken} ${tokenIn} ${tokenOut} ${answer.text}`
      if (answer.status === 200) await expectExecution(sandbox.url, answer, tokenOut)
      else expect([answer.status, answer.body.code], label).toEqual([422, 'NO_ROUTE'])
    }
    const left = await route(indexed, liar, weth, ether)
    expect(BigInt(left.body.amountOut)).toBe(ether - (ether * taken) / 10_000n)
  }
  await say(ether, 0n)
})

test('no way leads through an SY that is paused, and it comes back', async () => {
  const { pt, yt, market: shares } = market
  const pairs = [
    [weth, pt],
    [pt, sy],
    [sy, yt],
    [yt, weth],
    [sy, shares],
    [shares, weth],
    [sy, weth],
  ] as const
  for (const isPaused of [true, false]) {
    await node.send(sy, `function ${isPaused ? 'pause' : 'unpause'}()`)
    await settled(indexed)
    for (const [tokenIn, tokenOut] of pairs) {
      const answer = await route(indexed, tokenIn, tokenOut, ether)
      const label = `${isPaused} ${tokenIn} ${tokenOut} ${answer.text}`
      expect(answer.status, label).toBe(isPaused ? 422 : 200)
      if (isPaused) expect(answer.body.code, label).toBe('SIMULATION_REVERTED')
    }
    const query = { fromAddress: alice, chainId: '1' }
    const args = { primaryAddress: yt, amountIn: String(ether) }
    const redeem = { protocol: 'pendle', action: 'redeem', args }
    const bundle = await askBundle(indexed, query, [redeem])
    expect(bundle.status, bundle.text).toBe(isPaused ? 422 : 200)
  }
})

test('an imported market needs no index, and lists its tokens as positions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-pendle-import-'))
  const list = join(folder, 'pools.json')
  const { pt, yt } = market
  writeFileSync(list, JSON.stringify([marketPool(market.market, { pt, sy, yt, factory })]))
  const imported = await runCli(['pools', 'import', list, '--json'], { DATA_DIR: folder })
  expect(imported.out, imported.err).toContain('"added": 1')
  const service = await startService({ RPC_URL_1: sandbox.url, DATA_DIR: folder })
  try {
    const answer = await route(service, weth, pt, 20n * ether)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['deposit pendle', 'swap pendle'])
    await expectExecution(sandbox.url, answer, pt)
    const { body } = await service.get('/api/v1/positions', { chainId: '1' })
    const rows = (body as readonly Row[]).filter(({ protocol }) => protocol?.slug === 'pendle')
    expect(new Set(rows.map(({ tokenAddress }) => tokenAddress))).toEqual(
      new Set([pt, yt, market.market]),
    )
    const row = rows.find(({ tokenAddress }) => tokenAddress === pt)
    // The first price is of 6 % in a hundred days, before the first swap.
    expect(row?.apyBase).toBeGreaterThan(5)
    expect(row?.name).toMatch(/^PT Vault \d+[A-Z]{3}\d{4}$/)
    expect(row?.underlyingTokens).toEqual([sy])
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

interface Row {
  readonly tokenAddress: Address | null
  readonly protocol: { readonly slug: string } | null
  readonly name: string
  readonly apyBase: number | null
  readonly underlyingTokens: readonly Address[]
}

test('an expired PT is redeemed, without an index, and bought nowhere', async () => {
  await node.rpc('evm_setNextBlockTimestamp', [Number((await now()) + 110n * day)])
  await node.rpc('evm_mine', [])
  await settled(indexed, plain)
  for (const service of [indexed, plain]) {
    const answer = await route(service, market.pt, weth, 5n * ether)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['redeem pendle', 'redeem pendle'])
    await expectExecution(sandbox.url, answer, weth)
    for (const token of [market.pt, market.yt, market.market]) {
      const without = await route(service, weth, token, ether)
      expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
    }
  }
})

test('shares of an expired market are left, and its PT is redeemed without a YT', async () => {
  const answer = await route(indexed, market.market, weth, 5n * ether)
  expect(answer.status, answer.text).toBe(200)
  expect(stepsOf(answer)).toEqual(['redeem pendle', 'redeem pendle'])
  await expectExecution(sandbox.url, answer, weth)
  const query = { fromAddress: alice, chainId: '1' }
  const act = (action: string, args: Record<string, unknown>) => ({
    protocol: 'pendle',
    action,
    args: { primaryAddress: market.yt, amountIn: String(ether), ...args },
  })
  const redeem = act('redeem', { tokenIn: market.pt })
  const { body } = await proveBundle(indexed, query, [redeem], { isFunded: false })
  expect(Object.keys(body.amountsIn)).toEqual([market.pt])
  for (const action of [act('mint', {}), act('redeem', { tokenIn: [market.pt, market.yt] })]) {
    const refused = await askBundle(indexed, query, [action])
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body.message).toContain('expired')
  }
})
