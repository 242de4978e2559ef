/** Who pays the receiver: the pools, or the Executor where somebody else's payment could be taken for theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { startService, type TestService } from '../../support/service/service.js'
import { isPaidByPools } from '../../support/strategies.js'

const alice = sandboxAccount('alice').address
const [weth, usdc] = [sandboxToken('WETH').address, sandboxToken('USDC').address]
/** Any contract: it may hold the token for many. */
const contract = sandboxToken('DAI').address

let sandbox: Sandbox
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  service = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await service?.stop()
  await sandbox?.stop()
})

describe('the receiver of a route', () => {
  test.each<[string, Address, boolean, string]>([
    ['an account without code is paid by the pools', alice, true, 'router'],
    ['a contract, too, by swap(), which counts what pools claim', contract, true, 'router'],
    ['an account without code is paid by the pools', alice, true, 'router-legacy'],
    ['a contract is paid by the Executor', contract, false, 'router-legacy'],
  ])('%s (%s, %s, %s)', async (_, receiver, expected, routingStrategy) => {
    const answer = await service.get('/api/v1/shortcuts/route', {
      fromAddress: alice,
      receiver,
      routingStrategy,
      executionMode: 'backend',
      tokenIn: usdc,
      amountIn: '1000000000',
      tokenOut: weth,
    })
    expect(answer.status, answer.text).toBe(200)
    expect(isPaidByPools(answer)).toBe(expected)
    const { tx, amountOut, gas, blockNumber } = answer.body
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber,
      tx,
      watch: [{ token: weth, owner: receiver }],
    })
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(gas) })
    expect(done.deltas).toEqual([BigInt(amountOut)])
  })
})
