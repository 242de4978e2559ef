/** Bundles over HTTP on the sandbox chain; the returned transaction is carried out on a separate Anvil. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { executorAddress } from '../../../src/executor/deployments.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import {
  type Action,
  askBundle,
  executeBundle,
  output,
  own,
  proveBundle,
  route,
  routeOf,
} from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai] = [addressOf('WETH'), addressOf('USDC'), addressOf('DAI')]
const [wbtc, link, sta] = [addressOf('WBTC'), addressOf('LINK'), addressOf('STA')]
const from: Address = '0x00000000000000000000000000000000000f00d5'
const other: Address = '0x00000000000000000000000000000000000f00d6'
const third: Address = '0x00000000000000000000000000000000000f00d7'
const ether = 10n ** 18n
const svc = 'svc'

const swapArgs = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString(), slippage: '100' }

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function ask(actions: readonly Action[], query: Record<string, string> = {}) {
  const answer = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const prove = (
  actions: readonly Action[],
  query: Record<string, string> = {},
  options: Parameters<typeof proveBundle>[3] = {},
) => proveBundle(service, { fromAddress: from, ...query }, actions, options)

async function refused(actions: readonly Action[], query: Record<string, string> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...query }, actions)
  return { status, body }
}

describe('bundle', () => {
  test('one route delivers exactly what it says', async () => {
    const { body } = await prove([route(weth, usdc, ether)])
    expect(Object.keys(body.amountsOut)).toEqual([usdc])
    expect(body.amountsIn).toEqual({ [weth]: ether.toString() })
    expect(body).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    expect(BigInt(body.minAmountsOut[usdc])).toBe(
      (BigInt(body.amountsOut[usdc]) * 995_000n) / 1_000_000n,
    )
  })

  test.each(['router', 'router-legacy', 'delegate', 'delegate-legacy', 'svcwallet-v2'])(
    'three routes, each of what the one before gave, with strategy %s',
    async (routingStrategy) => {
      const { body } = await prove(
        [route(weth, usdc, ether), routeOf(usdc, wbtc, 0), routeOf(wbtc, dai, 1)],
        { routingStrategy },
      )
      expect(Object.keys(body.amountsOut)).toEqual([dai])
      expect(body.route.length).toBeGreaterThanOrEqual(3)
    },
  )

  test('an output that is checked, charged and sent on', async () => {
    const { body, execution } = await prove(
      [
        route(weth, usdc, ether),
        own('minamountout', { amountOut: output(0), minAmountOut: '1' }),
        own('slippage', { amountOut: output(1), bps: '30' }),
        own('fee', { token: usdc, amount: output(2), bps: 25, receiver: other }),
        own('transfer', { token: usdc, recipient: third, amount: '1000000' }),
      ],
      {},
      {
        watch: [
          { token: usdc, owner: other },
          { token: usdc, owner: third },
        ],
      },
    )
    const [, fee = 0n, sent] = execution.deltas
    const all = BigInt(body.amountsOut[usdc]) + fee
    expect(fee).toBe((all * 25n) / 10_000n)
    expect(sent).toBe(1_000_000n)
    expect(body.amountsIn).toEqual({ [weth]: ether.toString(), [usdc]: '1000000' })
  })

  test('a minimum that is not met names the action', async () => {
    const { status, body } = await refused([
      route(weth, usdc, ether),
      own('minamountout', { amountOut: output(0), minAmountOut: (10n ** 15n).toString() }),
    ])
    expect(status).toBe(422)
    expect(body.details).toMatchObject({
      action: 1,
      protocol: svc,
      call: { function: 'requireAtLeast' },
    })
    expect(body.message).toMatch(/^action 1 \(svc minamountout\) fails in .*BelowMinimum\(/)
  })

  test('one token into three, and three into one', async () => {
    const { body } = await prove([
      own('split', {
        tokenIn: weth,
        tokenOut: [usdc, dai, weth],
        amountIn: (3n * ether).toString(),
      }),
      own('merge', {
        tokenIn: [usdc, dai],
        amountIn: [output(0, 0), output(0, 1)],
        tokenOut: wbtc,
      }),
    ])
    expect(body.amountsOut[weth]).toBe(ether.toString())
    expect(Object.keys(body.amountsOut).sort()).toEqual([weth, wbtc].sort())
  })

  test('native in, native out', async () => {
    const { body } = await prove([route(nativeToken, dai, ether), routeOf(dai, nativeToken, 0)])
    expect(body.tx.value).toBe(ether.toString())
    expect(Object.keys(body.amountsOut)).toEqual([nativeToken])
  })

  test('swaps by one protocol, and in one pool', async () => {
    const { body } = await prove([
      { protocol: 'uniswap-v2', action: 'swap', args: swapArgs },
      {
        protocol: 'uniswap-v3',
        action: 'swap',
        args: {
          tokenIn: usdc,
          tokenOut: weth,
          amountIn: output(0),
          slippage: '100',
          primaryAddress: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
        },
      },
    ])
    expect(body.route.map(({ protocol }: { protocol: string }) => protocol)).toEqual([
      'uniswap-v2',
      'uniswap-v3',
    ])
    expect(body.route[1].primary).toBe('0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640')
  })

  test('calls with tuples, lists and references inside them', async () => {
    const router = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d'
    const { body } = await prove([
      route(weth, usdc, ether),
      own('approve', { token: usdc, spender: router, amount: output(0) }),
      own('call', {
        address: router,
        method: 'swapExactTokensForTokens',
        abi: 'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
        args: [output(0), '1', [usdc, weth], executorAddress(from), '4294967295'],
        tokenIn: usdc,
        amountIn: output(0),
        tokenOut: weth,
      }),
    ])
    expect(Object.keys(body.amountsOut)).toEqual([weth])
  })

  test('a word that a call returns', async () => {
    const { execution } = await prove(
      [
        route(weth, dai, ether),
        own('call', {
          address: usdc,
          method: 'decimals',
          abi: 'decimals() view returns (uint8)',
          args: [],
        }),
        own('transfer', { token: dai, recipient: other, amount: output(1) }),
      ],
      {},
      { watch: [{ token: dai, owner: other }] },
    )
    expect(execution.deltas.at(-1)).toBe(6n)
  })

  test('a taxed input is spent as it arrives', async () => {
    await prove([route(sta, weth, 100_000n * ether)])
    const { execution } = await prove(
      [own('transfer', { token: sta, recipient: other, amount: ether.toString() })],
      {},
      { watch: [{ token: sta, owner: other }] },
    )
    expect(execution.deltas.at(-1)).toBeGreaterThan(0n)
  })

  test('the receiver gets what remains, the refund receiver the dust', async () => {
    const { body } = await prove([route(weth, link, ether)], {
      receiver: other,
      refundReceiver: third,
    })
    expect(Object.keys(body.amountsOut)).toEqual([link])
  })

  test('real funds are checked in mode user', async () => {
    const poor = await refused([route(weth, usdc, ether)], { executionMode: 'user' })
    expect(poor).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
    const unallowed = await refused([route(weth, usdc, ether)], {
      executionMode: 'user',
      fromAddress: contractAddresses.tradingDesk,
    })
    expect(unallowed).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_ALLOWANCE' } })
  })

  test('skipQuote builds the same calls without gas and amounts', async () => {
    const body = await ask([route(weth, usdc, ether), routeOf(usdc, dai, 0)], { skipQuote: 'true' })
    expect(body).toMatchObject({ amountsOut: {}, minAmountsOut: {}, priceImpact: null })
    expect(body).not.toHaveProperty('gas')
    expect(body).toMatchObject({ simulatedPosition: null, expiresAtBlock: null })
    const execution = await executeBundle(service, body, { watch: [{ token: dai, owner: from }] })
    expect(execution.status).toBe('success')
    expect(execution.deltas[0]).toBeGreaterThan(2_900n * ether)
  })

  test('a flash loan, used and repaid within the transaction', async () => {
    const amount = (10n * ether).toString()
    const { body } = await prove([
      own('flashloan', {
        token: weth,
        amount,
        callback: [
          route(weth, usdc, amount),
          routeOf(usdc, weth, 0),
          // What the two swaps lose, and a little more.
          route(dai, weth, 300n * ether),
        ],
      }),
    ])
    expect(body.amountsIn).toEqual({ [dai]: (300n * ether).toString() })
    expect(Object.keys(body.amountsOut)).toEqual([weth])
    expect(BigInt(body.amountsOut[weth])).toBeLessThan(ether / 10n)
  })

  test('inside a flash loan references of single paths count its own steps', async () => {
    const amount = (ether / 10n).toString()
    const swap = (tokenIn: Address, tokenOut: Address, amountIn: unknown): Action => ({
      protocol: 'uniswap-v2',
      action: 'swap',
      args: { tokenIn, tokenOut, amountIn, slippage: '100' },
    })
    const { body } = await prove([
      route(weth, usdc, ether / 100n),
      own('flashloan', {
        token: weth,
        amount,
        callback: [
          swap(weth, usdc, amount),
          swap(usdc, weth, output(0)),
          route(dai, weth, 9n * ether),
        ],
      }),
    ])
    expect(Object.keys(body.amountsOut).sort()).toEqual([usdc, weth].sort())
  })

  test('a flash loan that cannot be repaid names its action', async () => {
    const amount = (10n * ether).toString()
    const callback = [route(weth, usdc, amount), routeOf(usdc, weth, 0)]
    const { status, body } = await refused([own('flashloan', { token: weth, amount, callback })])
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.details).toMatchObject({ action: 0, name: 'flashloan' })
  })

  test('accounts take no flash loan', async () => {
    const callback = [route(weth, usdc, ether)]
    const { status, body } = await refused(
      [own('flashloan', { token: weth, amount: ether.toString(), callback })],
      { routingStrategy: 'delegate' },
    )
    expect(status).toBe(400)
    expect(body.message).toMatch(/routingStrategy router/)
  })

  test('the same bundle at the same block is the same bytes', async () => {
    const { body } = await prove([route(weth, usdc, ether), routeOf(usdc, dai, 0)])
    const again = await ask([route(weth, usdc, ether), routeOf(usdc, dai, 0)], {
      blockNumber: String(body.blockNumber),
    })
    expect(again).toEqual(body)
  })
})
