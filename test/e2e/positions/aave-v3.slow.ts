/** Lending and borrowing through routes and bundles on the sandbox's Aave V3; every transaction is carried out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { executorAddress, walletAddress } from '../../../src/executor/deployments.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { type Action, askBundle, executeBundle, output } from '../../support/bundle.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  aAave,
  aave,
  aFrax,
  aLink,
  alice,
  aUni,
  aUsdc,
  aWeth,
  borrowWeth,
  carol,
  dave,
  debtDai,
  debtWeth,
  depositUsdc,
  expectRefusal,
  from,
  lendAndBorrow,
  pool,
} from '../../support/protocols/aave-v3.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const receiver: Address = '0x00000000000000000000000000000000000cafe0'
const ether = 10n ** 18n

let sandbox: Sandbox
let node: NodeWriter
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await lendAndBorrow(node)
  service = await startService({ RPC_URL_1: sandbox.url })
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

async function ask(
  actions: readonly Action[],
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(answer.status, answer.text).toBe(200)
  return answer
}

describe('routes', () => {
  test('a token becomes its aToken by one deposit', async () => {
    const answer = await route(token('USDC'), aUsdc, 1_234_567_890n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['deposit aave-v3'])
    expect(answer.body.route[0].primary).toBe(pool)
    await expectExecution(sandbox.url, answer, aUsdc, receiver)
  })

  test('an aToken becomes another token: a withdrawal, then a swap', async () => {
    const answer = await route(aUsdc, token('WETH'), 4_321_987_651n)
    expect(answer.status, answer.text).toBe(200)
    const [first, ...others] = stepsOf(answer)
    expect(first).toBe('withdraw aave-v3')
    expect(others.join()).toMatch(/^swap /)
    await expectExecution(sandbox.url, answer, token('WETH'), receiver)
  })

  test('one aToken becomes another', async () => {
    const answer = await route(aUsdc, aWeth, 10_000_000_007n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer).at(0)).toBe('withdraw aave-v3')
    expect(stepsOf(answer).at(-1)).toBe('deposit aave-v3')
    await expectExecution(sandbox.url, answer, aWeth, receiver)
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
    expect(body.amountsOut).toEqual({
      [token('WETH')]: ether.toString(),
      [aUsdc]: '10000000000',
    })
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
    expect(body.amountsOut).toEqual({
      [token('WETH')]: ether.toString(),
      [aUsdc]: '10000000000',
    })
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
    await expectRefusal(service, actions, reason)
  })

  test('a withdrawal that would endanger a debt is refused in words', async () => {
    const all = aave('withdraw', {
      tokenIn: aUsdc,
      tokenOut: token('USDC'),
      amountOut: 249_000n * 1_000_000n,
    })
    const query = { fromAddress: alice, executionMode: 'user', routingStrategy: 'delegate' }
    await expectRefusal(service, [all], 'health factor', query)
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
    await expectRefusal(service, [repay], 'owes nothing')
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
  test('borrowed out', async () => {
    const redeem = aave('redeem', {
      tokenIn: aFrax,
      tokenOut: token('FRAX'),
      amountIn: 100n * ether,
    })
    await expectRefusal(service, [redeem], 'has less left', {
      fromAddress: carol,
      executionMode: 'user',
    })
  })
})
