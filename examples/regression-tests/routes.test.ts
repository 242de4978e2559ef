import { createForkroute, type Forkroute } from 'forkroute/testing'
import 'forkroute/testing/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'

const eth = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const aavePool = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const aWeth = '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8'
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const oneEther = 10n ** 18n

let forkroute: Forkroute

beforeAll(async () => {
  forkroute = await createForkroute({
    cassette: 'routes.cassette',
    // The sandbox's newest block. On a chain of your own: rpcUrl: process.env.RPC_URL_1, and a block of it.
    blockNumber: 378,
  })
}, 120_000)
afterAll(() => forkroute?.close())

test('one ETH brings what it did when this was written, by the same pool', async () => {
  const quote = await forkroute.quote({ tokenIn: eth, amountIn: oneEther, tokenOut: usdc })
  expect(quote).toMatchRoute(
    { amountOut: 3_006_523_788n, path: ['uniswap-v3'] },
    { toleranceBps: 10 },
  )
})

test('a hundred ETH lose less than 1 % on the way', async () => {
  const quote = await forkroute.quote({ tokenIn: eth, amountIn: 100n * oneEther, tokenOut: usdc })
  expect(quote).toDeliverAtLeast((3_006_523_788n * 100n * 99n) / 100n)
  expect(quote.path.length).toBeGreaterThan(1)
})

test('the transaction enforces its minimum', async () => {
  const route = await forkroute.route({
    fromAddress: sender,
    tokenIn: eth,
    amountIn: oneEther,
    tokenOut: usdc,
    slippage: 25,
  })
  expect(route.minAmountOut).toBe((route.amountOut * 9_975n) / 10_000n)
  expect(route.tx).toMatchObject({ from: sender, value: oneEther, chainId: 1 })
})

test('a swap and a deposit in one transaction', async () => {
  const bundle = await forkroute.bundle({
    fromAddress: sender,
    actions: [
      {
        protocol: 'svc',
        action: 'route',
        args: { tokenIn: usdc, tokenOut: weth, amountIn: 3_000_000_000n, slippage: 50 },
      },
      {
        protocol: 'aave-v3',
        action: 'deposit',
        args: {
          primaryAddress: aavePool,
          tokenIn: weth,
          tokenOut: aWeth,
          amountIn: { useOutputOfCallAt: 0 },
        },
      },
    ],
  })
  expect(bundle).toDeliverAtLeast({ [aWeth]: (oneEther * 98n) / 100n })
})

test('the price of ether', async () => {
  const [price] = await forkroute.prices({ addresses: [weth] })
  expect(price?.price).toBeGreaterThan(2_900)
})

test('a token that nobody trades has no route', async () => {
  const quote = forkroute.quote({ tokenIn: eth, amountIn: 1n, tokenOut: sender })
  await expect(quote).rejects.toMatchObject({ code: 'NO_ROUTE' })
})
