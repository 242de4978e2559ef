/** Actions that name a receiver: what arrives there is in the answer to the wei, and less of it reverts. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddresses, curvePoolAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { type Action, askBundle, executeBundle, output, own, route } from '../../support/bundle.js'
import {
  donation,
  executeBehind,
  type Move,
  minimumReasons,
  swap,
} from '../../support/front-run.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai, uni] = ['WETH', 'USDC', 'DAI', 'UNI'].map(addressOf) as [
  Address,
  Address,
  Address,
  Address,
]
const [crv, sta] = [addressOf('CRV'), addressOf('STA')]
const from: Address = '0x00000000000000000000000000000000000f0c01'
const other: Address = '0x00000000000000000000000000000000000f0c02'
const third: Address = '0x00000000000000000000000000000000000f0c03'
const aavePool: Address = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const ether = 10n ** 18n
const vault = sandboxVault('CRV')

let service: SharedService
let aUsdc: Address

beforeAll(async () => {
  service = await sharedService()
  const query = { type: 'defi', protocolSlug: 'aave-v3', underlyingTokens: usdc }
  aUsdc = (await service.get('/api/v1/tokens', query)).body.data[0].address
})

async function ask(actions: readonly Action[], more: Readonly<Record<string, string>> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...more }, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const supply = (receiver: Address): Action => ({
  protocol: 'aave-v3',
  action: 'deposit',
  args: { tokenIn: usdc, amountIn: '1000000007', primaryAddress: aavePool, receiver },
})
const vaultDeposit = (receiver: Address): Action => ({
  protocol: 'erc-4626',
  action: 'deposit',
  args: { primaryAddress: vault, tokenIn: crv, amountIn: (1_000n * ether).toString(), receiver },
})
const swapTo = (tokenOut: Address, receiver: Address, more = {}) =>
  route(weth, tokenOut, ether, { receiver, ...more })

interface Payment {
  readonly token: Address
  readonly receiver: Address
  readonly amountOut: string
  readonly minAmountOut: string
}

/** Each payment of the answer is what its receiver gains on another Anvil; what is not named goes to the sender. */
async function prove(actions: readonly Action[], query: Readonly<Record<string, string>> = {}) {
  const body = await ask(actions, query)
  const payments: readonly Payment[] = body.payments ?? []
  const { routingStrategy } = query
  const execution = await executeBundle(service, body, {
    ...(routingStrategy && { routingStrategy }),
    watch: payments.map(({ token, receiver }) => ({ token, owner: receiver })),
  })
  expect(execution.status).toBe('success')
  expect(execution.gasUsed.toString()).toBe(body.gas)
  expect(execution.gained).toEqual(body.amountsOut)
  const deltas = payments.length > 0 ? execution.deltas.slice(-payments.length) : []
  expect(payments.map(({ amountOut }) => BigInt(amountOut))).toEqual(deltas)
  for (const { amountOut, minAmountOut } of payments) {
    expect(BigInt(minAmountOut)).toBeGreaterThan(0n)
    expect(BigInt(minAmountOut)).toBeLessThanOrEqual(BigInt(amountOut))
  }
  expect(body.unprotected).toBeUndefined()
  return body
}

describe('an action with a receiver', () => {
  test.each([
    ['a supply to Aave', () => supply(other), () => aUsdc],
    ['a deposit into a vault', () => vaultDeposit(other), () => vault],
    ['a route', () => swapTo(usdc, other), () => usdc],
    [
      'a route to native',
      () => swapTo(nativeToken, other, { tokenIn: usdc, amountIn: '3000000000' }),
      () => nativeToken,
    ],
    ['a route to a token that takes a tax', () => swapTo(sta, other), () => sta],
  ] as const)('%s: amount, minimum and price impact', async (_name, action, token) => {
    const body = await prove([action()])
    expect(body.payments).toEqual([
      expect.objectContaining({ action: 0, token: token(), receiver: other }),
    ])
    expect(Object.keys(body.amountsOut)).toEqual([token()])
    expect(Object.keys(body.minAmountsOut)).toEqual([token()])
  })

  test('that is the sender loses nothing', async () => {
    for (const action of [supply(from), vaultDeposit(from), swapTo(usdc, from)]) {
      const { amountsOut, minAmountsOut } = await prove([action])
      expect(Object.keys(amountsOut)).toHaveLength(1)
      expect(Object.keys(minAmountsOut)).toEqual(Object.keys(amountsOut))
    }
  })

  test('has the price impact that it has without', async () => {
    const [alone, sent] = [await ask([route(weth, usdc, ether)]), await ask([swapTo(usdc, other)])]
    expect(alone.priceImpact).not.toBeNull()
    expect(sent.priceImpact).toBe(alone.priceImpact)
    expect(sent.amountsOut).toEqual(alone.amountsOut)
    expect(sent.minAmountsOut).toEqual(alone.minAmountsOut)
  })

  test.each(['delegate', 'svcwallet-v2', 'router-legacy'])(
    'of two kinds beside what stays, with strategy %s',
    async (routingStrategy) => {
      const body = await prove(
        [
          swapTo(usdc, other),
          route(weth, dai, ether),
          own('split', {
            tokenIn: dai,
            amountIn: (100n * ether).toString(),
            tokenOut: [usdc, uni],
            receiver: third,
          }),
        ],
        { routingStrategy },
      )
      expect(body.payments.map(({ receiver }: Payment) => receiver)).toEqual([other, third, third])
      expect(BigInt(body.amountsOut[dai])).toBeGreaterThan(2_000n * ether)
    },
  )

  test('is checked afterwards by an action that only looks at what it gave', async () => {
    const body = await prove([
      swapTo(usdc, other),
      own('slippage', { amountOut: output(0), bps: '10' }),
      own('minamountout', { amountOut: output(0), minAmountOut: '1000000' }),
    ])
    expect(body.payments).toHaveLength(1)
    expect(Object.keys(body.amountsOut)).toEqual([usdc])
  })

  test('keeps for a later action what that takes', async () => {
    const body = await prove([
      swapTo(usdc, other),
      own('route', { tokenIn: usdc, tokenOut: dai, amountIn: output(0) }),
    ])
    expect(body.payments).toBeUndefined()
    expect(Object.keys(body.amountsOut)).toEqual([dai])
  })

  test('inside a flash loan is measured too', async () => {
    const callback = [
      {
        protocol: 'uniswap-v2',
        action: 'swap',
        args: {
          tokenIn: dai,
          tokenOut: usdc,
          amountIn: (100n * ether).toString(),
          receiver: other,
        },
      },
    ]
    const body = await prove([
      own('flashloan', { token: weth, amount: ether.toString(), callback }),
    ])
    expect(body.payments).toEqual([expect.objectContaining({ action: 0, receiver: other })])
  })
})

/** Of UNI and WETH at 0.05 percent, 300,000 USD deep. */
const shallow = sandboxPools().find(
  ({ protocol, tokens, parameters }) =>
    protocol === 'uniswap-v3' &&
    parameters.fee === 500 &&
    tokens.includes(uni) &&
    tokens.includes(weth),
)

describe('behind a front-run that takes more than the slippage', () => {
  const dump = (protocol: string, tokenOut: Address, more = {}): Move =>
    swap({ protocol, tokenIn: weth, tokenOut, amount: 40n * ether, ...more })
  const inPool = {
    primaryAddress: shallow?.address,
    receiver: other,
    tokenIn: weth,
    tokenOut: uni,
    amountIn: ether.toString(),
  }

  test.each([
    [
      'a swap',
      () => [{ protocol: 'uniswap-v3', action: 'swap', args: inPool }],
      dump('uniswap-v3', uni, { pool: shallow?.address }),
    ],
    [
      'a deposit into a vault',
      () => [vaultDeposit(other)],
      donation(crv, vault, 1_000_000n * ether),
    ],
    [
      'a swap whose minimum is stated',
      () => [
        own('route', {
          tokenIn: weth,
          tokenOut: uni,
          amountIn: ether.toString(),
          receiver: other,
          ignoreStandards: [
            'uniswap-v2',
            'sushiswap-v2',
            'sushiswap-v3',
            'uniswap-v4',
            'balancer-v2',
            'curve',
          ],
          minAmountOut: '1',
        }),
        own('slippage', { amountOut: output(0), bps: '50' }),
      ],
      dump('uniswap-v3', uni, { pool: shallow?.address }),
    ],
  ] as const)('%s reverts', async (_name, actions, move) => {
    const body = await ask(actions())
    expect((await executeBundle(service, body)).status).toBe('success')
    const { status, reason } = await executeBehind(service, body, move)
    expect({ status, reason }).toEqual({
      status: 'reverted',
      reason: expect.stringMatching(minimumReasons),
    })
  })
})

describe('swap with a primaryAddress', () => {
  const swapOf = (protocol: string, more: object) =>
    ask([
      {
        protocol,
        action: 'swap',
        args: { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString(), ...more },
      },
    ])

  test.each([
    ['uniswap-v2', contractAddresses.v2Router],
    ['uniswap-v3', '0xE592427A0AEce92De3Edee1F18E0157C05861564'],
    ['uniswap-v3', '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45'],
    ['sushiswap-v2', '0xd9e1cE17f2641f24aE83637ab66a2cca9C378B9F'],
    ['uniswap-v4', '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af'],
    ['balancer-v2', contractAddresses.balancerVault],
  ])('that is the router of %s swaps in any of its pools: %s', async (protocol, primaryAddress) => {
    const [free, named] = [await swapOf(protocol, {}), await swapOf(protocol, { primaryAddress })]
    expect(named.amountsOut).toEqual(free.amountsOut)
    expect(named.route).toEqual(free.route)
    expect(named.route.some((step: { protocol: string }) => step.protocol === protocol)).toBe(true)
  })

  test("another protocol's router names no pool", async () => {
    const args = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString() }
    const action = {
      protocol: 'uniswap-v3',
      action: 'swap',
      args: { ...args, primaryAddress: contractAddresses.v2Router },
    }
    const { status } = await askBundle(service, { fromAddress: from }, [action])
    expect(status).toBe(422)
  })

  test('poolFee picks the pools of that fee', async () => {
    const [low, high] = [
      await swapOf('uniswap-v3', { poolFee: 500 }),
      await swapOf('uniswap-v3', { poolFee: '3000' }),
    ]
    const asBps = await swapOf('uniswap-v3', { poolFee: 5 })
    expect(asBps.amountsOut).toEqual(low.amountsOut)
    expect(high.amountsOut).not.toEqual(low.amountsOut)
  })
})

test('a pool that its caller is paid by pays the receiver of the action', async () => {
  const args = {
    primaryAddress: curvePoolAddresses[0],
    tokenIn: [dai],
    amountIn: [(1_000n * ether).toString()],
  }
  const body = await prove([
    { protocol: 'curve', action: 'deposit', args: { ...args, receiver: other } },
  ])
  expect(body.payments).toHaveLength(1)
})
