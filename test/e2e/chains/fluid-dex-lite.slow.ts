/** Fluid's DEX Lite at its own address: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import {
  type LiteShape,
  lite,
  liteVariables,
  placeFluidLite,
  setLite,
} from '../../support/protocols/fluid-lite.js'
import { aheadBy, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'fluid-dex-lite'
const [usdc, usdt] = lite.key
const dollar = 10n ** 6n

let routes: VenueRoutes

beforeAll(async () => {
  routes = await VenueRoutes.start([{ chain: ethereum, place: placeFluidLite }])
}, 240_000)
afterAll(() => routes?.stop())

/** What the pool is set to. */
const setting = (change: Partial<LiteShape>) =>
  [lite.key, liteVariables({ ...lite.shape, ...change }), 0n, 0n, 0n] as const

test.each([
  ['a dollar of USDC', [usdc, usdt, dollar]],
  ['USDC', [usdc, usdt, 123_456n * dollar + 789n]],
  ['much USDC', [usdc, usdt, 900_000n * dollar]],
  ['USDT', [usdt, usdc, 77_777n * dollar + 1n]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('its price competes with those of other venues, and both may serve', async () => {
  const used = await routes.prove(ethereum, [usdt, usdc, 1_500_000n * dollar])
  expect(used).toContain(slug)
  expect(used.size).toBeGreaterThan(1)
})

test('more than it holds, and less than its books count, have no route through it', async () => {
  await routes.refuse(ethereum, [usdc, usdt, 1_100_000n * dollar], slug)
  await routes.refuse(ethereum, [usdc, usdt, 9n], slug)
})

test('a pool that is gone after the answer makes its transaction revert, and costs no token', async () => {
  const swap: VenueSwap = [usdc, usdt, 1_000n * dollar]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const [key] = setting({})
  const gone = aheadBy(lite.dex, setLite, [key, 0n, 0n, 0n, 0n])
  const execution = await routes.execute(ethereum, swap, body, gone)
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('a middle that moves ahead of the transaction pays less within the slippage, and reverts beyond it', async () => {
  const swap: VenueSwap = [usdc, usdt, 1_000n * dollar]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const movedBy = (parts: bigint) => {
    const centerPrice = (lite.shape.centerPrice * (100_000n - parts)) / 100_000n
    return aheadBy(lite.dex, setLite, setting({ centerPrice }))
  }
  const near = await routes.execute(ethereum, swap, body, movedBy(10n))
  expect(near.status).toBe('success')
  expect(near.deltas[0]).toBeLessThan(BigInt(body.amountOut))
  expect(near.deltas[0]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  const far = await routes.execute(ethereum, swap, body, movedBy(5_000n))
  expect(far).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('empty of one token it still takes that token, and others serve the other way', async () => {
  const [, real] = lite.shape.real
  await routes.change(ethereum, (node) =>
    node.send(lite.dex, setLite, [...setting({ real: [0n, real] })]),
  )
  expect(await routes.prove(ethereum, [usdc, usdt, 5_000n * dollar], [slug])).toEqual(
    new Set([slug]),
  )
  await routes.refuse(ethereum, [usdt, usdc, 5_000n * dollar], slug)
  expect(await routes.prove(ethereum, [usdt, usdc, 5_000n * dollar])).not.toContain(slug)
})
