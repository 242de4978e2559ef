/**
 * Positions without a token on another chain: the returned transaction is mined on an Anvil of the source, what it sent
 * delivered on one of the destination by a script that shares no code with the product, and the position that the
 * receiver has there is what the answer said.
 */
import { encodeFunctionData, type Hex, parseAbi, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlans } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import type { TestAnvil } from '../../support/anvil.js'
import { allBut } from '../../support/bridges/all-but.js'
import {
  type Delivered,
  deliverOnFork,
  type Place,
  sendOnFork,
  type Watched,
} from '../../support/bridges/deliver-on-fork.js'
import { fuller, poolsOn } from '../../support/bridges/moved-pairs.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const bridges = ['across', 'stargate', 'cctp'] as const
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcOnBase: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const usdbc: Address = '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const morpho: Address = '0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb'
const market: Hex = '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc'
const manager: Address = '0xc36442b4a4522e871399cd717abdd847ab11fe88'
const collateral = `1:${comet}:${comet}-${weth}`
const supply = `1:${morpho}:${market}-supply`
const range = `1:${manager}:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640--887270-887270`
const abi = parseAbi([
  'function collateralBalanceOf(address account, address asset) view returns (uint128)',
  'function position(bytes32 id, address user) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
  'event Supply(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares)',
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])

let sandboxes: Sandbox[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes(sandboxPlans.map((plan) => plan.market.chain.id))
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

type Body = Awaited<ReturnType<TestService['get']>>['body']

const asked = (query: Record<string, string | string[]>) =>
  service.get('/api/v1/shortcuts/route/nontokenized', {
    chainId: '8453',
    destinationChainId: '1',
    fromAddress: alice,
    receiver: bob,
    tokenIn: nativeToken,
    amountIn: '400000000000000000',
    ...query,
  })

async function entered(query: Record<string, string | string[]>): Promise<Body> {
  const { status, text, body } = await asked(query)
  expect(status, text).toBe(200)
  return body
}

function place(chainId: number, blockNumber: number): Place {
  const plan = sandboxPlans.find((one) => one.market.chain.id === chainId)
  const nodeUrl = sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
  return { chainId, nodeUrl, blockNumber, blockTimeSeconds: plan?.blockSeconds ?? 1 }
}

/** Mines the transaction, compares its gas, and delivers what it has sent. */
async function carriedOut(
  body: Body,
  watch: Watched,
  prepare?: (anvil: TestAnvil) => Promise<void>,
): Promise<Delivered> {
  const source = place(body.tx.chainId, body.blockNumber)
  const destination = place(body.destinationChainId, body.destinationBlockNumber)
  const sent = await sendOnFork(source, body.tx)
  expect(sent).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
  const how = { source, destination, logs: sent.logs, watch, ...(prepare && { prepare }) }
  return deliverOnFork(how)
}

const eventsIn = ({ logs }: Delivered) =>
  parseEventLogs({
    abi,
    logs: logs.map((log) => ({ ...log, blockHash: null, blockNumber: null })) as never,
  })

const bridgeOf = ({ route }: Body) =>
  route.find(({ action }: { action: string }) => action === 'bridge')

const collateralOfBob: Watched = {
  call: {
    to: comet,
    data: encodeFunctionData({ abi, functionName: 'collateralBalanceOf', args: [bob, weth] }),
  },
}
const sharesOfBob: Watched = {
  call: {
    to: morpho,
    data: encodeFunctionData({ abi, functionName: 'position', args: [market, bob] }),
  },
}

describe.each(bridges)('%s', (bridge) => {
  const ignoreBridges = allBut(bridge)
  test.each(['8453', '42161'])('collateral of Compound, from %s', async (chainId) => {
    const body = await entered({ chainId, positionOut: collateral, ignoreBridges })
    expect(body).toMatchObject({
      positionOut: collateral,
      destinationChainId: 1,
      simulatedPosition: 0,
      expiresAtBlock: null,
      amountDeposited: body.amountOut,
      bridgeFee: { native: expect.stringMatching(/^\d+$/) },
      bridgingEstimates: [{ bridge, fromChainId: Number(chainId), toChainId: 1 }],
      minAmountOut: String((BigInt(body.amountOut) * 9_950n) / 10_000n),
    })
    expect(bridgeOf(body).protocol).toBe(bridge)
    expect(body.route.at(-1)).toMatchObject({
      action: 'deposit',
      protocol: 'compound-v3',
      chainId: 1,
      positionOutId: [collateral],
    })
    expect(Math.abs(body.priceImpact)).toBeLessThan(200)
    expect(await carriedOut(body, collateralOfBob)).toMatchObject({
      status: 'delivered',
      gained: BigInt(body.amountDeposited),
    })
  })

  test('a loan in a market of Morpho, of the token that the bridge delivers', async () => {
    const body = await entered({ positionOut: supply, ignoreBridges, slippage: '30' })
    expect(body.minAmountOut).toBe(String((BigInt(body.amountOut) * 9_970n) / 10_000n))
    const delivered = await carriedOut(body, sharesOfBob)
    expect(delivered.status).toBe('delivered')
    expect(eventsIn(delivered).filter(({ eventName }) => eventName === 'Supply')).toMatchObject([
      { args: { id: market, assets: BigInt(body.amountDeposited), shares: delivered.gained } },
    ])
    expect(delivered.gained).toBeGreaterThan(0n)
  })

  test('a range of Uniswap V3, of two tokens', async () => {
    const body = await entered({
      chainId: '42161',
      positionOut: range,
      ignoreBridges,
      amountIn: '700000000000000000',
    })
    expect(body.minAmountOutList).toEqual(
      body.amountOutList.map((amount: string) => String((BigInt(amount) * 9_950n) / 10_000n)),
    )
    const delivered = await carriedOut(body, { token: manager, owner: bob })
    expect(delivered).toMatchObject({ status: 'delivered', gained: 1n })
    const [one, ...others] = eventsIn(delivered).flatMap((event) =>
      event.eventName === 'IncreaseLiquidity' ? [event.args] : [],
    )
    expect(others).toEqual([])
    expect([one?.amount0, one?.amount1]).toEqual(body.amountDepositedList.map(BigInt))
  })

  test('where the source gives less than foreseen, each token of a range has its share of what arrives', async () => {
    const given = { tokenIn: usdbc, amountIn: '1200000000' }
    const body = await entered({ positionOut: range, ignoreBridges, ...given })
    const swap = await service.get('/api/v1/shortcuts/route', {
      chainId: '8453',
      fromAddress: alice,
      ...given,
      tokenOut: usdcOnBase,
      blockNumber: String(body.blockNumber),
    })
    expect(swap.status, swap.text).toBe(200)
    const source = place(8453, body.blockNumber)
    const sent = await sendOnFork(source, body.tx, [swap.body.tx])
    expect(sent.status).toBe('success')
    const destination = place(1, body.destinationBlockNumber)
    const watch = { token: manager, owner: bob }
    const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
    expect(delivered).toMatchObject({ status: 'delivered', gained: 1n })
    const [one] = eventsIn(delivered).flatMap((event) =>
      event.eventName === 'IncreaseLiquidity' ? [event.args] : [],
    )
    for (const [index, amount] of [one?.amount0, one?.amount1].entries()) {
      expect(amount).toBeLessThan(BigInt(body.amountDepositedList[index]))
      expect(amount).toBeGreaterThanOrEqual(BigInt(body.minAmountOutList[index]))
    }
  })

  test('the fee on the destination is a share of what is delivered, and the rest enters', async () => {
    const fees = { fee: '100', feeReceiver: alice, destinationFeeReceiver: alice }
    const body = await entered({ positionOut: supply, ignoreBridges, ...fees })
    const [amount] = bridgeOf(body).amountOut.map(BigInt)
    expect(body.feeAmount).toEqual([String(amount / 100n)])
    expect(BigInt(body.amountDeposited)).toBe(amount - amount / 100n)
    expect(await carriedOut(body, { token: usdc, owner: alice })).toMatchObject({
      status: 'delivered',
      gained: amount / 100n,
    })
  })

  test('within the slippage the deposit is made, beyond it the receiver has the bridged token to the last unit', async () => {
    const body = await entered({
      chainId: '42161',
      positionOut: collateral,
      ignoreBridges,
      ignoreStandards: 'uniswap-v3',
      tokenIn: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
      amountIn: '150000000',
      crosschainRouteMode: 'destination',
    })
    const pools = poolsOn(1, body.route)
    expect(pools.length).toBeGreaterThan(0)
    const within = await carriedOut(body, collateralOfBob, fuller(pools, usdc, 1n))
    expect(within.status).toBe('delivered')
    expect(within.gained).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
    expect(within.gained).toBeLessThan(BigInt(body.amountOut))
    const moved = fuller(pools, usdc, 100n)
    const nothing = { status: 'delivered', gained: 0n }
    expect(await carriedOut(body, collateralOfBob, moved)).toMatchObject(nothing)
    expect(await carriedOut(body, { token: usdc, owner: bob }, moved)).toMatchObject({
      status: 'delivered',
      gained: BigInt(bridgeOf(body).amountOut[0]),
    })
  })
})

test('the better bridge is chosen, and one that is ignored is not', async () => {
  const amounts = await Promise.all(
    [[], ...bridges.map(allBut)].map(async (ignoreBridges) => {
      const body = await entered({ positionOut: supply, ignoreBridges })
      return { amount: BigInt(body.amountDeposited), bridge: bridgeOf(body).protocol }
    }),
  )
  const [best, ...alone] = amounts
  expect(alone.map(({ bridge }) => bridge)).toEqual(bridges)
  expect(alone).toContainEqual(best)
})

test.each([
  [
    'a position of another chain',
    { positionOut: range, destinationChainId: '42161' },
    404,
    'positionOut',
  ],
  [
    'one whose contract takes nothing in the name of others',
    {
      positionOut:
        '1:0x7fba4b8dc5e7616e59622806932dbea72537a56b:0x7fba4b8dc5e7616e59622806932dbea72537a56b',
    },
    400,
    'positionOut',
  ],
  [
    'a block of a destination that is none',
    { destinationChainId: '8453', destinationBlockNumber: '3' },
    400,
    'destinationBlockNumber',
  ],
  [
    'no lane without a swap, where it takes one',
    {
      positionOut: collateral,
      tokenIn: usdbc,
      amountIn: '100000000',
      crosschainRouteMode: 'direct',
    },
    422,
    'crosschainRouteMode direct',
  ],
] as const)('%s is refused', async (_what, query, status, words) => {
  const found = await asked({ positionOut: supply, ...query })
  expect(found.status, found.text).toBe(status)
  expect(found.text).toContain(words)
})
