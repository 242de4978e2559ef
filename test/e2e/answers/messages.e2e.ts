/** What a person is told where a request gets nothing, or not what it may have meant, on the sandbox. */
import { beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'
import { tokenNamed as token } from '../../support/token-named.js'

const alice = sandboxAccount('alice').address
/** No contract. */
const nobody = `0x${'00'.repeat(19)}aa`
const ether = (10n ** 18n).toString()

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const quote = (from: string, to: string, amountIn: string, more: Record<string, string> = {}) =>
  service.get('/api/v1/shortcuts/quote', {
    tokenIn: from,
    tokenOut: to,
    amountIn,
    ...more,
  })

describe('no route', () => {
  test.each([
    ['tokenOut', token('ETH'), nobody],
    ['tokenIn', nobody, token('ETH')],
    // A contract that is no token: the Chainlink feed of ether.
    ['a contract', token('USDC'), '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419'],
  ])('%s that is no token is named', async (_name, from, to) => {
    const { status, body } = await quote(from, to, ether)
    const stranger = from === nobody ? from : to
    expect({ status, code: body.code, message: body.message }).toEqual({
      status: 422,
      code: 'NO_ROUTE',
      message: `${stranger} is no token at this block of chain 1 (Ethereum). Check the address, and that chainId names the chain of the token.`,
    })
  })

  test.each([
    ['ETH', 'USDC', '1', {}],
    ['ETH', 'USDC', '1000000', {}],
    ['DAI', 'WBTC', '7', {}],
    ['UNI', 'USDC', '1', { fee: '100', feeReceiver: alice }],
  ])(
    '%s to %s: with %s the smallest amount that works is told, and none below works',
    async (from, to, amount, more) => {
      const small = await quote(token(from), token(to), amount, more)
      expect(small.status, small.text).toBe(422)
      const { smallestAmountIn } = small.body.details
      expect(small.body.message).toBe(
        `${amount} of ${token(from)} is too small for any pool on the way to ${token(to)}: the smallest amount that gives something is ${smallestAmountIn}.`,
      )
      const least = await quote(token(from), token(to), smallestAmountIn, more)
      expect(least.status, least.text).toBe(200)
      expect(BigInt(least.body.amountOut)).toBeGreaterThan(0n)
      const less = (BigInt(smallestAmountIn) - 1n).toString()
      expect((await quote(token(from), token(to), less, more)).status).toBe(422)
    },
  )

  test('venues that the request leaves out are named, others are not', async () => {
    const { body } = await service.get('/api/v1/aggregators', {})
    const venues: string[] = body
    const all = await quote(token('ETH'), token('USDC'), ether, {
      ignoreAggregators: [...venues, 'nope'].join(),
    })
    expect(all.body.code).toBe('NO_ROUTE')
    expect(all.body.message).toContain('left out, as the request says: ')
    expect(all.body.details.ignored).toContain('uniswap-v3')
    expect(all.body.details.ignored).not.toContain('nope')
    const plain = await quote(token('ETH'), nobody, ether)
    expect(plain.body.details).not.toHaveProperty('ignored')
  })
})

describe('warnings', () => {
  test('a quote that loses a tenth of its value says so, and one that does not is silent', async () => {
    const great = await quote(token('ETH'), token('USDC'), (10n ** 25n).toString())
    expect(great.body.priceImpact).toBeGreaterThan(9_000)
    expect(great.body.warnings).toEqual([
      `The price impact is ${great.body.priceImpact} bps: what comes out is worth ${(great.body.priceImpact / 100).toFixed(1)} % less than what goes in.`,
      expect.stringMatching(/^The pools on the way hold too little for this input: \d+ of 0xeeee/),
    ])
    expect((await quote(token('ETH'), token('USDC'), ether)).body).not.toHaveProperty('warnings')
  })

  test('names without effect are told once each, on quotes, in batches and in bundles', async () => {
    const { body } = await quote(token('ETH'), token('USDC'), ether, {
      slipage: '5',
      ignoreStandards: 'curve,Nope',
    })
    const expected = [
      'Not known here and ignored: slipage.',
      'ignoreStandards: no protocol here is called nope.',
    ]
    expect(body.warnings.map((text: string) => text.toLowerCase())).toEqual(
      expected.map((text) => text.toLowerCase()),
    )
    const item = { tokenIn: token('ETH'), tokenOut: token('USDC'), amountIn: ether }
    const batch = await service.post('/api/v1/shortcuts/quotes', {
      quotes: [{ ...item, foo: 1 }, item],
    })
    expect(batch.body.quotes[0].warnings).toEqual(['Not known here and ignored: foo.'])
    expect(batch.body.quotes[1]).not.toHaveProperty('warnings')
    const bundle = await service.post(`/api/v1/shortcuts/bundle?fromAddress=${alice}&bar=1`, [
      { protocol: 'svc', action: 'route', args: item },
    ])
    expect(bundle.body.warnings).toEqual(['Not known here and ignored: bar.'])
  })

  test('the whole native balance as input: what is left for gas, and what the gas costs', async () => {
    const balances = await service.get('/api/v1/wallet/balances', {
      chainId: '1',
      eoaAddress: alice,
      useEoa: 'true',
    })
    const held: { token: string; amount: string }[] = balances.body
    const amount = BigInt(held.find((one) => one.token === nativeToken)?.amount ?? 0)
    const route = (amountIn: bigint) =>
      service.get('/api/v1/shortcuts/route', {
        fromAddress: alice,
        tokenIn: nativeToken,
        tokenOut: token('USDC'),
        amountIn: amountIn.toString(),
        includeTransactionCost: 'true',
      })
    const most = await route(amount)
    const cost = most.body.gasCost.native
    expect(most.body.warnings).toContain(
      `0 wei of the native token are left for gas, and this transaction costs about ${cost} wei at the price of the next block.`,
    )
    const enough = await route(amount - 2n * BigInt(cost))
    expect((enough.body.warnings ?? []).join()).not.toContain('left for gas')
  })
})

test('an allowance that must go to zero first is said, where that is the reason', async () => {
  const approve = (amount: string, symbol = 'USDT') =>
    service.get('/api/v1/wallet/approve', {
      fromAddress: alice,
      tokenAddress: token(symbol),
      amount,
    })
  const refused = await approve('5')
  expect(refused.body.message).toMatch(
    /already, and this token changes an allowance only from zero\. Approve 0 first, then 5\.$/,
  )
  expect(BigInt(refused.body.details.allowance)).toBeGreaterThan(0n)
  expect((await approve('0')).status).toBe(200)
  expect((await approve('5', 'USDC')).status).toBe(200)
})

test('a reason names addresses in lower case, as everything else does', async () => {
  const stranger = '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e'
  const { body } = await service.post(`/api/v1/shortcuts/bundle?fromAddress=${alice}`, [
    {
      protocol: 'svc',
      action: 'call',
      args: {
        address: token('USDC'),
        method: 'transferFrom',
        abi: 'function transferFrom(address,address,uint256) returns (bool)',
        args: [stranger, alice, '1000000'],
      },
    },
  ])
  expect(body.details.reason).toContain(stranger.toLowerCase())
  expect(body.message).not.toContain(stranger)
})
