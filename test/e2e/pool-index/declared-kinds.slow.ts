/** Declared venues of other kinds than calls with an allowance: a factory with events, ether itself, payment by callback. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { alice, deliveredByRoute } from '../../support/declared-venues.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const ether = 10n ** 18n
const example = (name: string) =>
  new URL(`../../../examples/venues/${name}.yaml`, import.meta.url).pathname

// What the example files name and the sandbox lacks: a quoter of Uniswap V3, and a pool of ether and stETH.
const contracts = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Pool {
  function swap(address, bool, int256, uint160, bytes calldata) external returns (int256, int256);
}
interface Factory { function getPool(address, address, uint24) external view returns (address); }
interface Erc20 {
  function transfer(address to, uint256 amount) external returns (bool);
  function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Quoter {
  struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 limit; }
  Factory private immutable factory;
  constructor(Factory factory_) { factory = factory_; }
  function quoteExactInputSingle(Params calldata p) external returns (uint256 out, uint160, uint32, uint256) {
    bool down = p.tokenIn < p.tokenOut;
    Pool pool = Pool(factory.getPool(p.tokenIn, p.tokenOut, p.fee));
    uint160 limit = down ? 4295128740 : 1461446703485210103287273052203988822378723970341;
    try pool.swap(address(this), down, int256(p.amountIn), limit, "") {} catch (bytes memory reason) {
      (uint256 paid, uint256 got) = abi.decode(reason, (uint256, uint256));
      require(paid == p.amountIn, "filled in part");
      out = got;
    }
  }
  function uniswapV3SwapCallback(int256 a, int256 b, bytes calldata) external pure {
    (int256 paid, int256 got) = a > 0 ? (a, -b) : (b, -a);
    assembly {
      mstore(0, paid)
      mstore(32, got)
      revert(0, 64)
    }
  }
}

// Constant product over virtual reserves, so that it needs no balance beyond what it pays.
contract EtherPool {
  Erc20 private immutable steth;
  constructor(Erc20 steth_) { steth = steth_; }
  receive() external payable {}
  function get_dy(int128, int128, uint256 dx) public pure returns (uint256) {
    return (dx * 50_000 ether) / (50_000 ether + dx);
  }
  function exchange(int128 i, int128 j, uint256 dx, uint256) external payable returns (uint256 out) {
    out = get_dy(i, j, dx);
    if (i == 0) {
      require(msg.value == dx, "value");
      steth.transfer(msg.sender, out);
    } else {
      require(msg.value == 0, "value");
      steth.transferFrom(msg.sender, address(this), dx);
      (bool ok, ) = msg.sender.call{value: out}("");
      require(ok);
    }
  }
}
`)

const context = withSandbox()
const services: TestService[] = []
let dataDir: string
let node: NodeWriter

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-kinds-'))
  node = await new NodeWriter(context().sandbox.url).start()
  const { Quoter, EtherPool } = contracts
  if (!Quoter || !EtherPool) throw new Error('the contracts were not compiled')
  const quoter = '0x61ffe014ba17989e743c5f6cb21bf9697530b21e'
  await node.place(quoter, Quoter.bytecode, 'address', [contractAddresses.v3Factory])
  const pool = '0xdc24316b9ae028f1497c275eb9192a3ea0f67022'
  await node.place(pool, EtherPool.bytecode, 'address', [token('stETH')])
  await node.rpc('anvil_setBalance', [pool, '0x56bc75e2d63100000'])
  await node.rpc('anvil_impersonateAccount', [alice])
  await node.send(
    token('stETH'),
    'function transfer(address, uint256)',
    [pool, 100n * ether],
    alice,
  )
})
afterAll(async () => {
  for (const service of services) await service.stop()
  await node?.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function start(settings: Readonly<Record<string, string>>): Promise<TestService> {
  const env = { RPC_URL_1: context().sandbox.url, HEAD_POLL_MS: '250', AUTH_MODE: 'open' }
  const service = await startService({ ...env, ...settings })
  services.push(service)
  return service
}

interface Trade {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: string
}

/** The route through declared pools alone. */
async function declaredRoute(
  service: TestService,
  trade: Trade,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { body: slugs } = await service.get('/api/v1/aggregators')
  const ignoreAggregators = slugs.filter((slug: string) => slug !== 'declared')
  const asked = { fromAddress: alice, executionMode: 'backend', ...trade, ...more }
  const route = await service.get('/api/v1/shortcuts/route', { ...asked, ignoreAggregators })
  expect(route.status, route.text).toBe(200)
  expect(route.text).toContain('"protocol":"declared"')
  return route
}

async function expectDelivered(route: Answer, trade: Trade): Promise<void> {
  const got = await deliveredByRoute(context().sandbox.url, route, trade)
  expect(got).toBe(BigInt(route.body.amountOut))
}

async function expectChecked(file: string, directions: string): Promise<void> {
  const env = { RPC_URL_1: context().sandbox.url, DATA_DIR: dataDir, VENUES: file }
  const done = await runCli(['venues', 'check'], env)
  expect(done.out, done.err).toContain(directions)
  expect(done.code).toBe(0)
}

describe('a factory with events', () => {
  const file = example('uniswap-v2-factory')
  const trade = { tokenIn: token('WETH'), tokenOut: token('USDC'), amountIn: String(20n * ether) }

  test('gives routes the pools of its events, as many as the adapter finds', async () => {
    const synced = await runCli(['pools', 'sync', '--json'], {
      DATA_DIR: dataDir,
      RPC_URL_1: context().sandbox.url,
      VENUES: file,
    })
    expect(synced.code, synced.err).toBe(0)
    const counts = new Map<string, number>(
      JSON.parse(synced.out).protocols.map(({ protocol, pools }: never) => [protocol, pools]),
    )
    expect(counts.get('declared')).toBeGreaterThan(3)
    expect(counts.get('declared')).toBe(counts.get('uniswap-v2'))

    const service = await start({ VENUES: file, POOL_INDEX: 'on', DATA_DIR: dataDir })
    const route = await declaredRoute(service, trade)
    await expectDelivered(route, trade)
  })

  test('is tried by venues check with the oldest of its pools', () =>
    expectChecked(file, '6 of 6 directions pay what they quote.'))
})

describe('a pool that calls back to be paid', () => {
  const file = example('uniswap-v3')
  const trade = { tokenIn: token('WETH'), tokenOut: token('USDC'), amountIn: String(ether) }

  let service: TestService
  beforeAll(async () => {
    service = await start({ VENUES: file })
  })

  test.each(['router', 'delegate'])('is swapped in by the strategy %s', async (routingStrategy) => {
    for (const one of [
      trade,
      { tokenIn: trade.tokenOut, tokenOut: trade.tokenIn, amountIn: '3000000000' },
    ]) {
      const route = await declaredRoute(service, one, { routingStrategy })
      if (routingStrategy === 'router') await expectDelivered(route, one)
    }
  })

  test('is tried by venues check', () =>
    expectChecked(file, '2 of 2 directions pay what they quote.'))
})

describe('a pool of ether itself', () => {
  const file = example('native')
  let service: TestService
  beforeAll(async () => {
    service = await start({ VENUES: file })
  })

  test.each([
    ['ether', nativeToken, token('stETH')],
    ['wrapped ether', token('WETH'), token('stETH')],
    ['a token for ether', token('stETH'), nativeToken],
    ['a token for wrapped ether', token('stETH'), token('WETH')],
  ])('takes %s', async (_name, tokenIn, tokenOut) => {
    const trade = { tokenIn, tokenOut, amountIn: String(2n * ether) }
    const route = await declaredRoute(service, trade)
    await expectDelivered(route, trade)
  })

  test('is tried by venues check', () =>
    expectChecked(file, '2 of 2 directions pay what they quote.'))
})
