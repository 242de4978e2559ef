/** Tokens that do not behave, and everything the service says about tokens, prices and wallets, on the sandbox. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Address,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Execution, executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice').address
const carol = sandboxAccount('carol').address
const ether = 10n ** 18n
/** Holds nothing: the execution funds exactly what the simulation did. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function transfersOf(logs: Execution['logs'], of: Address) {
  return logs.flatMap(({ address, topics: [topic, from, to], data }) =>
    address === of && topic === transferTopic && from && to
      ? {
          from: toAddress(`0x${from.slice(-40)}`),
          to: toAddress(`0x${to.slice(-40)}`),
          amount: BigInt(data),
        }
      : [],
  )
}

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const route = (tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
  service.get('/api/v1/shortcuts/route', {
    fromAddress: alice,
    tokenIn,
    tokenOut,
    amountIn: amountIn.toString(),
  })
const quote = (tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
  service.get('/api/v1/shortcuts/quote', { tokenIn, tokenOut, amountIn: amountIn.toString() })

describe('tokens that do not behave', () => {
  test.each([
    ['PAXG', 'USDC', ether],
    ['USDC', 'PAXG', 5_000_000_000n],
    ['STA', 'WETH', 10_000n * ether],
    ['WETH', 'STA', ether / 10n],
    ['wstETH', 'USDC', ether],
    ['stETH', 'USDC', ether],
    ['USDC', 'stETH', 3_000_000_000n],
    ['SNT', 'USDC', 10_000n * ether],
    ['MKR', 'WETH', ether],
    ['CRV', 'DAI', 100n * ether],
  ])(
    '%s to %s: the transaction delivers exactly amountOut and leaves nothing behind',
    async (from, to, amountIn) => {
      const answer = await route(token(from), token(to), amountIn)
      expect(answer.status, answer.text).toBe(200)
      const router = contractAddress('Router')
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: answer.body.createdAt,
        tx: answer.body.tx,
        watch: [
          { token: token(to), owner: alice },
          { token: token(from), owner: router },
          { token: token(to), owner: router },
        ],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.body.amountOut), 0n, 0n])
      expect(done.gasUsed).toBe(BigInt(answer.body.gas))
    },
  )

  const inputOf = (amountIn: bigint) => ({ amountIn: amountIn.toString() })
  test.each([
    ['PAXG', 'UNI', inputOf(100n * ether)],
    ['PAXG', 'LINK', inputOf(ether / 3n)],
    ['STA', 'FRAX', inputOf(1_000_000_000n * ether)],
    ['PAXG', 'UNI', { ...inputOf(100n * ether), routingStrategy: 'router-legacy' }],
    ['PAXG', 'UNI', { amountOut: (20_000n * ether).toString() }],
  ] satisfies [string, string, Record<string, string>][])(
    '%s to %s, %j: the tax is taken once, whether or not the way divides',
    async (from, to, query: Record<string, string>) => {
      const answer = await service.get('/api/v1/shortcuts/route', {
        fromAddress: stranger,
        executionMode: 'backend',
        tokenIn: token(from),
        tokenOut: token(to),
        ...query,
      })
      expect(answer.status, answer.text).toBe(200)
      const amountIn = BigInt(query.amountIn ?? answer.body.amountIn)
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: answer.body.createdAt,
        tx: answer.body.tx,
        watch: [
          { token: token(to), owner: stranger },
          { token: token(from), owner: stranger },
        ],
        fund: [{ token: token(from), amount: amountIn }],
        approve: contractAddress('Router'),
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.body.amountOut), -amountIn])
      expect(done.gasUsed).toBe(BigInt(answer.body.gas))
      expect(answer.body.feeAmount).toBeUndefined()
      // Of each transfer the token burns its tax; the Router may send the Executor nothing.
      const { feeBps = 0 } = sandboxToken(from)
      const tax = (amountIn * BigInt(feeBps)) / 10_000n
      const paid = transfersOf(done.logs, token(from)).filter(({ amount }) => amount > 0n)
      const [{ pool }] = answer.body.route[0].internalRoutes
      expect(paid).toEqual([
        { from: stranger, to: pool, amount: amountIn - tax },
        { from: stranger, to: zeroAddress, amount: tax },
      ])
    },
  )

  test.each([
    ['USDC', 1_000_000_000n],
    ['USDT', 1_000_000_000n],
    ['WBTC', 1_000_000n],
    ['CRV', 100n * ether],
    ['MKR', ether],
    ['PAXG', ether],
    ['wstETH', ether],
    ['stETH', ether],
    ['SNT', 10_000n * ether],
  ])('a quote for %s needs no funds', async (from, amountIn) => {
    const answer = await quote(token(from), token('WETH'), amountIn)
    expect(answer.status, answer.text).toBe(200)
    expect(BigInt(answer.body.amountOut) > 0n).toBe(true)
  })

  test('a honeypot can be bought, and selling it is 422 with each candidate and its reason', async () => {
    const bought = await quote(token('WETH'), token('HNY'), ether / 100n)
    expect(bought.status, bought.text).toBe(200)
    const sold = await quote(token('HNY'), token('WETH'), ether)
    expect(sold.status, sold.text).toBe(422)
    expect(sold.body.code).toBe('SIMULATION_REVERTED')
    expect(sold.body.details.candidates.length).toBeGreaterThan(0)
    for (const candidate of sold.body.details.candidates) {
      expect(candidate.path.length).toBeGreaterThan(0)
      expect(candidate.reason).not.toBe('')
    }
  })

  test('a token that reverts on every transfer is 422, not 500', async () => {
    const answer = await quote(token('FRZN'), token('WETH'), ether)
    expect(answer.status, answer.text).toBe(422)
  })

  test('an address that is no token is the documented error', async () => {
    const answer = await quote('0x000000000000000000000000000000000000dead', token('WETH'), ether)
    expect([400, 422]).toContain(answer.status)
    expect(answer.body.code).toMatch(/NO_ROUTE|INVALID_REQUEST/)
  })

  test('traps do not win: the stale and the shallow pool give less than the route', async () => {
    const small = await quote(token('UNI'), token('USDC'), 10n * ether)
    const large = await quote(token('UNI'), token('USDC'), 1_000n * ether)
    expect(small.status, small.text).toBe(200)
    const price = (answer: typeof small, amount: bigint) =>
      Number(answer.body.amountOut) / 1e6 / Number(amount / ether)
    expect(price(large, 1_000n * ether) / price(small, 10n * ether)).toBeGreaterThan(0.9)
  })
})

describe('GET /api/v1/prices', () => {
  test('prices are those that the sandbox trades around, and null where there is no market', async () => {
    const addresses = ['WETH', 'USDC', 'WBTC', 'MKR'].map(token)
    const answer = await service.get('/api/v1/prices/1', {
      addresses: [...addresses, '0x000000000000000000000000000000000000dead'],
    })
    expect(answer.status, answer.text).toBe(200)
    const prices = answer.body.map((one: { price: number } | null) => one?.price ?? null)
    expect(prices[4]).toBeNull()
    const [weth, usdc, wbtc, mkr] = prices
    expect(weth).toBeGreaterThan(2_000)
    expect(weth).toBeLessThan(4_500)
    expect(usdc).toBeGreaterThan(0.98)
    expect(wbtc / weth).toBeGreaterThan(20)
    expect(mkr).toBeGreaterThan(1_000)
  })

  test('native costs what wrapped native costs; an unknown token is 404', async () => {
    const native = await service.get(`/api/v1/prices/1/${nativeToken}`)
    const wrapped = await service.get(`/api/v1/prices/1/${token('WETH')}`)
    expect(native.body.price).toBe(wrapped.body.price)
    expect(native.body.decimals).toBe(18)
    const none = await service.get('/api/v1/prices/1/0x000000000000000000000000000000000000dead')
    expect(none.status).toBe(404)
    expect(none.body.code).toBe('NO_PRICE')
  })

  test('a price at a block of the past is another one', async () => {
    const newest = await service.get(`/api/v1/prices/1/${token('WETH')}`)
    const past = await service.get(`/api/v1/prices/1/${token('WETH')}`, {
      blockNumber: String(newest.body.blockNumber - 100),
    })
    expect(past.body.blockNumber).toBe(newest.body.blockNumber - 100)
    expect(past.body.price).not.toBe(newest.body.price)
  })
})

describe('wallet endpoints', () => {
  test('balances of an address: native first, then tokens of the lists with their prices', async () => {
    const answer = await service.get('/api/v1/wallet/balances', {
      chainId: '1',
      eoaAddress: carol,
      useEoa: 'true',
    })
    expect(answer.status, answer.text).toBe(200)
    const [native] = answer.body
    expect(native.token).toBe(nativeToken)
    const usdc = answer.body.find((one: { token: Address }) => one.token === token('USDC'))
    expect(usdc).toMatchObject({ chainId: 1, decimals: 6, symbol: 'USDC' })
    expect(BigInt(usdc.amount) > 0n).toBe(true)
    expect(Number(usdc.price)).toBeGreaterThan(0.9)
  })

  test('the approval transaction lets the route of an address without allowance through', async () => {
    const usdt = token('USDT')
    const amount = '1000000000'
    const approval = await service.get('/api/v1/wallet/approve', {
      chainId: '1',
      fromAddress: carol,
      tokenAddress: usdt,
      amount,
    })
    expect(approval.status, approval.text).toBe(200)
    expect(approval.body).toMatchObject({
      token: usdt,
      amount,
      spender: contractAddress('Router'),
      tx: { to: usdt, from: carol, value: '0' },
    })
    const quoted = await quote(usdt, token('DAI'), BigInt(amount))
    const swap = await service.get('/api/v1/shortcuts/route', {
      fromAddress: carol,
      executionMode: 'backend',
      tokenIn: usdt,
      tokenOut: token('DAI'),
      amountIn: amount,
    })
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: swap.body.createdAt,
      first: [approval.body.tx],
      tx: swap.body.tx,
      watch: [{ token: token('DAI'), owner: carol }],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(quoted.body.amountOut)])
  })

  test('an approval of an address without code is refused', async () => {
    const answer = await service.get('/api/v1/wallet/approve', {
      chainId: '1',
      fromAddress: carol,
      tokenAddress: '0x000000000000000000000000000000000000dead',
      amount: '1',
    })
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('INVALID_REQUEST')
  })

  test('the wallet of an owner is named before it is deployed', async () => {
    const answer = await service.get('/api/v1/wallet', { chainId: '1', fromAddress: alice })
    expect(answer.body).toMatchObject({ isDeployed: false, owner: alice, chainId: 1 })
    expect(answer.body.address).not.toBe(alice)
    expect(answer.body.strategies['svcwallet-v2']).toBe(contractAddress('WalletFactory'))
    expect(answer.body.strategies.router).toBe(contractAddress('Router'))
  })
})

describe('networks and readiness', () => {
  test('the network says its block and native token', async () => {
    const answer = await service.get('/api/v1/networks')
    expect(answer.body).toEqual([
      {
        id: 1,
        name: 'Ethereum',
        isConnected: true,
        nativeToken,
        blockNumber: expect.any(Number),
      },
    ])
    const ready = await service.get('/ready')
    expect(ready.status).toBe(200)
    expect(ready.body.chains[0].capabilities.batch).toBe(true)
  })
})
