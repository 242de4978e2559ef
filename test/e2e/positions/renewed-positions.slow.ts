/** Positions are read again once what is known of them is old. */
import { encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { startService, type TestService } from '../../support/service/service.js'

const vaultAbi = parseAbi(['function totalAssets() view returns (uint256)'])

interface Row {
  readonly tvl: number | null
  readonly apyBase: number | null
  readonly tokenAddress: string | null
}

let service: TestService

beforeAll(async () => {
  service = await startService({
    HEAD_POLL_MS: '250',
    POSITIONS_MAX_AGE_SECONDS: '1',
    WORKERS: '1',
  })
})
afterAll(() => service.stop())

async function positions(): Promise<Row[]> {
  const { status, text, body } = await service.get('/api/v1/positions', { chainId: '1' })
  expect(status, text).toBe(200)
  return body
}

test('what happens on the chain is listed once the snapshot is old, the old one until then', async () => {
  const vault = vaultSpecs[0]?.address ?? '0x'
  const tvlOf = async () =>
    (await positions()).find(({ tokenAddress }) => tokenAddress === vault)?.tvl ?? 0
  const before = await tvlOf()
  const node = createRpcClient(service.nodeUrl)
  const args = [vault, 50_000_000_000n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await node.request('eth_sendTransaction', [
    {
      from: sandboxAccount('alice').address,
      to: sandboxToken('USDC').address,
      data,
      gas: numberToHex(200_000n),
    },
  ])
  const held = {
    to: args[0],
    data: encodeFunctionData({ abi: vaultAbi, functionName: 'totalAssets' }),
  }
  const worth = async () => BigInt(await node.request<Hex>('eth_call', [held, 'latest']))
  await expect.poll(worth).toBeGreaterThan(BigInt(Math.floor(before + 49_000)) * 1_000_000n)
  await node.close()
  await expect
    .poll(async () => Math.round((await tvlOf()) - before), { interval: 500, timeout: 150_000 })
    .toBeGreaterThan(49_000)
  const row = (await positions()).find(({ tokenAddress }) => tokenAddress === vault)
  // Half a percent in one block is no yield.
  expect(row?.apyBase).toBeNull()
})
