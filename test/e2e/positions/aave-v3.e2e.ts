/** Lending and borrowing through routes and bundles on the sandbox's Aave V3; every transaction is carried out. */
import { maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import {
  contractAddress,
  executorAddress,
  walletAddress,
} from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, executeBundle, output } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const pool = String(ethereum.venues['aave-v3']?.pool) as Address
/** As on mainnet. */
const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
const aWeth: Address = '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8'
const aLink: Address = '0x5e8c8a7243651db1384c0ddfdbe39761e8e7e51a'
const aAave: Address = '0xa700b4eb416be35b2911fd5dee80678ff64ff6c9'
const aUni: Address = '0xf6d2224916ddfbbab6e6bd0d1b7034f4ae0cab18'
const aFrax: Address = '0xd4e245848d6e1220dbe62e155d89fa327e43cb06'
const debtWeth: Address = '0xea51d7853eefb32b6ee06b1c12e6dcca88be0ffe'
const debtDai: Address = '0xcf8d0c70c850859266f5c338b38f9d663181c314'
const alice = sandboxAccount('alice').address
const carol = sandboxAccount('carol').address
const dave = sandboxAccount('dave').address
/** Without anything at the beginning. */
const from: Address = '0x00000000000000000000000000000000000f00d5'
const receiver: Address = '0x00000000000000000000000000000000000cafe0'
const router = contractAddress('Router')
const ether = 10n ** 18n
const million = 10n ** 12n
const protocol = 'aave-v3'
const borrowAbi = 'function borrow(address, uint256, uint256, uint16, address)'

let sandbox: Sandbox
let node: NodeWriter
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  const approve = 'function approve(address, uint256)'
  for (const account of [alice, carol, dave]) {
    await node.rpc('anvil_impersonateAccount', [account])
    for (const aToken of [aUsdc, aFrax, aWeth]) {
      await node.send(aToken, approve, [router, maxUint256], account)
    }
  }
  // Dave lends, but not as collateral.
  await node.send(token('USDC'), approve, [pool, maxUint256], dave)
  const supply = 'function supply(address, uint256, address, uint16)'
  await node.send(pool, supply, [token('USDC'), 50_000_000_000n, dave, 0], dave)
  const useCollateral = 'function setUserUseReserveAsCollateral(address, bool)'
  await node.send(pool, useCollateral, [token('USDC'), false], dave)
  // Alice owes a little ether and DAI from before.
  await node.send(pool, borrowAbi, [token('WETH'), 2n * ether, 2n, 0, alice], alice)
  await node.send(pool, borrowAbi, [token('DAI'), 10_000n * ether, 2n, 0, alice], alice)
  service = await startService({ RPC_URL_1: sandbox.url, WORKERS: '2' })
})
afterAll(async () => {
  await service.stop()
  await node.close()
  await sandbox.stop()
})

/** The receiver has nothing before, so that no interest of it counts. */
function route(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> {
  const amount = amountIn.toString()
  const query = { fromAddress: alice, receiver, tokenIn, tokenOut, amountIn: amount }
  return service.get('/api/v1/shortcuts/route', query)
}

const stepsOf = ({ body }: Answer): string[] =>
  body.route.map((step: { action: string; protocol: string }) => `${step.action} ${step.protocol}`)

/** Sends the transaction of a route on a fork of its own, and expects its amount and gas to the unit. */
async function expectExecution({ body }: Answer, tokenOut: Address): Promise<void> {
  const done = await executeOnFork({
    nodeUrl: sandbox.url,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: tokenOut, owner: receiver }],
  })
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([BigInt(body.amountOut)])
  expect(done.gasUsed).toBe(BigInt(body.gas))
}

function aave(action: string, args: Readonly<Record<string, unknown>>): Action {
  const written = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : value,
  ])
  return { protocol, action, args: { primaryAddress: pool, ...Object.fromEntries(written) } }
}

async function ask(
  actions: readonly Action[],
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(answer.status, answer.text).toBe(200)
  return answer
}

/** Expects a 422 whose message says why the protocol refuses. */
async function expectRefusal(
  actions: readonly Action[],
  reason: string,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(answer.status, answer.text).toBe(422)
  expect(answer.body.message).toContain(reason)
}

const depositUsdc = (amountIn: bigint, more = {}) =>
  aave('deposit', { tokenIn: token('USDC'), tokenOut: aUsdc, amountIn, ...more })
const borrowWeth = (amountOut: bigint) =>
  aave('borrow', { collateral: aUsdc, tokenOut: token('WETH'), amountOut })

describe('routes', () => {
  test('a token becomes its aToken by one deposit', async () => {
    const answer = await route(token('USDC'), aUsdc, 1_234_567_890n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['deposit aave-v3'])
    expect(answer.body.route[0].primary).toBe(pool)
    await expectExecution(answer, aUsdc)
  })

  test('an aToken becomes another token: a withdrawal, then a swap', async () => {
    const answer = await route(aUsdc, token('WETH'), 4_321_987_651n)
    expect(answer.status, answer.text).toBe(200)
    const [first, ...others] = stepsOf(answer)
    expect(first).toBe('withdraw aave-v3')
    expect(others.join()).toMatch(/^swap /)
    await expectExecution(answer, token('WETH'))
  })

  test('one aToken becomes another', async () => {
    const answer = await route(aUsdc, aWeth, 10_000_000_007n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer).at(0)).toBe('withdraw aave-v3')
    expect(stepsOf(answer).at(-1)).toBe('deposit aave-v3')
    await expectExecution(answer, aWeth)
  })

  test.each(['router', 'delegate', 'svcwallet-v2'])(
    'a quote needs no aTokens: %s',
    async (routingStrategy) => {
      const answer = await service.get('/api/v1/shortcuts/quote', {
        tokenIn: aUsdc,
        tokenOut: token('USDC'),
        amountIn: '1000000007',
        routingStrategy,
      })
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toEqual(['withdraw aave-v3'])
      const lost = 1_000_000_007n - BigInt(answer.body.amountOut)
      expect([-1n, 0n, 1n]).toContain(lost)
    },
  )

  test.each([
    ['below the cap', 'LINK', aLink, 300n, 200],
    ['above the cap', 'LINK', aLink, 3_000n, 422],
    ['a paused reserve', 'AAVE', aAave, 1n, 422],
    ['a frozen reserve', 'UNI', aUni, 1n, 422],
  ] as const)('deposits: %s', async (_case, symbol, aToken, amount, status) => {
    const answer = await route(token(symbol), aToken, amount * ether)
    expect(answer.status, answer.text).toBe(status)
  })

  test('what is lent out cannot be withdrawn', async () => {
    const answer = await service.get('/api/v1/shortcuts/route', {
      fromAddress: carol,
      tokenIn: aFrax,
      tokenOut: token('USDC'),
      amountIn: ether.toString(),
    })
    expect(answer.status, answer.text).toBe(422)
  })
})

describe('deposit, withdraw, redeem', () => {
  test('a deposit without receiver gives aTokens that a later action may use', async () => {
    const { body } = await ask([
      depositUsdc(1_000n * 1_000_003n),
      aave('redeem', { tokenIn: aUsdc, tokenOut: token('USDC'), amountIn: output(0) }),
    ])
    const execution = await executeBundle(service, body)
    expect(execution.status).toBe('success')
    expect(Object.keys(body.amountsOut)).toEqual([token('USDC')])
    expect(execution.gained).toEqual(body.amountsOut)
  })

  test('what no action uses is paid to the receiver', async () => {
    const { body } = await ask([depositUsdc(777_777_777n)], { receiver })
    const execution = await executeBundle(service, body, { receiver })
    expect(execution.gained).toEqual(body.amountsOut)
    expect(Object.keys(body.amountsOut)).toEqual([aUsdc])
    expect(BigInt(body.amountsOut[aUsdc])).toBeGreaterThanOrEqual(777_777_776n)
    expect(execution.gasUsed.toString()).toBe(body.gas)
  })

  test.each(['router', 'delegate'])(
    'redeem takes all aTokens of an amount: %s',
    async (strategy) => {
      const redeem = aave('redeem', {
        tokenIn: aUsdc,
        tokenOut: token('USDC'),
        amountIn: 5_000_000_003n,
      })
      const query = { fromAddress: alice, routingStrategy: strategy, executionMode: 'user' }
      const { body } = await ask([redeem], query)
      const execution = await executeBundle(service, body, {
        routingStrategy: strategy,
        isFunded: false,
        watch: [{ token: aUsdc, owner: alice }],
      })
      expect(execution.status).toBe('success')
      expect(execution.gained[token('USDC')]).toBe(body.amountsOut[token('USDC')])
      const got = BigInt(body.amountsOut[token('USDC')])
      expect([-1n, 0n, 1n]).toContain(got - 5_000_000_003n)
    },
  )

  test.each(['router', 'delegate'])('withdraw yields exactly its amount: %s', async (strategy) => {
    const withdraw = aave('withdraw', {
      tokenIn: aUsdc,
      tokenOut: token('USDC'),
      amountOut: 6_000_000_001n,
    })
    const query = { fromAddress: alice, routingStrategy: strategy, executionMode: 'user' }
    const { body } = await ask([withdraw], query)
    expect(body.amountsOut[token('USDC')]).toBe('6000000001')
    const execution = await executeBundle(service, body, {
      routingStrategy: strategy,
      isFunded: false,
    })
    expect(execution.status).toBe('success')
    expect(execution.gained[token('USDC')]).toBe('6000000001')
  })

  test('two redemptions of one aToken in a bundle each take their own', async () => {
    const redeem = (amountIn: bigint) =>
      aave('redeem', { tokenIn: aUsdc, tokenOut: token('USDC'), amountIn })
    const { body } = await ask([redeem(1_000_000_007n), redeem(2_000_000_009n)], {
      fromAddress: alice,
      executionMode: 'user',
    })
    const execution = await executeBundle(service, body, { isFunded: false })
    expect(execution.status).toBe('success')
    expect(execution.gained[token('USDC')]).toBe('3000000014')
  })
})

describe('borrow', () => {
  test('collateral that the account gets by a deposit counts at once, once the runner may borrow', async () => {
    const actions = [depositUsdc(10_000n * 1_000_000n, { receiver: from }), borrowWeth(ether)]
    const { body } = await ask(actions)
    expect(body.prerequisites).toMatchObject([
      { to: debtWeth, purpose: expect.stringContaining('borrow') },
    ])
    expect(body.amountsOut).toEqual({ [token('WETH')]: ether.toString() })
    const execution = await executeBundle(service, body, {
      watch: [
        { token: debtWeth, owner: from },
        { token: aUsdc, owner: from },
        { token: token('WETH'), owner: executorAddress(from) },
      ],
    })
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
    expect(execution.deltas.slice(-3)).toEqual([ether, 10_000_000_000n, 0n])
    expect(execution.gasUsed.toString()).toBe(body.gas)
  })

  test.each([
    ['delegate', from],
    ['svcwallet-v2', walletAddress(from)],
  ])('an account that runs its own orders needs nothing before: %s', async (strategy, account) => {
    const actions = [depositUsdc(10_000n * 1_000_000n, { receiver: account }), borrowWeth(ether)]
    const { body } = await ask(actions, { routingStrategy: strategy })
    expect(body.prerequisites).toBeUndefined()
    expect(body.amountsOut).toEqual({ [token('WETH')]: ether.toString() })
    const execution = await executeBundle(service, body, {
      routingStrategy: strategy,
      watch: [
        { token: debtWeth, owner: account },
        { token: aUsdc, owner: account },
      ],
    })
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
    expect(execution.deltas.slice(-2)).toEqual([ether, 10_000_000_000n])
  })

  test('what is borrowed can be swapped and lent again', async () => {
    const { body } = await ask([
      depositUsdc(10_000n * 1_000_000n, { receiver: from }),
      borrowWeth(ether),
      {
        protocol: 'svc',
        action: 'route',
        args: { tokenIn: token('WETH'), tokenOut: aUsdc, amountIn: output(1) },
      },
    ])
    const execution = await executeBundle(service, body)
    expect(execution.status).toBe('success')
    expect(BigInt(body.amountsOut[aUsdc])).toBeGreaterThan(2_800n * 1_000_000n)
  })

  test('collateral that the account has switched off is switched on', async () => {
    const { body } = await ask([borrowWeth(ether)], { fromAddress: dave })
    expect(body.prerequisites.map(({ to }: { to: Address }) => to)).toEqual([pool, debtWeth])
    const execution = await executeBundle(service, body, {
      watch: [{ token: debtWeth, owner: dave }],
    })
    expect(execution.deltas).toEqual([ether, ether])
  })

  test.each([
    [
      'more than the collateral covers',
      [depositUsdc(10_000_000_000n, { receiver: from }), borrowWeth(5n * ether)],
      'the collateral does not cover the loan',
    ],
    ['without any collateral', [borrowWeth(ether)], 'has no collateral'],
    [
      'of a frozen reserve',
      [
        depositUsdc(10_000_000_000n, { receiver: from }),
        aave('borrow', { collateral: aUsdc, tokenOut: token('UNI'), amountOut: ether }),
      ],
      'the reserve is frozen',
    ],
    [
      'of what is lent out',
      [
        depositUsdc(10_000_000_000n, { receiver: from }),
        aave('borrow', { collateral: aUsdc, tokenOut: token('FRAX'), amountOut: ether }),
      ],
      'has less left',
    ],
  ])('is refused in words: %s', async (_case, actions, reason) => {
    await expectRefusal(actions, reason)
  })

  test('a withdrawal that would endanger a debt is refused in words', async () => {
    const all = aave('withdraw', {
      tokenIn: aUsdc,
      tokenOut: token('USDC'),
      amountOut: 249_000n * 1_000_000n,
    })
    const query = { fromAddress: alice, executionMode: 'user', routingStrategy: 'delegate' }
    await expectRefusal([all], 'health factor', query)
  })
})

describe('repay', () => {
  test.each(['router', 'delegate'])('takes no more than the debt: %s', async (routingStrategy) => {
    const { body } = await ask([aave('repay', { tokenIn: token('WETH'), amountIn: 5n * ether })], {
      fromAddress: alice,
      executionMode: 'user',
      routingStrategy,
    })
    expect(body.prerequisites).toBeUndefined()
    const execution = await executeBundle(service, body, {
      routingStrategy,
      isFunded: false,
      watch: [
        { token: debtWeth, owner: alice },
        { token: token('WETH'), owner: alice },
      ],
    })
    expect(execution.status).toBe('success')
    const [debt = 0n, spent = 0n] = execution.deltas.slice(-2)
    expect(debt).toBeLessThanOrEqual(-2n * ether)
    expect(spent).toBeLessThanOrEqual(-2n * ether)
    expect(spent).toBeGreaterThan(-2n * ether - 10n ** 15n)
  })

  test('of a part, with what a route yields', async () => {
    const { body } = await ask(
      [
        {
          protocol: 'svc',
          action: 'route',
          args: { tokenIn: token('USDC'), tokenOut: token('DAI'), amountIn: '3000000000' },
        },
        aave('repay', { tokenIn: token('DAI'), amountIn: output(0) }),
      ],
      { fromAddress: alice, executionMode: 'user' },
    )
    const execution = await executeBundle(service, body, {
      isFunded: false,
      watch: [{ token: debtDai, owner: alice }],
    })
    expect(execution.status).toBe('success')
    expect(execution.deltas.at(-1)).toBeLessThan(-2_900n * ether)
  })

  test('without a debt is refused in words', async () => {
    const repay = aave('repay', { tokenIn: token('WETH'), amountIn: ether })
    await expectRefusal([repay], 'owes nothing')
  })
})

describe('harvest', () => {
  const harvest = aave('harvest', { token: aUsdc })

  test('pays the account what it has earned', async () => {
    const query = { fromAddress: alice, routingStrategy: 'delegate', executionMode: 'user' }
    const { body } = await ask([harvest], query)
    const execution = await executeBundle(service, body, {
      routingStrategy: 'delegate',
      isFunded: false,
    })
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
    expect(BigInt(body.amountsOut[token('AAVE')])).toBeGreaterThan(10n ** 15n)
  })

  test('through another contract the holder gets nothing, and the answer says so before', async () => {
    const answer = await askBundle(service, { fromAddress: alice }, [harvest])
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('delegate')
  })
})

describe('reserves that refuse', () => {
  const depositOf = (symbol: string, tokenOut: Address, amountIn: bigint) =>
    aave('deposit', { tokenIn: token(symbol), tokenOut, amountIn })

  test.each([
    ['paused', depositOf('AAVE', aAave, ether), 'the reserve is paused'],
    ['frozen', depositOf('UNI', aUni, ether), 'the reserve is frozen'],
    ['full', depositOf('LINK', aLink, 3_000n * ether), 'the supply cap of the reserve is exceeded'],
  ])('%s', async (_case, action, reason) => {
    await expectRefusal([action], reason)
  })

  test('borrowed out', async () => {
    const redeem = aave('redeem', {
      tokenIn: aFrax,
      tokenOut: token('FRAX'),
      amountIn: 100n * ether,
    })
    await expectRefusal([redeem], 'has less left', { fromAddress: carol, executionMode: 'user' })
  })
})

describe('arguments', () => {
  test.each([
    [
      'primaryAddress',
      { ...depositUsdc(million), args: { ...depositUsdc(million).args, primaryAddress: aUsdc } },
    ],
    ['tokenOut', aave('deposit', { tokenIn: token('USDC'), tokenOut: aWeth, amountIn: million })],
    ['tokenIn', aave('deposit', { tokenIn: token('MKR'), tokenOut: aWeth, amountIn: million })],
    ['tokenIn', aave('redeem', { tokenIn: debtWeth, tokenOut: token('WETH'), amountIn: million })],
    [
      'collateral',
      aave('borrow', { collateral: token('MKR'), tokenOut: token('WETH'), amountOut: 1n }),
    ],
    ['token', aave('harvest', { token: aWeth })],
  ])('%s that is not of the protocol is named', async (argument, action) => {
    const query = { fromAddress: from, routingStrategy: 'delegate' }
    const answer = await askBundle(service, query, [action])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.message).toContain(`action 0, ${argument} must be`)
  })
})
