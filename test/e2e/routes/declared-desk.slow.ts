/** Declared venues that anybody may have written: one that lies is never the reason for a promise that is not kept. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { alice, deliveredByRoute } from '../../support/declared-venues.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
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
  enum Mode { Honest, QuotesTwice, QuoteReverts, QuoteBurns, Takes, SwapBurns, QuotesText, QuotesAll }
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
    if (mode == Mode.QuotesAll) return type(uint256).max;
    return amountOut(tokenIn, amountIn) * (mode == Mode.QuotesTwice ? 2 : 1);
  }
  function swap(Erc20 tokenIn, uint256 amountIn) external {
    tokenIn.transferFrom(msg.sender, address(this), amountIn);
    if (mode == Mode.Takes || mode == Mode.QuotesAll) return;
    if (mode == Mode.SwapBurns) while (true) {}
    (tokenIn == weth ? usdc : weth).transfer(msg.sender, amountOut(tokenIn, amountIn));
  }
}
`)

const context = withSandbox()
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-desk-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('a venue that anybody may have written', () => {
  const modes = [
    'honest',
    'quotes twice what it pays',
    'reverts when it is asked',
    'burns the gas of its quote',
    'takes the tokens and pays nothing',
    'burns the gas of its swap',
    'answers no number',
    'promises all that there can be, and pays nothing',
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
    const env = { RPC_URL_1: context().sandbox.url, HEAD_POLL_MS: '250' }
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
    expect(await deliveredByRoute(context().sandbox.url, route, trade)).toBe(
      BigInt(route.body.amountOut),
    )
    // It takes part where it pays, whatever it says.
    const pays = name === 'honest' || name.startsWith('quotes twice')
    expect(route.text.includes(desk)).toBe(pays)

    // Nor does it keep others from giving a stated output.
    const { amountIn: _, ...pair } = asked
    const amountOut = String(BigInt(route.body.amountOut) / 2n)
    const exact = await service.get('/api/v1/shortcuts/route', { ...pair, amountOut })
    expect(exact.status, exact.text).toBe(200)
    expect(BigInt(exact.body.amountOut)).toBeGreaterThanOrEqual(BigInt(amountOut))

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
