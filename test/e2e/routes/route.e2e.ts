/**
 * Routes over HTTP on the sandbox chain, each returned transaction executed on an Anvil of the test's own.
 */
import { decodeEventLog, erc20Abi, type Hex, type Log, parseEventLogs } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress, executorContracts } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const ether = 10n ** 18n

const alice = sandboxAccount('alice').address
const carol = sandboxAccount('carol').address
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
function route(query: Record<string, string | readonly string[]>): Promise<Answer> {
  return service.get('/api/v1/shortcuts/route', { chainId: '1', fromAddress: alice, ...query })
}

function execute(answer: Answer, watch: readonly { token: Address; owner: Address }[]) {
  expect(answer.text).not.toBe('')
  expect(answer.status, answer.text).toBe(200)
  return executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: answer.body.createdAt,
    tx: answer.body.tx,
    watch,
  })
}

/** The returned transaction delivers exactly amountOut and uses exactly gas. */
async function expectExact(answer: Answer, tokenOut: Address, receiver = alice) {
  const done = await execute(answer, [{ token: tokenOut, owner: receiver }])
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
  expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  expect(done.blockNumber).toBe(BigInt(answer.body.createdAt) + 1n)
  return done
}

describe('GET /api/v1/shortcuts/route', () => {
  test.each([
    ['WETH to USDC, dust', weth, usdc, '1000000000'],
    ['WETH to USDC, 1', weth, usdc, ether.toString()],
    ['WETH to USDC, 50', weth, usdc, (50n * ether).toString()],
    ['USDC to WETH', usdc, weth, '10000000000'],
    ['USDT, which returns nothing, to DAI', usdt, dai, '5000000000'],
    ['DAI to USDT', dai, usdt, (3_000n * ether).toString()],
    ['WBTC to DAI', wbtc, dai, '10000000'],
    ['native in', nativeToken, usdc, ether.toString()],
    ['native out', usdc, nativeToken, '2500000000'],
    ['native to wrapped', nativeToken, weth, ether.toString()],
    ['wrapped to native', weth, nativeToken, ether.toString()],
  ])(
    '%s: the transaction delivers exactly amountOut and uses exactly gas',
    async (_name, tokenIn, tokenOut, amountIn) => {
      const answer = await route({ tokenIn, tokenOut, amountIn })
      await expectExact(answer, tokenOut)
      expect(answer.body.minAmountOut).toBe(
        ((BigInt(answer.body.amountOut) * 9_950n) / 10_000n).toString(),
      )
    },
  )

  test('several tokenIn are merged into the output', async () => {
    const answer = await route({
      tokenIn: [weth, dai, nativeToken],
      amountIn: [ether.toString(), (500n * ether).toString(), ether.toString()],
      tokenOut: usdc,
    })
    await expectExact(answer, usdc)
  })

  test('several tokenOut give amounts in their order', async () => {
    const answer = await route({ tokenIn: weth, amountIn: ether.toString(), tokenOut: [usdc, dai] })
    const done = await execute(answer, [
      { token: usdc, owner: alice },
      { token: dai, owner: alice },
    ])
    expect(done.deltas.map(String)).toEqual(answer.body.amountOut)
    expect(answer.body.minAmountOut).toHaveLength(2)
  })

  test('fee, receiver, refundReceiver and referralCode are honoured, and nothing stays behind', async () => {
    const feeReceiver: Address = '0x00000000000000000000000000000000000000fe'
    const answer = await route({
      tokenIn: usdc,
      amountIn: '1000000000',
      tokenOut: weth,
      fee: '25',
      feeReceiver,
      receiver: stranger,
      refundReceiver: carol,
      referralCode: 'desk-7',
    })
    const executor = answer.body.tx.to
    const done = await execute(answer, [
      { token: weth, owner: stranger },
      { token: usdc, owner: feeReceiver },
      { token: usdc, owner: alice },
      { token: usdc, owner: executor },
    ])
    expect(answer.body.feeAmount).toEqual(['2500000'])
    expect(done.deltas).toEqual([BigInt(answer.body.amountOut), 2_500_000n, -1_000_000_000n, 0n])
    const routed = done.logs
      .filter(({ address }) => address === contractAddress('Router'))
      .map(({ topics, data }) =>
        decodeEventLog({
          abi: executorContracts.Router.abi,
          topics: topics as [Hex, ...Hex[]],
          data,
          eventName: 'Routed',
        }),
      )
    expect(routed).toHaveLength(1)
    expect(routed[0]?.args.accountId).toBe(service.accountId)
    expect(Buffer.from(routed[0]?.args.referralCode.slice(2) ?? '', 'hex').toString()).toBe(
      'desk-7\0\0\0\0\0\0\0\0\0\0',
    )
    expect(routed[0]?.args.receiver.toLowerCase()).toBe(stranger)
  })

  test.each([10n ** 12n, 2n ** 128n, 2n ** 256n - 1n])(
    'minAmountOut is enforced: above what there is to get is 422 with the reason, as with %s',
    async (minAmountOut) => {
      const answer = await route({
        tokenIn: weth,
        amountIn: ether.toString(),
        tokenOut: usdc,
        minAmountOut: minAmountOut.toString(),
      })
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ statusCode: 422, code: 'SIMULATION_REVERTED' })
      expect(answer.text).toContain('InsufficientOutput')
    },
  )

  test('minAmountOut is enforced on chain: sent twice without slippage, the second one reverts', async () => {
    const answer = await route({
      tokenIn: weth,
      amountIn: (10n * ether).toString(),
      tokenOut: usdc,
      slippage: '0',
    })
    expect(answer.body.minAmountOut).toBe(answer.body.amountOut)
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: answer.body.createdAt,
      first: [answer.body.tx],
      tx: answer.body.tx,
      watch: [{ token: usdc, owner: alice }],
    })
    expect(done.status).toBe('reverted')
    // Only the first of the two delivered.
    expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
  })

  test('ignoreStandards keeps a protocol out of the route, and all of them leave none', async () => {
    const query = { tokenIn: weth, amountIn: ether.toString(), tokenOut: usdc }
    const open = await route(query)
    const used = open.body.route[0].protocol
    const without = await route({ ...query, ignoreStandards: [used] })
    expect(without.body.route.map((step: { protocol: string }) => step.protocol)).not.toContain(
      used,
    )
    await expectExact(without, usdc)
    const aggregators = await service.get('/api/v1/aggregators')
    const none = await route({ ...query, ignoreAggregators: aggregators.body })
    expect(none.status).toBe(422)
    expect(none.body.code).toBe('NO_ROUTE')
  })

  test('one pair pays the next: the token between them never comes to the Executor', async () => {
    const aggregators: string[] = (await service.get('/api/v1/aggregators')).body
    const answer = await route({
      tokenIn: link,
      amountIn: (20n * ether).toString(),
      tokenOut: dai,
      ignoreAggregators: aggregators.filter((slug) => slug !== 'uniswap-v2'),
    })
    const done = await expectExact(answer, dai)
    const [first, second] = answer.body.route
    expect(answer.body.route).toHaveLength(2)
    const between: Address = first.tokenOut[0]
    const moves = parseEventLogs({
      abi: erc20Abi,
      eventName: 'Transfer',
      logs: done.logs.filter(({ address }) => address === between) as unknown as Log[],
    })
    expect(moves.map(({ args }) => [args.from, args.to].map(toAddress))).toEqual([
      [first.primary, second.primary],
    ])
  })

  test('too little balance and too little allowance are 400 with the facts', async () => {
    const query = { tokenIn: usdc, amountIn: '1000000', tokenOut: weth }
    const poor = await route({ ...query, fromAddress: stranger })
    expect(poor.status).toBe(400)
    expect(poor.body).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { token: usdc, owner: stranger, required: '1000000', actual: '0' },
    })
    const unapproved = await route({ ...query, fromAddress: carol })
    expect(unapproved.status).toBe(400)
    expect(unapproved.body).toMatchObject({
      code: 'INSUFFICIENT_ALLOWANCE',
      details: { token: usdc, owner: carol, required: '1000000', actual: '0' },
    })
    expect(unapproved.body.details.spender).toBe(contractAddress('Router'))
  })

  test('executionMode backend refuses nothing for lack of funds', async () => {
    const query = { tokenIn: usdc, amountIn: '1000000', tokenOut: weth, fromAddress: stranger }
    const answer = await route({ ...query, executionMode: 'backend' })
    expect(answer.status, answer.text).toBe(200)
    expect(BigInt(answer.body.amountOut) > 0n).toBe(true)
  })

  test('a block of the past is answered at that block, and differently', async () => {
    const query = { tokenIn: weth, amountIn: ether.toString(), tokenOut: usdc }
    const newest = await route(query)
    const past = await route({ ...query, blockNumber: String(newest.body.createdAt - 40) })
    expect(past.body.createdAt).toBe(newest.body.createdAt - 40)
    expect(past.body.amountOut).not.toBe(newest.body.amountOut)
    await expectExact(past, usdc)
  })

  test('includeTransactionCost gives the cost in native and USD', async () => {
    const answer = await route({
      tokenIn: weth,
      amountIn: ether.toString(),
      tokenOut: usdc,
      includeTransactionCost: 'true',
    })
    expect(BigInt(answer.body.gasCost.native) > 0n).toBe(true)
    expect(answer.body.gasCost.usd).toBeGreaterThan(0)
    expect(answer.body.gasCost).not.toHaveProperty('l1DataFee')
  })

  test.each(['router-legacy', 'svcwallet-v2', 'delegate', 'delegate-legacy'])(
    'strategy %s: the transaction delivers exactly amountOut',
    async (routingStrategy) => {
      const answer = await route({
        tokenIn: nativeToken,
        amountIn: ether.toString(),
        tokenOut: usdc,
        routingStrategy,
      })
      expect(answer.status, answer.text).toBe(200)
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: answer.body.createdAt,
        ...asSent(answer.body.tx, routingStrategy, alice),
        watch: [{ token: usdc, owner: alice }],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
    },
  )
})

describe('GET /api/v1/shortcuts/quote', () => {
  const query = { chainId: '1', tokenIn: weth, amountIn: ether.toString(), tokenOut: usdc }

  test('needs no funds and no sender, and gives what the route gives', async () => {
    const quote = await service.get('/api/v1/shortcuts/quote', query)
    expect(quote.status, quote.text).toBe(200)
    const routed = await route(query)
    expect(quote.body.amountOut).toBe(routed.body.amountOut)
    expect(quote.body.priceImpact).toBe(routed.body.priceImpact)
  })

  test.each([usdc, usdt, dai, wbtc])('funds %s by override', async (tokenIn) => {
    const quote = await service.get('/api/v1/shortcuts/quote', {
      chainId: '1',
      tokenIn,
      amountIn: '10000000',
      tokenOut: weth,
    })
    expect(quote.status, quote.text).toBe(200)
    expect(BigInt(quote.body.amountOut) > 0n).toBe(true)
  })
})

describe('POST /api/v1/shortcuts/route', () => {
  test('answers as the GET does', async () => {
    const query = {
      fromAddress: alice,
      tokenIn: [weth],
      amountIn: [ether.toString()],
      tokenOut: [usdc],
    }
    const [get, post] = await Promise.all([
      route(query),
      service.post('/api/v1/shortcuts/route', { chainId: 1, ...query }),
    ])
    expect(post.text).toBe(get.text)
  })
})
