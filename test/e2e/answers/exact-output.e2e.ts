/**
 * `amountOut` in place of `amountIn`, over HTTP on the sandbox chain: against bisection over the service's own quotes,
 * and as transactions that are executed on an Anvil of the test's own.
 */
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import { expectLeastInput, quickTrades } from '../../support/routing/least-input.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'
import { tokenNamed as token } from '../../support/token-named.js'

const ether = 10n ** 18n
/** Holds nothing: the execution funds exactly what the simulation did. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
/** Holds tokens, and allows the Router everything. */
const alice = sandboxAccount('alice').address
const feeReceiver: Address = '0x0000000000000000000000000000000000000fee'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

type Query = Readonly<Record<string, string>>
const quote = (query: Query) => service.get('/api/v1/shortcuts/quote', query)
const route = (query: Query) =>
  service.get('/api/v1/shortcuts/route', {
    fromAddress: stranger,
    executionMode: 'backend',
    ...query,
  })

/** What the receiver and the sender gained or lost, by the chain; status and gas are checked. */
async function execute(answer: Answer, spent: Address, tokenOut: Address, strategy = 'router') {
  expect(answer.status, answer.text).toBe(200)
  const { tx, createdAt, gas, amountIn } = answer.body
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: createdAt,
    ...asSent(tx, strategy, stranger),
    watch: [
      { token: tokenOut, owner: stranger },
      { token: spent, owner: stranger },
    ],
    fund: [{ token: spent, amount: BigInt(amountIn) }],
    ...(strategy === 'router' && { approve: contractAddress('Router') }),
  })
  expect(done.status).toBe('success')
  expect(done.gasUsed).toBe(BigInt(gas))
  return done.deltas
}

describe('the least amountIn', () => {
  test.each(quickTrades)(
    '%s to %s, what %i gives: at most 1 bps above what bisection over quotes finds',
    (...trade) => expectLeastInput(service, trade),
  )

  test.each([
    ['wrapping', 'ETH', 'WETH', 123_456_789n],
    ['unwrapping', 'WETH', 'ETH', ether],
  ])('%s takes exactly what it gives', async (_name, from, to, amount) => {
    const answer = await route({
      tokenIn: token(from),
      tokenOut: token(to),
      amountOut: amount.toString(),
    })
    expect(answer.body.amountIn).toBe(amount.toString())
    expect(await execute(answer, token(from), token(to))).toEqual([amount, -amount])
  })

  test.each([
    ['WETH', 'USDC', 1n],
    ['DAI', 'USDC', 7n],
    ['USDC', 'WBTC', 3n],
    ['USDC', 'DAI', 1n],
  ])(
    '%s to %s, %i units: a billionth less of the input does not give so much',
    async (from, to, units) => {
      const pair = { tokenIn: token(from), tokenOut: token(to) }
      const { status, body, text } = await quote({ ...pair, amountOut: units.toString() })
      expect(status, text).toBe(200)
      expect(BigInt(body.amountOut)).toBeGreaterThanOrEqual(units)
      const least = BigInt(body.amountIn)
      const amountIn = (least - least / 10n ** 9n - 1n).toString()
      const blockNumber = String(body.blockNumber)
      const less = await quote({ ...pair, blockNumber, amountIn })
      if (less.status === 200) expect(BigInt(less.body.amountOut)).toBeLessThan(units)
    },
  )
})

describe('the transaction', () => {
  test.each([
    ['one pool', 'WETH', 'USDC', 1_000_000n],
    ['a split', 'WETH', 'USDC', 900_000_000_000n],
    ['native in', 'ETH', 'WBTC', 500_000_000n],
    ['native out', 'USDC', 'ETH', 100n * ether],
    ['a taxed input', 'PAXG', 'USDC', 20_000_000_000n],
    ['a taxed output', 'WETH', 'STA', 500_000n * ether],
    ['an input that overrides cannot give', 'SNT', 'USDC', 50_000_000n],
  ])('%s: gives exactly amountOut for exactly amountIn, with gas to the unit', async (...args) => {
    const [, from, to, amount] = args
    const [tokenIn, tokenOut] = [token(from), token(to)]
    const answer = await route({ tokenIn, tokenOut, amountOut: amount.toString() })
    const { amountIn, amountOut, minAmountOut, maxAmountIn, tx } = answer.body
    if (from === 'SNT') {
      // Nor can the test's Anvil: what was simulated with a lender is as far as it goes.
      expect(answer.status, answer.text).toBe(200)
    } else {
      const [gained, lost] = await execute(answer, tokenIn, tokenOut)
      expect(gained).toBe(BigInt(amountOut))
      expect(lost).toBe(-BigInt(amountIn))
    }
    expect(BigInt(amountOut)).toBeGreaterThanOrEqual(amount)
    expect(BigInt(minAmountOut)).toBe((BigInt(amountOut) * 9_950n) / 10_000n)
    expect(BigInt(maxAmountIn)).toBe((BigInt(amountIn) * 10_050n + 9_999n) / 10_000n)
    expect(BigInt(tx.value)).toBe(from === 'ETH' ? BigInt(amountIn) : 0n)
  })

  test('a fee is part of amountIn, which then gives the same as without the fee in it', async () => {
    const pair = { tokenIn: token('WETH'), tokenOut: token('USDC'), amountOut: '5000000000' }
    const answer = await route({ ...pair, fee: '30', feeReceiver })
    const [gained, lost] = await execute(answer, token('WETH'), token('USDC'))
    const { amountIn, amountOut, feeAmount, blockNumber } = answer.body
    expect([gained, lost]).toEqual([BigInt(amountOut), -BigInt(amountIn)])
    expect(feeAmount).toEqual([((BigInt(amountIn) * 30n) / 10_000n).toString()])
    const free = await route({ ...pair, blockNumber: String(blockNumber) })
    expect(BigInt(amountIn) - BigInt(feeAmount[0])).toBe(BigInt(free.body.amountIn))
  })

  test.each(['delegate', 'svcwallet-v2'])('strategy %s', async (routingStrategy) => {
    const [tokenIn, tokenOut] = [nativeToken, token('USDC')]
    const answer = await route({ tokenIn, tokenOut, amountOut: '300000000000', routingStrategy })
    const [gained, lost] = await execute(answer, tokenIn, tokenOut, routingStrategy)
    expect([gained, lost]).toEqual([BigInt(answer.body.amountOut), -BigInt(answer.body.amountIn)])
    expect(gained).toBeGreaterThanOrEqual(300_000_000_000n)
  })

  test('a position is entered for a stated number of shares', async () => {
    const [tokenIn, tokenOut] = [token('WETH'), sandboxVault('WETH')]
    const shares = (ether / 3n).toString()
    const answer = await route({ tokenIn, tokenOut, amountOut: shares })
    const [gained, lost] = await execute(answer, tokenIn, tokenOut)
    expect([gained, lost]).toEqual([BigInt(answer.body.amountOut), -BigInt(answer.body.amountIn)])
    expect(gained).toBeGreaterThanOrEqual(BigInt(shares))
  })

  test('with the funds of the sender; too little says how much it takes', async () => {
    const pair = { tokenIn: token('WETH'), tokenOut: token('USDC'), executionMode: 'user' }
    const answer = await route({ ...pair, fromAddress: alice, amountOut: '1000000000' })
    expect(answer.status, answer.text).toBe(200)
    expect(BigInt(answer.body.amountOut)).toBeGreaterThanOrEqual(1_000_000_000n)
    const none = await route({ ...pair, amountOut: '1000000000' })
    const { amountIn } = answer.body
    expect(none.body).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { owner: stranger, required: amountIn, actual: '0' },
    })
  })

  test('slippage 0: another trade before it, and it reverts', async () => {
    const pair = { tokenIn: nativeToken, tokenOut: token('USDC'), fromAddress: alice }
    const answer = await route({ ...pair, amountOut: '50000000000', slippage: '0' })
    const blockNumber = String(answer.body.createdAt)
    expect(answer.body.minAmountOut).toBe(answer.body.amountOut)
    expect(answer.body.maxAmountIn).toBe(answer.body.amountIn)
    const other = await route({ ...pair, blockNumber, amountIn: (20n * ether).toString() })
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      first: [other.body.tx],
      watch: [],
    })
    expect(done.status).toBe('reverted')
  })
})

describe('what cannot be', () => {
  test('more than the pools hold: NO_ROUTE with an amount that works', async () => {
    const pair = { tokenIn: token('WETH'), tokenOut: token('LINK') }
    const { body } = await quote({ ...pair, amountOut: (10n ** 27n).toString() })
    expect(body).toMatchObject({ statusCode: 422, code: 'NO_ROUTE' })
    const { largestAmountOut } = body.details
    expect(body.message).toContain(largestAmountOut)
    const largest = await quote({ ...pair, amountOut: largestAmountOut })
    expect(largest.status, largest.text).toBe(200)
    expect(BigInt(largest.body.amountOut)).toBeGreaterThanOrEqual(BigInt(largestAmountOut))
  })

  test.each([(2n ** 256n - 1n).toString(), (10n ** 60n).toString()])(
    'nor %s',
    async (amountOut) => {
      const { body } = await quote({ tokenIn: nativeToken, tokenOut: token('USDC'), amountOut })
      expect(body).toMatchObject({ statusCode: 422, code: 'NO_ROUTE' })
      expect(BigInt(body.details.largestAmountOut)).toBeGreaterThan(10n ** 12n)
    },
  )

  test('an address that is no token: as with amountIn', async () => {
    const pair = { tokenIn: token('WETH'), tokenOut: stranger }
    const { body } = await quote({ ...pair, amountOut: '5' })
    expect(body).toMatchObject({ statusCode: 422, code: 'NO_ROUTE' })
    expect(body.details).not.toHaveProperty('largestAmountOut')
  })
})

describe('among other quotes', () => {
  test('in a batch each has the bytes of the single quote at that block', async () => {
    const pair = { tokenIn: token('USDC'), tokenOut: token('WETH') }
    const quotes = [
      { ...pair, amountOut: ether.toString() },
      { ...pair, amountIn: '1000000' },
      { ...pair, amountOut: '1', fee: '25' },
      { ...pair, amountOut: (10n ** 40n).toString() },
      { ...pair, amountOut: '5', amountIn: '5' },
    ]
    const batch = await service.post('/api/v1/shortcuts/quotes', { quotes })
    const blockNumber = String(batch.body.blockNumber)
    for (const [index, asked] of quotes.entries()) {
      const alone = await quote({ ...asked, blockNumber })
      const found = batch.body.quotes[index]
      if (alone.status === 200) expect(found).toEqual(alone.body)
      else expect(found.error).toMatchObject({ code: alone.body.code, message: alone.body.message })
    }
  })
})

describe('docs/how-to/exact-output.md', () => {
  test('its example is what the service answers', async () => {
    const page = await readFile(
      new URL('../../../docs/how-to/exact-output.md', import.meta.url),
      'utf8',
    )
    const asked = /GET (\/api\/v1\/shortcuts\/\S+)/.exec(page)?.[1]
    const shown = /```json\n([\s\S]+?)```/.exec(page)?.[1]
    if (!asked || !shown) throw new Error('there is no example')
    const { pathname, searchParams } = new URL(asked, 'http://localhost')
    const answer = await service.get(pathname, Object.fromEntries(searchParams))
    expect(answer.body).toMatchObject(JSON.parse(shown))
  })
})
