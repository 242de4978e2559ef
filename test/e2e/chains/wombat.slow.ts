/** Wombat's pools at their own addresses: routes over HTTP are carried out on an Anvil, and what they refuse is no promise. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import type { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeWombat, setWombat, wombatAt } from '../../support/protocols/declared/place-wombat.js'
import { aheadBy, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'wombat'
const { pool, usdt, usdc, usdce, dai, stakedPool, weth, wsteth } = wombatAt
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const million = 10n ** 6n * ether

let routes: VenueRoutes

beforeAll(async () => {
  const place = (node: NodeWriter) => placeWombat(node)
  routes = await VenueRoutes.start([{ chain: arbitrum, place }])
}, 240_000)
afterAll(() => routes?.stop())

test.each([
  ['a unit of USDC buys DAI', [usdc, dai, 1n]],
  ['USDC buys USDT', [usdc, usdt, 12_345n * dollar + 1n]],
  ['much USDC buys USDT, where the fee grows', [usdc, usdt, 600_000n * dollar]],
  ['DAI buys USDC', [dai, usdc, 54_321n * ether + 7n]],
  ['USDT buys USDC.e, of which little is left', [usdt, usdce, 200_000n * dollar]],
  ['USDC.e buys DAI', [usdce, dai, 99_999n * dollar]],
  ['WETH buys wstETH', [weth, wsteth, 33n * ether + 5n]],
  ['wstETH buys WETH', [wsteth, weth, ether / 7n]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(arbitrum, swap, [slug])).toEqual(new Set([slug]))
})

test('as an action of a bundle it gives what is answered', async () => {
  const swaps: readonly VenueSwap[] = [
    [usdc, dai, 1_234n * dollar],
    [wsteth, weth, 3n * ether],
  ]
  for (const swap of swaps) await routes.proveAction(arbitrum, swap, slug)
})

test('more than a pool takes has no route', async () => {
  await routes.refuse(arbitrum, [usdc, usdt, 900_000n * dollar], slug, 'SIMULATION_REVERTED')
})

test('a quote that leaves too little of a token is refused by the swap, and no promise', async () => {
  await routes.change(arbitrum, (node) =>
    node.send(pool, setWombat, [usdce, million / 50n, million, ether]),
  )
  await routes.refuse(arbitrum, [usdc, usdce, 250_000n * dollar], slug, 'SIMULATION_REVERTED')
  await routes.change(arbitrum, (node) =>
    node.send(pool, setWombat, [usdce, million / 3n, million, ether]),
  )
})

test('cautions say that rates move, and say nothing of a pool without rates', async () => {
  const { body } = await routes.ask(arbitrum, [weth, wsteth, ether], [slug])
  expect(body.cautions).toMatchObject([{ kind: 'rate', pool: stakedPool, protocol: slug }])
  const plain = await routes.ask(arbitrum, [usdc, usdt, 1_000n * dollar], [slug])
  expect(plain.body).not.toHaveProperty('cautions')
})

test('a rate that moves after the answer is within the slippage or costs no token', async () => {
  const swap: VenueSwap = [weth, wsteth, 5n * ether]
  const { body } = await routes.ask(arbitrum, swap, [slug])
  const move = (price: bigint) =>
    aheadBy(stakedPool, setWombat, [wsteth, 400n * ether, 410n * ether, price])
  const small = await routes.execute(arbitrum, swap, body, move((12_004n * ether) / 10_000n))
  expect(small.status).toBe('success')
  expect(small.deltas[0]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  expect(small.deltas[0]).toBeLessThan(BigInt(body.amountOut))
  const large = await routes.execute(arbitrum, swap, body, move((13n * ether) / 10n))
  expect(large).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('a haircut that rises after the answer costs no token', async () => {
  const swap: VenueSwap = [usdc, usdt, 10_000n * dollar]
  const { body } = await routes.ask(arbitrum, swap, [slug])
  const raise = aheadBy(pool, 'function setHaircut(uint256 rate)', [ether / 20n])
  const execution = await routes.execute(arbitrum, swap, body, raise)
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('a token that is paused cannot be sold, which its quote does not know: other venues serve', async () => {
  const pause = 'function pauseToken(address token, bool isPaused)'
  await routes.change(arbitrum, (node) => node.send(pool, pause, [usdc, true]))
  await routes.refuse(arbitrum, [usdc, dai, 1_000n * dollar], slug, 'SIMULATION_REVERTED')
  expect(await routes.prove(arbitrum, [usdc, usdt, 1_000n * dollar])).not.toContain(slug)
  await routes.prove(arbitrum, [dai, usdc, 1_000n * ether], [slug])
  await routes.change(arbitrum, (node) => node.send(pool, pause, [usdc, false]))
})

test('while a pool is paused, it is not used, and the other one is', async () => {
  const pause = 'function pause(bool isPaused)'
  await routes.change(arbitrum, (node) => node.send(pool, pause, [true]))
  await routes.refuse(arbitrum, [dai, usdc, 1_000n * ether], slug)
  await routes.prove(arbitrum, [weth, wsteth, ether], [slug])
  await routes.change(arbitrum, (node) => node.send(pool, pause, [false]))
  await routes.prove(arbitrum, [dai, usdc, 1_000n * ether], [slug])
})
