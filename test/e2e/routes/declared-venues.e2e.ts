/**
 * Venues of a file without code: the example files do what the adapters of the same pools do, and a venue that lies is
 * never the reason for a promise that is not kept.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseVenues } from '../../../src/config/venues.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { joinedExamples } from '../../support/declared-venues.js'
import { executeOnFork } from '../../support/execute.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { isPaidByPools } from '../../support/strategies.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice').address
const ether = 10n ** 18n

// Sells USDC for WETH at a fixed price, and back; what it says and does depends on its mode.
const { Desk } = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Erc20 {
  function balanceOf(address owner) external view returns (uint256);
  function transfer(address to, uint256 amount) external returns (bool);
  function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Desk {
  enum Mode { Honest, QuotesTwice, QuoteReverts, QuoteBurns, Takes, SwapBurns, QuotesText }
  Erc20 private immutable weth;
  Erc20 private immutable usdc;
  uint256 private immutable usdcPerWeth;
  Mode public mode;

  constructor(Erc20 weth_, Erc20 usdc_, uint256 price) { (weth, usdc, usdcPerWeth) = (weth_, usdc_, price); }
  function become(Mode next) external { mode = next; }
  function amountOut(Erc20 tokenIn, uint256 amountIn) public view returns (uint256) {
    return tokenIn == weth ? (amountIn * usdcPerWeth) / 1e18 : (amountIn * 1e18) / usdcPerWeth;
  }
  function quote(Erc20 tokenIn, uint256 amountIn) external view returns (uint256) {
    if (mode == Mode.QuoteReverts) revert("closed");
    if (mode == Mode.QuoteBurns) while (true) {}
    if (mode == Mode.QuotesText) assembly { mstore8(0, 65) return(0, 1) }
    return amountOut(tokenIn, amountIn) * (mode == Mode.QuotesTwice ? 2 : 1);
  }
  function swap(Erc20 tokenIn, uint256 amountIn) external {
    tokenIn.transferFrom(msg.sender, address(this), amountIn);
    if (mode == Mode.Takes) return;
    if (mode == Mode.SwapBurns) while (true) {}
    (tokenIn == weth ? usdc : weth).transfer(msg.sender, amountOut(tokenIn, amountIn));
  }
}
`)

const context = withSandbox()
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-declared-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** Executes the route of alice on a fork of its own. @returns what she gets of the token. */
async function executed(
  nodeUrl: string,
  { body }: Answer,
  { tokenIn, tokenOut, amountIn }: Readonly<Record<'tokenIn' | 'tokenOut' | 'amountIn', string>>,
) {
  const done = await executeOnFork({
    nodeUrl,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: toAddress(tokenOut), owner: alice }],
    fund: [{ token: toAddress(tokenIn), amount: BigInt(amountIn) }],
    approve: body.tx.to,
  })
  expect(done.status).toBe('success')
  return done.deltas[0]
}

describe('an example file', () => {
  let service: TestService
  /** Slugs of all exchanges but the declared ones. */
  let adapters: string[]

  beforeAll(async () => {
    const file = join(dataDir, 'examples.yaml')
    await writeFile(file, joinedExamples())
    // The sandbox of a service without nodes: adapters know its pools of Curve and Balancer.
    service = await startService({ VENUES: file })
    const { body } = await service.get('/api/v1/aggregators')
    expect(body).toContain('declared')
    adapters = body.filter((slug: string) => slug !== 'declared')
  })
  afterAll(() => service?.stop())

  const trades = [
    ['uniswap-v2', 'WETH', 'USDC', ether, '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'],
    ['curve', 'DAI', 'sUSD', 5_000n * ether, '0xa5407eae9ba41422680e2e00537571bcc53efbfd'],
    [
      'balancer-v2',
      'LINK',
      'UNI',
      50n * ether,
      '0x3a19030ed746bd1c3f2b0f996ff9479af04c5f0a000100000000000000000004',
    ],
  ] as const

  test.each(trades)(
    'of %s swaps %s for %s as the adapter does, to the wei',
    async (name, a, b, amountIn, onlyPools) => {
      const trade = { tokenIn: token(a), tokenOut: token(b), amountIn: String(amountIn) }
      const route = (more: Record<string, string | string[]>): Promise<Answer> =>
        service.get('/api/v1/shortcuts/route', {
          fromAddress: alice,
          executionMode: 'backend',
          ...trade,
          onlyPools,
          ...more,
        })
      const declared = await route({ ignoreAggregators: adapters })
      expect(declared.status, declared.text).toBe(200)
      expect(declared.text).toContain('"protocol":"declared"')
      const own = await route({
        ignoreAggregators: 'declared',
        blockNumber: String(declared.body.createdAt),
      })
      expect(own.status, own.text).toBe(200)
      expect(own.text).toContain(`"protocol":"${name}"`)
      expect(declared.body.amountOut).toBe(own.body.amountOut)
      // Nobody vouches for a declared pool: what counts is what the Executor paid.
      expect(isPaidByPools(declared)).toBe(false)
      const got = await executed(service.nodeUrl, declared, trade)
      expect(got).toBe(BigInt(declared.body.amountOut))
    },
  )

  test('has no mistake', () => {
    expect(parseVenues(joinedExamples()).problems).toEqual([])
  })
})

describe('a venue that anybody may have written', () => {
  const modes = [
    'honest',
    'quotes twice what it pays',
    'reverts when it is asked',
    'burns the gas of its quote',
    'takes the tokens and pays nothing',
    'burns the gas of its swap',
    'answers no number',
  ]
  const trade = {
    tokenIn: token('WETH'),
    tokenOut: token('USDC'),
    amountIn: String(ether / 20n),
  }
  let node: NodeWriter
  let service: TestService
  let desk: Address
  let file: string

  beforeAll(async () => {
    const env = { RPC_URL_1: context().sandbox.url, HEAD_POLL_MS: '50' }
    const plain = await startService(env)
    const quote = await plain.get('/api/v1/shortcuts/quote', trade)
    await plain.stop()
    if (!Desk) throw new Error('the desk was not compiled')
    node = await new NodeWriter(context().sandbox.url).start()
    await node.rpc('anvil_impersonateAccount', [alice])
    // One percent better than the market.
    const price = (BigInt(quote.body.amountOut) * 20n * 101n) / 100n
    const args = [trade.tokenIn, trade.tokenOut, price]
    desk = await node.deploy(Desk.bytecode, 'address, address, uint256', args)
    const transfer = 'function transfer(address, uint256)'
    await node.send(token('WETH'), transfer, [desk, 5n * ether], alice)
    await node.send(token('USDC'), transfer, [desk, 15_000n * 10n ** 6n], alice)
    file = join(dataDir, 'desk.yaml')
    const venue = {
      name: 'desk',
      gas: 80_000,
      quote: {
        function: 'function quote(address tokenIn, uint256 amountIn) view returns (uint256)',
        args: ['tokenIn', 'amountIn'],
      },
      swap: {
        function: 'function swap(address tokenIn, uint256 amountIn)',
        args: ['tokenIn', 'amountIn'],
        pay: 'approve',
      },
      pools: [{ address: desk, tokens: [trade.tokenIn, trade.tokenOut] }],
    }
    await writeFile(file, JSON.stringify({ venues: [venue] }))
    service = await startService({ ...env, VENUES: file })
  })
  afterAll(async () => {
    await service?.stop()
    await node?.close()
  })

  async function become(mode: number): Promise<string> {
    await node.send(desk, 'function become(uint8)', [mode])
    return String(Number(await context().client.request<Hex>('eth_blockNumber', [])))
  }

  test.each([...modes.entries()])('%i: %s', async (mode, name) => {
    const asked = {
      fromAddress: alice,
      executionMode: 'backend',
      ...trade,
      blockNumber: await become(mode),
    }
    const route = await service.get('/api/v1/shortcuts/route', asked)
    expect(route.status, route.text).toBe(200)
    expect(await executed(context().sandbox.url, route, trade)).toBe(BigInt(route.body.amountOut))
    // It takes part where it pays, whatever it says.
    const pays = name === 'honest' || name.startsWith('quotes twice')
    expect(route.text.includes(desk)).toBe(pays)

    const alone = await service.get('/api/v1/shortcuts/route', { ...asked, onlyPools: desk })
    expect(alone.status, alone.text).toBe(pays ? 200 : 422)
  })

  test('is in a cassette, which needs no file', async () => {
    const blockNumber = Number(await become(0))
    const requests = join(dataDir, 'requests.json')
    const cassette = join(dataDir, 'desk.cassette')
    const query = { ...trade, blockNumber, onlyPools: desk }
    await writeFile(requests, JSON.stringify({ requests: [{ path: '/shortcuts/quote', query }] }))
    const env = { RPC_URL_1: context().sandbox.url, DATA_DIR: dataDir }
    const recorded = await runCli(['record', cassette, '--requests', requests], {
      ...env,
      VENUES: file,
    })
    expect(recorded.code, recorded.err).toBe(0)
    const verified = await runCli(['verify', cassette], { DATA_DIR: dataDir })
    expect(verified.out, verified.err).toContain('1 the same')
  })

  test('is told by venues check', async () => {
    const env = { RPC_URL_1: context().sandbox.url, DATA_DIR: dataDir, VENUES: file }
    await become(0)
    const honest = await runCli(['venues', 'check'], env)
    expect(honest.out, honest.err).toContain('2 of 2 directions pay what they quote.')
    await become(1)
    const lying = await runCli(['venues', 'check', '--json'], env)
    expect(lying.code).toBe(1)
    expect(JSON.parse(lying.out)).toMatchObject([
      { venue: 'desk', problem: 'The swap gives 50 % less than the quote.' },
      { venue: 'desk', problem: 'The swap gives 50 % less than the quote.' },
    ])
  })
})
