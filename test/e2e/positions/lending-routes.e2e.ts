/** Routes into and out of lending markets through the whole product: what the answer says is what its transaction does. */
import { maxUint256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const router = contractAddress('Router')
/** Has nothing that could earn interest meanwhile. */
const receiver: Address = '0x000000000000000000000000000000000000e001'
const addresses: Readonly<Record<string, Address>> = {
  ETH: nativeToken,
  cETH: '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5',
  cUSDC: '0x39aa39c021dfbae8fac545936693ac917d5e7563',
  cDAI: '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643',
  cUSDCv3: '0xc3d688b66703497daa19211eedff47f25384cdc3',
}
const address = (symbol: string) => addresses[symbol] ?? sandboxToken(symbol).address

let sandbox: Sandbox
let node: NodeWriter
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const approve = 'function approve(address, uint256)'
  await node.send(address('USDC'), approve, [address('cUSDC'), maxUint256], alice)
  await node.send(address('cUSDC'), 'function mint(uint256)', [50_000_000_000n], alice)
  await node.send(address('cUSDC'), approve, [router, maxUint256], alice)
  await node.send(address('USDC'), approve, [address('cUSDCv3'), maxUint256], alice)
  const lend = 'function supply(address, uint256)'
  await node.send(address('cUSDCv3'), lend, [address('USDC'), 50_000_000_000n], alice)
  await node.send(address('cUSDCv3'), approve, [router, maxUint256], alice)
  service = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await service.stop()
  await node.close()
  await sandbox.stop()
})

const stepsOf = ({ body }: Answer): string[] =>
  body.route.map((step: { action: string; protocol: string }) => `${step.action} ${step.protocol}`)

/** Asks for a route, sends its transaction on a fork of its own, and expects its amount and gas to the unit. */
async function expectRoute(from: string, to: string, amountIn: bigint): Promise<string[]> {
  const [tokenIn, tokenOut] = [address(from), address(to)]
  const amounts = { tokenIn, tokenOut, amountIn: amountIn.toString() }
  const query = { fromAddress: alice, receiver, ...amounts }
  const answer = await service.get('/api/v1/shortcuts/route', query)
  expect(answer.status, answer.text).toBe(200)
  const { body } = answer
  const done = await executeOnFork({
    nodeUrl: sandbox.url,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: tokenOut, owner: receiver }],
  })
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([BigInt(body.amountOut)])
  expect(done.gasUsed).toBe(BigInt(body.gas))
  return stepsOf(answer)
}

test.each([
  ['USDC', 'cUSDC', 12_345_678_901n, 'deposit compound-v2'],
  ['ETH', 'cETH', 10n ** 18n + 7n, 'deposit compound-v2'],
  ['cUSDC', 'USDC', 100_000_000_007n, 'redeem compound-v2'],
  ['USDC', 'cUSDCv3', 12_345_678_901n, 'deposit compound-v3'],
  ['cUSDCv3', 'USDC', 12_345_678_901n, 'redeem compound-v3'],
])('%s becomes %s in one step', async (from, to, amount, step) => {
  expect(await expectRoute(from, to, amount)).toEqual([step])
})

test.each([
  ['WETH', 'cUSDC', 10n ** 18n, /deposit compound-v2$/],
  ['cUSDC', 'WETH', 100_000_000_007n, /^redeem compound-v2,swap/],
  ['ETH', 'cUSDCv3', 10n ** 18n, /deposit compound-v3$/],
  ['cUSDCv3', 'DAI', 1_000_000_007n, /^redeem compound-v3,swap/],
  ['cUSDC', 'cUSDCv3', 100_000_000_007n, /^redeem compound-v2,deposit compound-v3$/],
  ['cUSDC', 'cETH', 100_000_000_007n, /^redeem compound-v2,swap.*deposit compound-v2$/],
])('%s becomes %s by way of other pools', async (from, to, amount, steps) => {
  expect((await expectRoute(from, to, amount)).join()).toMatch(steps)
})

test.each(['router', 'delegate', 'svcwallet-v2'])(
  'a quote needs no balance of what is lent: %s',
  async (routingStrategy) => {
    const query = { tokenIn: address('cUSDC'), tokenOut: address('USDC'), routingStrategy }
    const answer = await service.get('/api/v1/shortcuts/quote', {
      ...query,
      amountIn: '100000000007',
    })
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['redeem compound-v2'])
  },
)
