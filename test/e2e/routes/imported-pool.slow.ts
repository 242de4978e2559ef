/** Private liquidity: a pair that no factory knows takes part in quotes once it is imported, like any other pool. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { mined } from '../../support/mined.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'
import { isPaidByPools } from '../../support/strategies.js'

// A market maker's own pair: the swap of a V2 pair at a fee of 5 basis points, for whoever comes; no factory, no shares.
const { PrivatePair } = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Erc20 {
  function balanceOf(address owner) external view returns (uint256);
  function transfer(address to, uint256 amount) external returns (bool);
}

contract PrivatePair {
  uint256[8] private before;
  uint112 private reserve0;
  uint112 private reserve1;
  uint32 private updatedAt;
  address public immutable token0;
  address public immutable token1;

  constructor(address a, address b) { (token0, token1) = (a, b); }
  function getReserves() external view returns (uint112, uint112, uint32) { return (reserve0, reserve1, updatedAt); }
  function sync() public {
    reserve0 = uint112(Erc20(token0).balanceOf(address(this)));
    reserve1 = uint112(Erc20(token1).balanceOf(address(this)));
    updatedAt = uint32(block.timestamp);
  }
  function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
    (uint256 old0, uint256 old1) = (reserve0, reserve1);
    if (amount0Out > 0) Erc20(token0).transfer(to, amount0Out);
    if (amount1Out > 0) Erc20(token1).transfer(to, amount1Out);
    sync();
    uint256 in0 = uint256(reserve0) + amount0Out - old0;
    uint256 in1 = uint256(reserve1) + amount1Out - old1;
    require((reserve0 * 1e4 - in0 * 5) * (reserve1 * 1e4 - in1 * 5) >= old0 * old1 * 1e8, 'K');
  }
}
`)

const alice = sandboxAccount('alice').address
const weth = sandboxToken('WETH').address
const usdc = sandboxToken('USDC').address
const ether = 10n ** 18n
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: (ether / 20n).toString() }

const context = withSandbox()
let dataDir: string
let service: TestService

const start = () =>
  startService({ RPC_URL_1: context().sandbox.url, DATA_DIR: dataDir, HEAD_POLL_MS: '250' })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-import-'))
  service = await start()
})
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function send(data: Hex, to?: Address): Promise<Address | null> {
  const sent = { from: alice, data, to: to ?? null }
  const { contractAddress } = await mined(context().client.request, sent)
  return contractAddress
}

/** A pair with twenty WETH, and what they are worth at a price one percent above the given one. */
async function deployPair(usdcPerWeth: bigint): Promise<Address> {
  if (!PrivatePair) throw new Error('the pair was not compiled')
  const { abi, bytecode } = PrivatePair
  const created = await send(encodeDeployData({ abi, bytecode, args: [usdc, weth] }))
  const pair = toAddress(created ?? '0x')
  for (const [token, amount] of [
    [weth, 20n * ether],
    [usdc, (20n * usdcPerWeth * 101n) / 100n],
  ] as const) {
    const args = [pair, amount] as const
    await send(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }), token)
  }
  await send(encodeFunctionData({ abi, functionName: 'sync' }), pair)
  return pair
}

describe('forkroute pools import', () => {
  test('a pair that no factory knows is routed through once it is imported, and delivers exactly', async () => {
    const dust = (ether / 1_000n).toString()
    const probe = await service.get('/api/v1/shortcuts/quote', { ...trade, amountIn: dust })
    const pair = await deployPair(BigInt(probe.body.amountOut) * 1_000n)
    const head = Number(await context().client.request<Hex>('eth_blockNumber', []))
    const at = { ...trade, blockNumber: String(head) }
    const before = await service.get('/api/v1/shortcuts/quote', at)
    expect(before.status, before.text).toBe(200)
    expect(before.text).not.toContain(pair)
    const known = await service.get('/api/v1/shortcuts/route', { fromAddress: alice, ...at })
    expect(isPaidByPools(known)).toBe(true)

    const file = join(dataDir, 'pools.json')
    const parameters = { feeBps: 5 }
    const row = {
      protocol: 'uniswap-v2',
      id: pair,
      address: pair,
      tokens: [usdc, weth],
      parameters,
    }
    await writeFile(file, JSON.stringify([row]))
    const imported = await runCli(['pools', 'import', file, '--json'], { DATA_DIR: dataDir })
    expect(imported.out, imported.err).toContain('"added": 1')
    await service.stop()
    service = await start()

    const quote = await service.get('/api/v1/shortcuts/quote', at)
    expect(quote.status, quote.text).toBe(200)
    expect(quote.text).toContain(pair)
    expect(BigInt(quote.body.amountOut)).toBeGreaterThan(BigInt(before.body.amountOut))
    const route = await service.get('/api/v1/shortcuts/route', { fromAddress: alice, ...at })
    expect(route.body.amountOut).toBe(quote.body.amountOut)
    // Nobody vouches for the pair: what counts is what the Executor paid.
    expect(isPaidByPools(route)).toBe(false)
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: head,
      tx: route.body.tx,
      watch: [
        { token: usdc, owner: alice },
        { token: usdc, owner: pair },
      ],
    })
    expect(done.status).toBe('success')
    expect(done.deltas[0]).toBe(BigInt(route.body.amountOut))
    expect(done.deltas[1]).toBeLessThan(0n)
    expect(done.gasUsed).toBe(BigInt(route.body.gas))
  })
})
