/** What the steps of an answer say they took and gave, against each other and against the executed transaction. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, type Hex, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai, usdt, link, wbtc] = ['WETH', 'USDC', 'DAI', 'USDT', 'LINK', 'WBTC'].map(
  token,
) as [Address, Address, Address, Address, Address, Address]
const ether = 10n ** 18n
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Step {
  readonly tokenIn: readonly Address[]
  readonly tokenOut: readonly Address[]
  readonly amountIn?: readonly string[]
  readonly amountOut?: readonly string[]
  readonly internalRoutes?: readonly { readonly pool: string; readonly primary: Address }[]
}

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

/** Token by token: raw units that all steps give, less those that they take. */
function flows(steps: readonly Step[]): Map<Address, bigint> {
  const sums = new Map<Address, bigint>()
  const add = (tokens: readonly Address[], amounts: readonly string[] = [], sign: bigint) => {
    expect(amounts).toHaveLength(tokens.length)
    for (const [index, each] of tokens.entries()) {
      sums.set(each, (sums.get(each) ?? 0n) + sign * BigInt(amounts[index] ?? '0'))
    }
  }
  for (const step of steps) {
    add(step.tokenIn, step.amountIn, -1n)
    add(step.tokenOut, step.amountOut, 1n)
  }
  return sums
}

const trades: readonly (readonly [string, Record<string, string | readonly string[]>])[] = [
  ['a split over many pools', { tokenIn: weth, tokenOut: usdc, amountIn: `${500n * ether}` }],
  ['over several tokens', { tokenIn: usdc, tokenOut: link, amountIn: '1000000000000' }],
  ['native in', { tokenIn: nativeToken, tokenOut: dai, amountIn: `${200n * ether}` }],
  ['native out', { tokenIn: usdc, tokenOut: nativeToken, amountIn: '1500000000000' }],
  ['stable coins', { tokenIn: dai, tokenOut: usdt, amountIn: `${2_000_000n * ether}` }],
  ['two inputs', { tokenIn: [weth, dai], tokenOut: usdc, amountIn: [`${ether}`, `${ether}`] }],
  [
    'two inputs of one way',
    { tokenIn: [weth, dai], tokenOut: wbtc, amountIn: [`${ether}`, `${3_000n * ether}`] },
  ],
  ['two outputs', { tokenIn: weth, tokenOut: [usdc, link], amountIn: `${9n * ether}` }],
  ['a fee', { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}`, fee: '100', feeReceiver: dai }],
  [
    'a delegate',
    { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}`, routingStrategy: 'delegate' },
  ],
  [
    'a wallet',
    { tokenIn: weth, tokenOut: dai, amountIn: `${ether}`, routingStrategy: 'svcwallet-v2' },
  ],
]

describe('amounts of steps', () => {
  test.each(trades)(
    '%s: what goes in comes from the sender, what comes out is the answer',
    async (_name, trade) => {
      const query = { fromAddress: stranger, executionMode: 'backend', ...trade }
      const { status, text, body } = await service.get('/api/v1/shortcuts/route', query)
      expect(status, text).toBe(200)
      const sums = flows(body.route)
      const fees: string[] = body.feeAmount ?? []
      for (const [index, each] of [trade.tokenIn].flat().entries()) {
        const amount = BigInt([trade.amountIn].flat()[index] ?? '0') - BigInt(fees[index] ?? '0')
        expect(sums.get(each as Address)).toBe(-amount)
        sums.delete(each as Address)
      }
      for (const [index, each] of [trade.tokenOut].flat().entries()) {
        expect(sums.get(each as Address)).toBe(BigInt([body.amountOut].flat()[index]))
        sums.delete(each as Address)
      }
      expect([...sums.values()]).toEqual([...sums].map(() => 0n))
      for (const { internalRoutes = [] } of body.route as Step[]) {
        const pools = internalRoutes.map(({ pool }) => pool)
        expect(pools).toEqual([...new Set(pools)])
      }
    },
  )

  test('each step gave what its pools transferred when the transaction was executed', async () => {
    const trade = { tokenIn: usdc, tokenOut: link, amountIn: '1000000000000' }
    const query = { fromAddress: stranger, executionMode: 'backend', ...trade }
    const { body } = await service.get('/api/v1/shortcuts/route', query)
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: body.createdAt,
      ...asSent(body.tx, 'router', stranger),
      watch: [{ token: link, owner: stranger }],
      fund: [{ token: usdc, amount: 1_000_000_000_000n }],
      approve: contractAddress('Router'),
    })
    expect(done.deltas).toEqual([BigInt(body.amountOut)])
    const paidBy = (pool: Address, of: Address) =>
      done.logs
        .filter(({ address, topics }) => address === of && topics[0] === transferTopic)
        .filter(({ topics }) => `0x${(topics[1] as Hex).slice(-40)}` === pool)
        .reduce((sum, { data }) => sum + BigInt(data), 0n)
    const steps: Step[] = body.route
    const own = steps.filter(({ internalRoutes = [] }) =>
      internalRoutes.some(({ pool, primary }) => pool === primary),
    )
    const plain = own.filter(({ internalRoutes = [] }) =>
      internalRoutes.every(({ pool, primary }) => pool === primary),
    )
    expect(plain.length).toBeGreaterThan(0)
    for (const { internalRoutes = [], tokenOut, amountOut } of plain) {
      const paid = internalRoutes.reduce(
        (sum, { primary }) => sum + paidBy(primary, tokenOut[0] as Address),
        0n,
      )
      expect(BigInt(amountOut?.[0] ?? '0')).toBe(paid)
    }
  })
})

const svc = (action: string, args: object) => ({ protocol: 'svc', action, args })
const route = (tokenIn: Address, tokenOut: Address, amountIn: unknown) =>
  svc('route', { tokenIn, tokenOut, amountIn })
const output = (useOutputOfCallAt: number) => ({ useOutputOfCallAt })
const aave = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const other: Address = '0x00000000000000000000000000000000000b0b5e'

interface BundleCase {
  readonly name: string
  readonly actions: readonly object[]
  readonly query?: Record<string, string>
}

const bundles: readonly BundleCase[] = [
  {
    name: 'a split, then a deposit of what it gives',
    actions: [
      route(weth, usdc, `${500n * ether}`),
      {
        protocol: 'aave-v3',
        action: 'deposit',
        args: { tokenIn: usdc, amountIn: output(0), primaryAddress: aave },
      },
    ],
  },
  { name: 'native out', actions: [route(usdc, nativeToken, '1500000000000')] },
  { name: 'a split over several tokens', actions: [route(usdc, link, '1000000000000')] },
  {
    name: 'native in',
    actions: [route(nativeToken, link, `${20n * ether}`)],
  },
  {
    name: 'the same pools twice',
    actions: [
      route(weth, usdc, `${ether}`),
      route(weth, usdc, `${ether}`),
      route(weth, link, `${ether}`),
    ],
  },
  {
    name: 'parts of an output',
    actions: [
      svc('split', { tokenIn: weth, tokenOut: [usdc, link, weth], amountIn: `${9n * ether}` }),
      svc('merge', { tokenIn: [usdc, link], tokenOut: dai, amountIn: [output(0), '1000000'] }),
    ],
  },
  {
    name: 'paid to somebody',
    actions: [
      svc('route', { tokenIn: weth, tokenOut: dai, amountIn: `${ether}`, receiver: other }),
    ],
  },
  {
    name: 'of a wallet',
    actions: [route(weth, dai, `${ether}`)],
    query: { routingStrategy: 'svcwallet-v2' },
  },
  {
    name: 'of a delegate',
    actions: [route(weth, link, `${ether}`)],
    query: { routingStrategy: 'delegate' },
  },
]

describe('amounts of the steps of a bundle', () => {
  test.each(bundles)(
    '$name: what goes in comes from the sender, what comes out is the answer',
    async ({ actions, query = {} }) => {
      const search = new URLSearchParams({ fromAddress: stranger, ...query })
      const path = `/api/v1/shortcuts/bundle?${search}` as '/api/v1/shortcuts/bundle'
      const { status, text, body } = await service.post(path, actions)
      expect(status, text).toBe(200)
      const expected = new Map<string, bigint>()
      const add = (amounts: Record<string, string>, sign: bigint) => {
        for (const [each, amount] of Object.entries(amounts)) {
          expected.set(each, (expected.get(each) ?? 0n) + sign * BigInt(amount))
        }
      }
      add(body.amountsIn, -1n)
      add(body.amountsOut, 1n)
      const sums = flows(body.route)
      const nothing = (amounts: ReadonlyMap<string, bigint>) =>
        Object.fromEntries([...amounts].filter(([, amount]) => amount !== 0n).sort())
      expect(nothing(sums)).toEqual(nothing(expected))
    },
  )

  test('of a position without a token: the deposit takes what the answer says, not what it was offered', async () => {
    const position =
      '1:0xc36442b4a4522e871399cd717abdd847ab11fe88:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640--887270-887270'
    const { status, text, body } = await service.get('/api/v1/shortcuts/route/nontokenized', {
      fromAddress: stranger,
      receiver: stranger,
      executionMode: 'backend',
      tokenIn: dai,
      amountIn: `${300_000n * ether}`,
      positionOut: position,
    })
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    const steps: Step[] = body.route
    const deposit = steps.at(-1)
    const swaps = flows(steps.slice(0, -1))
    expect(swaps.get(dai)).toBe(-300_000n * ether)
    const pairs = (deposit?.tokenIn ?? []).map((each, index) => [each, deposit?.amountIn?.[index]])
    expect(pairs.map(([, amount]) => amount)).toEqual(body.amountDepositedList)
    expect(pairs).toHaveLength(2)
    for (const [each, amount] of pairs) {
      expect(BigInt(amount ?? '0')).toBeLessThanOrEqual(swaps.get(each as Address) ?? 0n)
    }
  })
})
