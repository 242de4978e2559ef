/**
 * aTokens after two years of interest: a transfer of them may deliver a unit less or more than was asked for. Amounts
 * of either kind, and of neither, still leave the Pool whole.
 */
import { maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { rayDiv, rayMul } from '../../../src/protocols/aave-v3/ray.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, executeBundle } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'

const usdc = sandboxToken('USDC').address
const weth = sandboxToken('WETH').address
const pool = String(ethereum.venues['aave-v3']?.pool) as Address
const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
const alice = sandboxAccount('alice').address
const twoYears = 63_072_000

let sandbox: Sandbox
let node: NodeWriter
let service: TestService
/** At the time of the block that the transactions run in. */
let index: bigint

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const approve = 'function approve(address, uint256)'
  await node.send(aUsdc, approve, [contractAddress('Router'), maxUint256], alice)
  const head = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  await node.rpc('evm_setNextBlockTimestamp', [Number(head.timestamp) + twoYears])
  await node.rpc('evm_mine', [])
  // The interest is booked, so that the index of later blocks is near this one.
  await node.send(usdc, approve, [pool, maxUint256], alice)
  const supply = 'function supply(address, uint256, address, uint16)'
  await node.send(pool, supply, [usdc, 1_000_000n, alice, 0], alice)
  service = await startService({ RPC_URL_1: sandbox.url })
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const call = { to: pool, data: `0xd15e0053${usdc.slice(2).padStart(64, '0')}` }
  const time = `0x${(BigInt(timestamp) + 12n).toString(16)}`
  index = BigInt(await node.rpc<Hex>('eth_call', [call, 'latest', {}, { time }]))
})
afterAll(async () => {
  await service.stop()
  await node.close()
  await sandbox.stop()
})

/** The next amount from the start whose transfer delivers so much more. */
function amountThatGains(start: bigint, gain: bigint): bigint {
  for (let amount = start; amount < start + 10_000n; amount++) {
    if (rayMul(rayDiv(amount, index), index) - amount === gain) return amount
  }
  throw new Error(`no amount gains ${gain} at the index ${index}`)
}

const gains = [[-1n], [0n], [1n]] as const
const query = { fromAddress: alice, executionMode: 'user' }
const written = (amount: bigint) => amount.toString()

describe('aTokens with interest', () => {
  test.each(gains)('redeem: the transfer gains %d', async (gain) => {
    const amountIn = amountThatGains(1_000_000_000n, gain)
    const args = {
      tokenIn: aUsdc,
      tokenOut: usdc,
      amountIn: written(amountIn),
      primaryAddress: pool,
    }
    const action = { protocol: 'aave-v3', action: 'redeem', args }
    const { status, text, body } = await askBundle(service, query, [action])
    expect(status, text).toBe(200)
    expect(body.amountsOut).toEqual({ [usdc]: written(amountIn + gain) })
    const execution = await executeBundle(service, body, { isFunded: false })
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
  })

  test.each(gains)('two redemptions: the transfer gains %d', async (gain) => {
    const amountIn = amountThatGains(2_000_000_000n, gain) / 2n
    const args = {
      tokenIn: aUsdc,
      tokenOut: usdc,
      amountIn: written(amountIn),
      primaryAddress: pool,
    }
    const action = { protocol: 'aave-v3', action: 'redeem', args }
    const { status, text, body } = await askBundle(service, query, [action, action])
    expect(status, text).toBe(200)
    const execution = await executeBundle(service, body, { isFunded: false })
    expect(execution.status).toBe('success')
    expect(execution.gained[usdc]).toBe(written(2n * amountIn - 2n))
  })

  test.each(gains)('withdraw: the transfer gains %d', async (gain) => {
    const amountOut = amountThatGains(3_000_000_000n, gain) - 1n
    const args = {
      tokenIn: aUsdc,
      tokenOut: usdc,
      amountOut: written(amountOut),
      primaryAddress: pool,
    }
    const action = { protocol: 'aave-v3', action: 'withdraw', args }
    const { status, text, body } = await askBundle(service, query, [action])
    expect(status, text).toBe(200)
    expect(body.amountsOut[usdc]).toBe(written(amountOut))
    const execution = await executeBundle(service, body, { isFunded: false })
    expect(execution.status).toBe('success')
    expect(execution.gained[usdc]).toBe(written(amountOut))
  })

  test.each(gains)('route into another token: the transfer gains %d', async (gain) => {
    const amountIn = written(amountThatGains(4_000_000_000n, gain))
    const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
      fromAddress: alice,
      tokenIn: aUsdc,
      tokenOut: weth,
      amountIn,
    })
    expect(status, text).toBe(200)
    expect(body.route[0]).toMatchObject({ action: 'withdraw', protocol: 'aave-v3' })
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: body.createdAt,
      tx: body.tx,
      watch: [{ token: weth, owner: alice }],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(body.amountOut)])
  })
})
