/**
 * Routes by the index of all pools, against a list that the test makes itself: pools that no look-up finds, tokens in
 * between that are no connectors, blocks before a pool was made, and services whose index is behind.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { loadConfig } from '../../../src/config/config.js'
import {
  type Address,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { openIndexReader } from '../../../src/pool-index/lookup.js'
import { sourcesOf } from '../../../src/pool-index/sources.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { openLocalService } from '../../../src/service/local-service.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { mined } from '../../support/mined.js'
import { startFaultyNode, withoutEvents } from '../../support/nodes/rpc-node.js'
import { poolsByEvents } from '../../support/routing/pools-by-events.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const { tradingDesk: desk, v4PoolManager: manager } = contractAddresses
const [weth, usdc] = ['WETH', 'USDC'].map((name) => sandboxToken(name).address) as [
  Address,
  Address,
]
const ether = 10n ** 18n
const v2Factory = ethereum.venues['uniswap-v2']?.factory as Address
/** Its last 14 bits say that the PoolManager calls it before donations alone. */
const quietHooks: Address = '0x00000000000000000000000000000000d07a0020'
const dynamicFee = 0x800000

const abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 sqrtPriceX96)',
  'function mintV4(address manager, PoolKey key, int24 below, int24 above, uint128 liquidity)',
  'function createPair(address, address) returns (address)',
  'function getPair(address, address) view returns (address)',
  'function allPairsLength() view returns (uint256)',
  'function allPairs(uint256) view returns (address)',
  'function mint(address)',
  'function transfer(address, uint256)',
  'function approve(address, uint256)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
])

type PoolKey = Readonly<Record<'currency0' | 'currency1' | 'hooks', Address>> &
  Readonly<Record<'fee' | 'tickSpacing', number>>

const context = withSandbox()
const folders: string[] = []
/** Of one test; each looks for heads all the time. */
let own: TestService[] = []
let dataDir: string
let tokens: { readonly a: Address; readonly x: Address; readonly b: Address }
let odd: { readonly id: Hex; readonly block: number }
let native: { readonly id: Hex; readonly block: number }
let hooked: { readonly id: Hex; readonly block: number }
let indexed: TestService
let plain: TestService

beforeAll(async () => {
  const price = await currentPrice()
  const oddKey = { currency0: usdc, currency1: weth, fee: 123, tickSpacing: 7, hooks: zeroAddress }
  odd = await v4Pool(oddKey, price, 10n ** 18n)
  native = await v4Pool(
    { ...oddKey, currency0: zeroAddress, currency1: usdc },
    (1n << 192n) / price,
    10n ** 16n,
  )
  hooked = await v4Pool(
    { ...oddKey, fee: dynamicFee, tickSpacing: 60, hooks: quietHooks },
    price,
    10n ** 17n,
  )
  const [a, x, b] = [await token(), await token(), await token()]
  tokens = { a, x, b }
  await pair(a, x)
  await pair(x, b)
  await send(alice, a, encode('approve', [contractAddress('Router'), ether]))
  dataDir = folder()
  const done = await runCli(['pools', 'sync'], environment(dataDir))
  expect(done.code, done.err).toBe(0)
  indexed = await start({ POOL_INDEX: 'on' }, dataDir)
  plain = await start({})
})
afterEach(async () => {
  for (const service of own) await service.stop()
  own = []
})
afterAll(async () => {
  await indexed?.stop()
  await plain?.stop()
  for (const dir of folders) rmSync(dir, { recursive: true, force: true })
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'forkroute-index-'))
  folders.push(dir)
  return dir
}

const environment = (dir: string) => ({ DATA_DIR: dir, RPC_URL_1: context().sandbox.url })

async function start(
  settings: Readonly<Record<string, string>>,
  dir: string = folder(),
): Promise<TestService> {
  const env = { ...environment(dir), AUTH_MODE: 'open', HEAD_POLL_MS: '250', WORKERS: '1' }
  return startService({ ...env, ...settings })
}

async function startOwn(...args: Parameters<typeof start>): Promise<TestService> {
  const service = await start(...args)
  own.push(service)
  return service
}

function encode(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
}

const send = (from: Address, to: Address | null, data: Hex) =>
  mined(context().client.request, { from, to, data })

const call = (to: Address, data: Hex) =>
  context().client.request<Hex>('eth_call', [{ to, data }, 'latest'])

/** Of WETH in USDC, as the deepest of the usual pools has it. */
async function currentPrice(): Promise<bigint> {
  const pool: Address = '0xe0554a476a092703abdb3ef35c80e0d76d32939f'
  return BigInt((await call(pool, encode('slot0', []))).slice(0, 66))
}

async function v4Pool(key: PoolKey, price: bigint, liquidity: bigint) {
  const made = await send(alice, manager, encode('initialize', [key, price]))
  await send(deployer, desk, encode('mintV4', [manager, key, 0, 0, liquidity]))
  const types = parseAbiParameters('address, address, uint24, int24, address')
  const { currency0, currency1, fee, tickSpacing, hooks } = key
  const id = keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, hooks]))
  return { id, block: Number(made.blockNumber) }
}

/** A standard token whose whole supply alice holds. */
async function token(): Promise<Address> {
  const types = parseAbiParameters('string, string, uint8, uint256, address')
  const values = encodeAbiParameters(types, ['Plain', 'PLN', 18, 1_000_000n * ether, alice])
  const made = await send(alice, null, `${sandboxBytecode.StandardToken}${values.slice(2)}`)
  return toAddress(made.contractAddress ?? '0x')
}

async function pair(a: Address, b: Address): Promise<void> {
  await send(alice, v2Factory, encode('createPair', [a, b]))
  const address = toAddress(`0x${(await call(v2Factory, encode('getPair', [a, b]))).slice(-40)}`)
  for (const each of [a, b]) {
    await send(alice, each, encode('transfer', [address, 100_000n * ether]))
  }
  await send(alice, address, encode('mint', [alice]))
}

const list = async (dir: string) => {
  const done = await runCli(['pools', 'list', '--indexed', '--json'], environment(dir))
  return JSON.parse(done.out) as (Pool & { readonly firstSeenBlock: string })[]
}

const quote = (service: TestService, query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/quote', query)
const oneWeth = { tokenIn: weth, tokenOut: usdc, amountIn: (5n * ether).toString() }

describe('the index of pools', () => {
  test('holds every pool of the chain with the block of its creation, odd V4 keys among them', async () => {
    const found = (await list(dataDir)).map(({ protocol, id, firstSeenBlock, ...pool }) => {
      const { fee, tickSpacing, hooks } = pool.parameters
      const more = [fee, tickSpacing, hooks].flatMap((value) =>
        value === undefined ? [] : `${value}`,
      )
      return [protocol, id, firstSeenBlock, ...pool.tokens, ...more]
    })
    const made = await poolsByEvents(context().client)
    const sorted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join()).sort()
    expect(sorted(found)).toEqual(sorted(made))
    expect(found.length).toBeGreaterThan(100)
    for (const { id } of [odd, native, hooked]) {
      expect(found.filter((row) => row[1] === id)).toHaveLength(1)
    }
    // And as the factories count their pairs themselves.
    for (const slug of ['uniswap-v2', 'sushiswap-v2']) {
      const factory = ethereum.venues[slug]?.factory as Address
      const length = Number(await call(factory, encode('allPairsLength', [])))
      const all = await Promise.all(
        Array.from({ length }, async (_, k) =>
          toAddress(`0x${(await call(factory, encode('allPairs', [BigInt(k)]))).slice(-40)}`),
        ),
      )
      expect(found.flatMap(([protocol, id]) => (protocol === slug ? [id] : [])).sort()).toEqual(
        all.sort(),
      )
    }
  })

  test('a pool that no look-up finds gives more, and the transaction delivers exactly that', async () => {
    const [without, with_] = [await quote(plain, oneWeth), await quote(indexed, oneWeth)]
    expect(without.status, without.text).toBe(200)
    expect(with_.status, with_.text).toBe(200)
    expect(BigInt(with_.body.amountOut)).toBeGreaterThan(BigInt(without.body.amountOut))
    expect(with_.text).toContain(odd.id)
    expect(without.text).not.toContain(odd.id)
    await send(alice, weth, encode('approve', [contractAddress('Router'), 100n * ether]))
    await caughtUp()
    const answer = await indexed.get('/api/v1/shortcuts/route', { ...oneWeth, fromAddress: alice })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain(odd.id)
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      watch: [{ token: usdc, owner: alice }],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })

  test('any indexed token may lie in between, and the route is executed as it is answered', async () => {
    const query = { tokenIn: tokens.a, tokenOut: tokens.b, amountIn: ether.toString() }
    const without = await quote(plain, query)
    expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
    const answer = await indexed.get('/api/v1/shortcuts/route', { ...query, fromAddress: alice })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.route).toHaveLength(2)
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      watch: [{ token: tokens.b, owner: alice }],
    })
    expect([done.status, done.deltas]).toEqual(['success', [BigInt(answer.body.amountOut)]])
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })

  test('a shallow pool that nobody has traded in for long pays a small amount best, through a token that is no connector', async () => {
    const [link, uni] = ['LINK', 'UNI'].map((name) => sandboxToken(name).address)
    const query = { tokenIn: weth, tokenOut: link ?? '', amountIn: (ether / 10n).toString() }
    const without = await quote(plain, query)
    expect(without.status, without.text).toBe(200)
    expect(without.text).not.toContain(uni)
    await send(alice, weth, encode('approve', [contractAddress('Router'), 100n * ether]))
    await caughtUp()
    const answer = await indexed.get('/api/v1/shortcuts/route', { ...query, fromAddress: alice })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain(uni)
    const percent = (BigInt(answer.body.amountOut) * 100n) / BigInt(without.body.amountOut)
    expect(percent).toBeGreaterThanOrEqual(101n)
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      watch: [{ token: toAddress(link ?? ''), owner: alice }],
    })
    expect([done.status, done.deltas]).toEqual(['success', [BigInt(answer.body.amountOut)]])
  })

  test('pools with hooks are used where the operator allows the hooks, and not before', async () => {
    const before = await quote(indexed, oneWeth)
    expect(before.text).not.toContain(hooked.id)
    const allowing = await startOwn({ POOL_INDEX: 'on', V4_HOOKS_ALLOWLIST: quietHooks }, dataDir)
    const after = await quote(allowing, oneWeth)
    expect(after.text).toContain(hooked.id)
    expect(BigInt(after.body.amountOut)).toBeGreaterThan(BigInt(before.body.amountOut))
  })

  test('a pool of the Vault, which no look-up finds by its tokens, is asked what it is, and used', async () => {
    const [pool] = (await list(dataDir)).filter(({ protocol }) => protocol === 'balancer-v2')
    const [tokenIn = weth, tokenOut = usdc] = pool?.tokens ?? []
    const query = { tokenIn, tokenOut, amountIn: '1000000000', onlyPools: pool?.id ?? '' }
    const [without, answer] = [await quote(plain, query), await quote(indexed, query)]
    expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.route[0]).toMatchObject({ protocol: 'balancer-v2' })
  })

  test('an answer at a block uses the pools that were made up to it, and none of the next', async () => {
    const reader = openIndexReader(dataDir)
    const sources = sourcesOf(ethereum).sources.map(({ key }) => key)
    const question = { sources, maxHops: 1, gates: [quietHooks], runsHooks: false, connectors: [] }
    const at = async (number: number) => {
      const block = await context().client.request<{ hash: Hex }>('eth_getBlockByNumber', [
        numberToHex(number),
        false,
      ])
      const pin = { chainId: 1, number: BigInt(number), hash: block.hash } as Parameters<
        NonNullable<typeof reader>['find']
      >[0]
      const ends = { tokensIn: [[weth, nativeToken]], tokensOut: [[usdc]] }
      const found = reader?.find(pin, { ...question, ...ends })
      return [found?.upTo, found?.pools.map(({ id }) => id)] as const
    }
    for (const { id, block } of [odd, native, hooked]) {
      const [before, then] = [await at(block - 1), await at(block)]
      expect([before[0], then[0]]).toEqual([BigInt(block - 1), BigInt(block)])
      expect([before[1]?.includes(id), then[1]?.includes(id)]).toEqual([false, true])
    }
    reader?.close()
    const blockNumber = String(odd.block - 1)
    const [without, with_] = [
      await quote(plain, { ...oneWeth, blockNumber }),
      await quote(indexed, { ...oneWeth, blockNumber }),
    ]
    expect(BigInt(with_.body.amountOut)).toBeGreaterThanOrEqual(BigInt(without.body.amountOut))
    expect(with_.text).not.toContain(odd.id)
  })

  test('two services whose index is past the block give the same bytes, however it was built', async () => {
    const blockNumber = String(await head())
    const queries = [
      { ...oneWeth, blockNumber },
      { tokenIn: tokens.a, tokenOut: tokens.b, amountIn: ether.toString(), blockNumber },
      { tokenIn: nativeToken, tokenOut: usdc, amountIn: (30n * ether).toString(), blockNumber },
    ]
    // This one builds its index by itself, from the start, while it serves.
    const other = await startOwn({ POOL_INDEX: 'on' })
    await send(alice, usdc, encode('approve', [contractAddress('Router'), 1n]))
    await caughtUp(other)
    await caughtUp()
    for (const query of queries) {
      const [one, two] = [await quote(indexed, query), await quote(other, query)]
      expect(one.status, one.text).toBe(200)
      expect(two.text).toBe(one.text)
      expect(one.body.warnings ?? []).toEqual([])
    }
  })

  test('an index that is behind says so, one that is empty too, and neither changes what look-ups find', async () => {
    const node = await startFaultyNode(context().sandbox.url, { behave: withoutEvents })
    const dir = folder()
    await runCli(['pools', 'sync'], environment(dir))
    const reached = await head()
    await send(alice, usdc, encode('approve', [contractAddress('Router'), 2n]))
    await send(alice, usdc, encode('approve', [contractAddress('Router'), 3n]))
    const settings = { POOL_INDEX: 'on', RPC_URL_1: node.url }
    const behind = await startOwn(settings, dir)
    const empty = await startOwn(settings)
    const blockNumber = String(await head())
    expect((await quote(behind, { ...oneWeth, blockNumber })).body.warnings).toEqual([
      `The pool index has reached block ${reached}, which is 2 before this one: pools made since are looked up.`,
    ])
    const alone = await quote(empty, { ...oneWeth, blockNumber })
    const { warnings, ...rest } = alone.body
    expect(warnings).toEqual(['The pool index holds nothing of this chain: pools are looked up.'])
    const { warnings: none, ...same } = (await quote(plain, { ...oneWeth, blockNumber })).body
    expect(none ?? []).toEqual([])
    expect(rest).toEqual(same)
    await node.close()
  })

  test('a cassette carries what it used of the index: a replay needs none', async () => {
    const file = join(folder(), 'index.cassette')
    const logger = createLogger('error')
    const config = loadConfig({ ...environment(dataDir), POOL_INDEX: 'on', WORKERS: '1' })
    const asked = {
      path: '/shortcuts/quote',
      query: { ...oneWeth, blockNumber: String(await head()) },
    }
    const recording = await openLocalService(config, { logger, mode: { kind: 'record', file } })
    const recorded = await recording.ask(asked)
    await recording.close()
    expect(recorded.status, recorded.text).toBe(200)
    expect(recorded.text).toContain(odd.id)
    const replaying = await openLocalService(loadConfig({ DATA_DIR: folder(), WORKERS: '1' }), {
      logger,
      mode: { kind: 'replay', file },
    })
    const replayed = await replaying.ask(asked)
    await replaying.close()
    expect(replayed.text).toBe(recorded.text)
  })
})

async function head(): Promise<number> {
  return Number(await context().client.request<Hex>('eth_blockNumber', []))
}

/** Until the service answers at the newest block with an index that holds it. */
async function caughtUp(service: TestService = indexed): Promise<void> {
  const newest = await head()
  await vi.waitFor(
    async () => {
      const answer = await quote(service, oneWeth)
      expect(answer.body.warnings ?? []).toEqual([])
      expect((await service.get('/api/v1/networks')).body[0].blockNumber).toBe(newest)
    },
    { timeout: 60_000, interval: 100 },
  )
}
