/** Actions and arguments as clients of the API family write them; each transaction is carried out on an Anvil of its own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, maxUint256 } from '../../../src/domain/primitives.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
  v3PoolAddress,
} from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, executeBundle, output, own, route } from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai] = [addressOf('WETH'), addressOf('USDC'), addressOf('DAI')]
const from: Address = '0x00000000000000000000000000000000000f0d01'
const other: Address = '0x00000000000000000000000000000000000f0d02'
const aavePool: Address = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const manager = contractAddresses.v3PositionManager
const ether = 10n ** 18n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

const of = (protocol: string, action: string, args: Action['args']): Action => ({
  protocol,
  action,
  args,
})

async function refusal(actions: readonly Action[], query: Record<string, string> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...query }, actions)
  return `${status} ${[body.message].flat().join(' | ')}`
}

async function prove(
  actions: readonly Action[],
  query: Record<string, string> = {},
  options: Parameters<typeof executeBundle>[2] = {},
) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  const execution = await executeBundle(service, body, options)
  expect(execution.status).toBe('success')
  expect(execution.gained).toEqual(body.amountsOut)
  expect(execution.gasUsed.toString()).toBe(body.gas)
  return { body, execution }
}

/** What an operation yields on chain, shown as an amount of DAI that is sent. */
async function yieldOf(operations: readonly Action[]): Promise<bigint> {
  const send = own('transfer', { token: dai, receiver: other, amount: output(operations.length) })
  const { execution } = await prove(
    [route(weth, dai, ether), ...operations, send],
    {},
    { watch: [{ token: dai, owner: other }] },
  )
  return execution.deltas.at(-1) ?? -1n
}

describe('math', () => {
  const most = maxUint256.toString()

  test.each([
    ['add', '40', '2', 42n],
    ['sub', '44', '2', 42n],
    ['mul', '21', '2', 42n],
    ['div', '85', '2', 42n],
    ['min', most, '42', 42n],
    ['max', '42', '7', 42n],
    ['max', '7', '42', 42n],
    ['isequal', most, most, 1n],
    ['isequal', '0', most, 0n],
    ['islessthan', '1', '2', 1n],
    ['islessthan', '2', '2', 0n],
    ['isequalorlessthan', '2', '2', 1n],
    ['isequalorlessthan', most, '0', 0n],
    ['isgreaterthan', most, '0', 1n],
    ['isgreaterthan', '2', '2', 0n],
    ['isequalorgreaterthan', '2', '2', 1n],
    ['isequalorgreaterthan', '0', most, 0n],
  ])('%s of %s and %s is %d', async (action, amountA, amountB, expected) => {
    // Of an amount of 0, which is a valid transfer, 7 is left.
    const sum = own('add', { amountA: output(1), amountB: '7' })
    expect(await yieldOf([own(action, { amountA, amountB }), sum])).toBe(expected + 7n)
  })

  test('an output less an amount is what goes on, and the rest stays', async () => {
    const { body } = await prove([
      route(weth, dai, ether),
      own('sub', { amountA: output(0), amountB: (1_000n * ether).toString() }),
      own('route', { tokenIn: dai, tokenOut: usdc, amountIn: output(1) }),
    ])
    expect(body.amountsOut[dai]).toBe((1_000n * ether).toString())
    expect(BigInt(body.amountsOut[usdc])).toBeGreaterThan(1_900_000_000n)
  })

  test.each([
    ['sub', '1', '2'],
    ['div', '1', '0'],
    ['mul', most, '2'],
    ['add', most, '1'],
  ])('%s of %s and %s fails and says which action', async (action, amountA, amountB) => {
    expect(await refusal([own(action, { amountA, amountB })])).toMatch(
      new RegExp(`^422 action 0 \\(svc ${action}\\) fails`),
    )
  })
})

describe('conditions', () => {
  test('toggle and not', async () => {
    const toggle = (condition: unknown) =>
      own('toggle', { condition, amountA: '11', amountB: '22' })
    const isMore = own('isgreaterthan', { amountA: output(0), amountB: '1' })
    expect(await yieldOf([isMore, toggle(output(1))])).toBe(11n)
    expect(await yieldOf([isMore, own('not', { condition: output(1) }), toggle(output(2))])).toBe(
      22n,
    )
    expect(await yieldOf([toggle(true)])).toBe(11n)
    expect(await yieldOf([toggle(false)])).toBe(22n)
  })

  test('check lets pass what is true and refuses what is not', async () => {
    const compare = (amountB: bigint) =>
      own('isequalorgreaterthan', { amountA: output(0), amountB: amountB.toString() })
    const check = own('check', { condition: output(1) })
    await prove([route(weth, dai, ether), compare(1_000n * ether), check])
    expect(await refusal([route(weth, dai, ether), compare(1_000_000n * ether), check])).toMatch(
      /^422 action 2 \(svc check\) fails .*BelowMinimum\(0, 1\)/,
    )
  })

  test('a condition is a boolean or a reference', async () => {
    expect(await refusal([own('check', { condition: 'maybe' })])).toBe(
      '400 action 0, condition must be true, false or a reference {useOutputOfCallAt}',
    )
  })
})

describe('route', () => {
  const args = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString() }

  test('takes a fee, in the answer and at its receiver', async () => {
    const charged = own('route', { ...args, fee: ['25'], feeReceiver: other })
    const watch = [{ token: weth, owner: other }]
    const { body, execution } = await prove([charged], {}, { watch })
    const fee = (ether * 25n) / 10_000n
    expect(body.feeAmount).toEqual([fee.toString()])
    expect(execution.deltas.at(-1)).toBe(fee)
    expect(body.amountsIn).toEqual({ [weth]: ether.toString() })
  })

  test('takes a fee of what an earlier action yields', async () => {
    const charged = own('route', {
      tokenIn: usdc,
      tokenOut: dai,
      amountIn: output(0),
      fee: 100,
      feeReceiver: other,
    })
    const watch = [{ token: usdc, owner: other }]
    const { body, execution } = await prove([own('route', args), charged], {}, { watch })
    expect(body.feeAmount).toEqual([String(execution.deltas.at(-1))])
    expect(Object.keys(body.amountsOut)).toEqual([dai])
  })

  test('the action fee is in feeAmount, too', async () => {
    const fee = (token: Address, amount: unknown) =>
      own('fee', { token, amount, bps: '30', receiver: other })
    const watch = [{ token: usdc, owner: other }]
    const actions = [own('route', args), fee(usdc, output(0)), fee(dai, '1000000')]
    const { body, execution } = await prove(actions, {}, { watch })
    expect(body.feeAmount).toEqual([String(execution.deltas.at(-1)), '3000'])
  })

  test('minAmountOut is the minimum that the transaction enforces', async () => {
    const { body } = await prove([own('route', { ...args, minAmountOut: ['2500000000'] })])
    expect(body.minAmountsOut).toEqual({ [usdc]: '2500000000' })
    expect(await refusal([own('route', { ...args, minAmountOut: '9000000000' })])).toMatch(
      /^422 action 0 .*BelowMinimum\(/,
    )
  })

  test('leaves out what it is told to, for itself alone', async () => {
    const { body: free } = await prove([own('route', args)])
    const [used] = free.route
    const ignored = own('route', { ...args, ignoreStandards: [used.protocol.toUpperCase()] })
    const { body } = await prove([ignored, own('route', args)])
    expect(body.route[0].protocol).not.toBe(used.protocol)
  })

  test.each([
    [{ fee: '10' }, 'feeReceiver must be given with a fee'],
    [{ fee: 101, feeReceiver: other }, 'fee must be basis points from 0 to 100'],
    [{ fee: ['1', '2'], feeReceiver: other }, 'fee must be one number'],
    [{ minAmountOut: '1', slippage: '5' }, 'minAmountOut must be left out with slippage'],
    [{ minAmountOut: ['1', '2'] }, 'minAmountOut must be one amount'],
    [{ ignoreAggregators: [5] }, 'ignoreAggregators must be a text'],
  ])('with %j is refused', async (more, message) => {
    expect(await refusal([own('route', { ...args, ...more })])).toContain(
      `400 action 0, ${message}`,
    )
  })

  test('a refund receiver counts for the whole bundle', async () => {
    const named = own('route', { ...args, refundReceiver: other })
    const pair = v2PairAddress('uniswap-v2', weth, usdc)
    const join = of('uniswap-v2', 'deposit', {
      primaryAddress: pair,
      tokenIn: [weth, usdc],
      amountIn: [ether.toString(), '900000000'],
    })
    const watch = [{ token: weth, owner: other }]
    const { execution } = await prove([named, join], {}, { watch })
    expect(execution.deltas.at(-1)).toBeGreaterThan(ether / 2n)
    expect(await refusal([named, own('route', { ...args, refundReceiver: from })])).toContain(
      `400 action 1, refundReceiver must be ${other}`,
    )
  })
})

describe('arguments of other actions', () => {
  test.each([
    [
      'Aave: a deposit on behalf of somebody, without tokenOut',
      () =>
        of('aave-v3', 'deposit', {
          tokenIn: usdc,
          amountIn: '1000000000',
          primaryAddress: aavePool,
          onBehalfOf: other,
        }),
    ],
    [
      'Curve: a deposit without tokenOut',
      () =>
        of('curve', 'deposit', {
          primaryAddress: curvePoolAddresses[0],
          tokenIn: dai,
          amountIn: (1_000n * ether).toString(),
        }),
    ],
    [
      'Uniswap V2: both tokens by the router, without tokenOut',
      () =>
        of('uniswap-v2', 'deposit', {
          primaryAddress: contractAddresses.v2Router,
          tokenIn: [weth, usdc],
          amountIn: [ether.toString(), '3000000000'],
        }),
    ],
    [
      'Uniswap V2: tokenizedsingledeposit into the pair',
      () =>
        of('uniswap-v2', 'tokenizedsingledeposit', {
          primaryAddress: v2PairAddress('uniswap-v2', weth, usdc),
          tokenIn: usdc,
          amountIn: '1000000000',
        }),
    ],
    [
      'Curve: a redemption without tokenIn',
      () =>
        of('curve', 'singleredeem', {
          primaryAddress: curvePoolAddresses[0],
          tokenOut: [dai],
          amountIn: (10n * ether).toString(),
        }),
    ],
    [
      'approve with the routing strategy',
      () =>
        of('erc20', 'approve', {
          token: usdc,
          spender: other,
          amount: '1',
          routingStrategy: 'router',
        }),
    ],
  ] as const)('%s', async (_name, action) => {
    await prove([action()])
  })

  test('Aave: what was supplied comes back without naming the aToken', async () => {
    const lend = of('aave-v3', 'tokenizedsingledeposit', {
      tokenIn: usdc,
      amountIn: '1000000000',
      primaryAddress: aavePool,
    })
    const leave = of('aave-v3', 'redeem', {
      tokenOut: usdc,
      amountIn: output(0),
      primaryAddress: aavePool,
    })
    const { body } = await prove([lend, leave])
    expect(Object.keys(body.amountsOut)).toEqual([usdc])
  })

  test('the share of a Curve pool that is named is the one that is found', async () => {
    const join = (more: object) =>
      of('curve', 'multideposit', {
        primaryAddress: curvePoolAddresses[1],
        tokenIn: [weth],
        amountIn: [ether.toString()],
        ...more,
      })
    const answers = [
      await refusal([join({})]),
      await refusal([join({ tokenOut: curveSharesAddresses[1] })]),
    ]
    expect(answers[0]).toBe(answers[1])
  })

  test('permittransferfrom of somebody else, onBehalfOf beside another receiver, a foreign strategy', async () => {
    const permit = {
      token: usdc,
      amount: '1',
      nonce: '0',
      deadline: '4000000000',
      signature: '0x00',
    }
    expect(await refusal([of('permit2', 'permittransferfrom', { ...permit, sender: other })])).toBe(
      `400 action 0, sender must be the sender of the bundle, ${from}`,
    )
    const args = { tokenIn: usdc, amountIn: '1000000', primaryAddress: aavePool }
    const twice = of('aave-v3', 'deposit', { ...args, receiver: from, onBehalfOf: other })
    expect(await refusal([twice])).toContain('400 action 0, onBehalfOf must be the receiver')
    const approve = { token: usdc, spender: other, amount: '1', routingStrategy: 'delegate' }
    expect(await refusal([of('erc20', 'approve', approve)])).toContain(
      '400 action 0, routingStrategy',
    )
  })

  test('a balance that is estimated is there when it is used', async () => {
    const held = own('balance', { token: usdc, estimate: '2500000000' })
    const spend = own('route', { tokenIn: usdc, tokenOut: dai, amountIn: output(0) })
    const { status, body } = await askBundle(service, { fromAddress: from }, [held, spend])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(BigInt(body.amountsOut[dai])).toBeGreaterThan(2_400n * ether)
    expect(body.amountsIn).toEqual({})
    const ofAccount = await askBundle(service, { fromAddress: from, routingStrategy: 'delegate' }, [
      held,
    ])
    expect(ofAccount.body.warnings).toEqual([expect.stringContaining('no effect')])
  })

  test.each(['flashloan', 'singletokenflashloan', 'multitokenflashloan'])(
    '%s of the lender by its slug, with the names of the family',
    async (action) => {
      const loan = of('balancer-v2', action, {
        flashloanToken: weth,
        flashloanAmount: ether.toString(),
        primaryAddress: contractAddresses.balancerVault,
        tokenOut: usdc,
        callback: [route(dai, usdc, 100n * ether)],
      })
      const { body } = await prove([loan])
      expect(Object.keys(body.amountsOut)).toEqual([usdc])
    },
  )
})

describe('positions of concentrated liquidity', () => {
  test('depositclmm is a position in the range that ticks name', async () => {
    const mint = of('uniswap-v3', 'depositclmm', {
      tokenIn: [usdc, weth],
      amountIn: ['30000000000', (10n * ether).toString()],
      tokenOut: manager,
      ticks: ['100000', 300_000],
      poolFee: '500',
    })
    const { body } = await prove([mint])
    const pool = v3PoolAddress(weth, usdc, 500)
    expect(body.route[0].positionOutId).toEqual([`1:${manager}:${pool}-100000-300000`])
    expect(body.unprotected).toBeUndefined()
  })

  test.each([
    [{ ticks: [1] }, 'ticks must be the lower and the upper tick'],
    [{ ticks: [100_000, 300_000], tickLower: 5 }, 'ticks must be the lower and the upper tick'],
    [{ poolFee: 500, fee: 3000 }, 'poolFee must be the fee 3000'],
    [{ poolFee: 500, tokenOut: other }, `tokenOut must be ${manager}`],
  ])('depositclmm with %j is refused', async (more, message) => {
    const mint = of('uniswap-v3', 'depositclmm', {
      tokenIn: [usdc, weth],
      amountIn: ['30000000000', ether.toString()],
      ...more,
    })
    expect(await refusal([mint])).toContain(`400 action 0, ${message}`)
  })

  test('a protocol without them refuses', async () => {
    const args = { tokenIn: [usdc], amountIn: ['1'] }
    expect(await refusal([of('aave-v3', 'depositclmm', args)])).toMatch(
      /^400 action 0, action must be/,
    )
  })
})

describe('GET /api/v1/actions', () => {
  test('lists what bundles take', async () => {
    const { body } = await service.get('/api/v1/actions')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        ...['add', 'sub', 'mul', 'div', 'min', 'max'],
        ...['isequal', 'islessthan', 'isequalorlessthan', 'isgreaterthan', 'isequalorgreaterthan'],
        ...['check', 'not', 'toggle', 'fee', 'paymasterfee', 'minamountout', 'slippage'],
        ...['split', 'merge', 'balance', 'call', 'flashloan', 'depositclmm', 'redeemclmm'],
        ...['tokenizedsingledeposit', 'tokenizedmultideposit', 'tokenizedsingleredeem'],
        ...['tokenizedmultiredeem', 'singledeposit', 'multideposit', 'multiredeem'],
      ]),
    )
    const ofV3 = (await service.get('/api/v1/actions/uniswap-v3')).body
    const clmm = ofV3.find(({ name }: { name: string }) => name === 'depositclmm')
    expect(Object.keys(clmm.inputs)).toEqual(expect.arrayContaining(['ticks', 'poolFee']))
    const ofAave = (await service.get('/api/v1/actions/aave-v3')).body
    expect(ofAave.map(({ name }: { name: string }) => name)).not.toContain('depositclmm')
  })
})
