/** The chain moves on while the service runs: a returned transaction is sent for real, and the next answer knows it. */
import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const usdc: Address = sandboxToken('USDC').address
const trade = { tokenIn: nativeToken, tokenOut: usdc, amountIn: (5n * 10n ** 18n).toString() }

let service: TestService
let node: RpcClient

beforeAll(async () => {
  service = await startService({ HEAD_POLL_MS: '50' })
  node = createRpcClient(service.nodeUrl)
})
afterAll(async () => {
  await node.close()
  await service.stop()
})

async function balance(): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [alice] })
  return BigInt(await node.request<Hex>('eth_call', [{ to: usdc, data }, 'latest']))
}

describe('a chain that moves on', () => {
  test('the transaction sent to the node delivers amountOut, and the next answer stands on the new block', async () => {
    const first = await service.get('/api/v1/shortcuts/route', { fromAddress: alice, ...trade })
    expect(first.status, first.text).toBe(200)
    const before = await balance()
    const { data, to, from, value } = first.body.tx
    await node.request('eth_sendTransaction', [
      { from, to, data, value: numberToHex(BigInt(value)), gas: numberToHex(2_000_000n) },
    ])
    await expect.poll(() => balance()).toBe(before + BigInt(first.body.amountOut))

    const next = first.body.createdAt + 1
    await expect
      .poll(async () => (await service.get('/api/v1/networks')).body[0].blockNumber, {
        timeout: 60_000,
      })
      .toBe(next)
    const second = await service.get('/api/v1/shortcuts/route', { fromAddress: alice, ...trade })
    expect(second.body.createdAt).toBe(next)
    expect(second.body.amountOut).not.toBe(first.body.amountOut)
    const again = await service.get('/api/v1/shortcuts/route', {
      fromAddress: alice,
      ...trade,
      blockNumber: String(first.body.createdAt),
    })
    expect(again.text).toBe(first.text)
  })
})
