/** Bundles over several protocols; the final balances are those of the answer. */
import { beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { expectExecution } from '../../support/answers.js'
import { type Action, askBundle, executeBundle, output, proveBundle } from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, usdt, dai] = [
  addressOf('WETH'),
  addressOf('USDC'),
  addressOf('USDT'),
  addressOf('DAI'),
]
const [crv, stETH] = [addressOf('CRV'), addressOf('stETH')]
const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
const aave = ethereum.venues['aave-v3']?.pool
const from: Address = '0x00000000000000000000000000000000000f0b17'
const other: Address = '0x00000000000000000000000000000000000f0b18'
const third: Address = '0x00000000000000000000000000000000000f0b19'
const ether = 10n ** 18n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const act = (protocol: string, action: string, args: Record<string, unknown>): Action => ({
  protocol,
  action,
  args,
})
const route = (tokenIn: Address, tokenOut: Address, amountIn: unknown) =>
  act('svc', 'route', { tokenIn, tokenOut, amountIn, slippage: '50' })

const prove = async (actions: readonly Action[], routingStrategy = 'router') =>
  (await proveBundle(service, { fromAddress: from, routingStrategy }, actions)).body

test.each(['router', 'delegate'])(
  'swap, supply, borrow, swap what was borrowed, deposit into a vault; each amount by reference: %s',
  async (routingStrategy) => {
    const vault = sandboxVault('CRV')
    const body = await prove(
      [
        route(weth, usdc, (9n * ether).toString()),
        act('aave-v3', 'deposit', {
          primaryAddress: aave,
          tokenIn: usdc,
          tokenOut: aUsdc,
          amountIn: output(0),
          receiver: from,
        }),
        // A third of the collateral, as much as this brings.
        route(weth, dai, (3n * ether).toString()),
        act('aave-v3', 'borrow', {
          primaryAddress: aave,
          collateral: usdc,
          tokenOut: dai,
          amountOut: output(2),
        }),
        route(dai, crv, output(3)),
        act('erc-4626', 'deposit', { primaryAddress: vault, tokenIn: crv, amountIn: output(4) }),
      ],
      routingStrategy,
    )
    expect(Object.keys(body.amountsOut).sort()).toEqual([dai, vault, aUsdc].sort())
    expect(body.amountsIn).toEqual({ [weth]: (12n * ether).toString() })
  },
)

test('everything of a position is redeemed by reference to its balance', async () => {
  const vault = sandboxVault('WETH')
  const body = await prove([
    act('erc-4626', 'deposit', {
      primaryAddress: vault,
      tokenIn: weth,
      amountIn: ether.toString(),
    }),
    act('erc-4626', 'deposit', {
      primaryAddress: vault,
      tokenIn: weth,
      amountIn: (2n * ether).toString(),
    }),
    act('svc', 'balance', { token: vault }),
    act('erc-4626', 'redeem', { primaryAddress: vault, amountIn: output(2) }),
  ])
  expect(Object.keys(body.amountsOut)).toEqual([weth])
  expect(3n * ether - BigInt(body.amountsOut[weth])).toBeLessThan(10n)
})

test('a rebasing input is spent whole, whatever rounding leaves of it', async () => {
  const holder = sandboxAccount('alice').address
  const query = { fromAddress: holder, executionMode: 'user' }
  const { status, body } = await askBundle(service, query, [
    route(stETH, weth, ether.toString()),
    route(weth, dai, output(0)),
  ])
  expect(status, JSON.stringify(body)).toBe(200)
  const execution = await executeBundle(service, body, { isFunded: false })
  expect(execution.gained).toEqual(body.amountsOut)
})

test('the dust of a join goes to the refund receiver', async () => {
  const shares = v2PairAddress('uniswap-v2', weth, usdc)
  const [receiver, refundReceiver] = [other, third]
  const query = { fromAddress: from, receiver, refundReceiver }
  const { status, body } = await askBundle(service, query, [
    act('uniswap-v2', 'deposit', {
      primaryAddress: shares,
      // Twice the USDC that one WETH takes.
      tokenIn: [weth, usdc],
      amountIn: [ether.toString(), '6000000000'],
      tokenOut: shares,
    }),
  ])
  expect(status, JSON.stringify(body)).toBe(200)
  const watch = [{ token: usdc, owner: refundReceiver }]
  const execution = await executeBundle(service, body, { receiver, watch })
  expect(execution.gained).toEqual(body.amountsOut)
  expect(Object.keys(body.amountsOut)).toEqual([shares])
  expect(execution.deltas.at(-1)).toBeGreaterThan(2_900_000_000n)
})

test('a route from several tokens into one position, which the step names', async () => {
  const holder = sandboxAccount('alice').address
  const vault = sandboxVault('CRV')
  const answer = await service.get('/api/v1/shortcuts/route', {
    fromAddress: holder,
    tokenIn: [weth, dai],
    amountIn: [ether.toString(), (1_000n * ether).toString()],
    tokenOut: vault,
  })
  const { status, body } = answer
  expect(status, answer.text).toBe(200)
  const entered = body.route.flatMap(
    ({ positionOutId }: { positionOutId: string[] }) => positionOutId,
  )
  expect(new Set(entered)).toEqual(new Set([`1:${vault}:${vault}`]))
  await expectExecution(service.nodeUrl, answer, vault)
  const listed = await service.get('/api/v1/positions', { chainId: '1', tokenAddress: vault })
  expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([`1:${vault}:${vault}`])
})

test('a bundle of fifty actions', async () => {
  const actions: Action[] = [route(weth, usdc, (5n * ether).toString())]
  for (let index = 1; index < 50; index++) {
    const [tokenIn, tokenOut] = index % 2 ? [usdc, usdt] : [usdt, usdc]
    actions.push(
      act('uniswap-v3', 'swap', {
        tokenIn,
        tokenOut,
        amountIn: output(index - 1),
        slippage: '200',
      }),
    )
  }
  const begun = performance.now()
  const body = await prove(actions)
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  console.info(`50 actions: gas ${body.gas}, asked and carried out in ${seconds} s`)
  expect(body.route.length).toBeGreaterThanOrEqual(50)
})
