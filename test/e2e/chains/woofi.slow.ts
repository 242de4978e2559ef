/** WOOFi's pool at its own address: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeWoofi, postWoofi, woofi } from '../../support/protocols/declared/place-woofi.js'
import { VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'woofi-v2'
const { pool, usdc, weth, cbbtc } = woofi
const [dollar, ether, coin] = [10n ** 6n, 10n ** 18n, 10n ** 8n]

/** Where the contract that stands for the pool has its pause. */
const pausedSlot = numberToHex(2, { size: 32 })

let routes: VenueRoutes
let oracle: Address

beforeAll(async () => {
  const place = async (node: NodeWriter) => {
    oracle = await placeWoofi(node)
  }
  routes = await VenueRoutes.start([{ chain: base, place }])
}, 240_000)
afterAll(() => routes?.stop())

test.each([
  ['a unit of USDC buys WETH', [usdc, weth, 1n]],
  ['USDC buys WETH', [usdc, weth, 12_345n * dollar + 1n]],
  ['much USDC buys WETH', [usdc, weth, 654_321n * dollar]],
  ['WETH buys USDC', [weth, usdc, ether / 7n]],
  ['much WETH buys USDC', [weth, usdc, 222n * ether + 3n]],
  ['USDC buys cbBTC', [usdc, cbbtc, 98_765n * dollar]],
  ['cbBTC buys WETH', [cbbtc, weth, coin + 1n]],
  ['WETH buys cbBTC', [weth, cbbtc, 33n * ether]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(base, swap, [slug])).toEqual(new Set([slug]))
})

test('its price competes with those of other venues, and both may serve', async () => {
  const used = await routes.prove(base, [usdc, weth, 900_000n * dollar])
  expect(used).toContain(slug)
  expect(used.size).toBeGreaterThan(1)
})

test('more than it holds, or than it swaps at once, has no route through it alone', async () => {
  await routes.refuse(base, [usdc, cbbtc, 1_010_000n * dollar], slug, 'SIMULATION_REVERTED')
  await routes.refuse(base, [weth, usdc, 333n * ether], slug, 'SIMULATION_REVERTED')
})

test('a pause after the answer makes its transaction revert, and costs no token', async () => {
  const swap: VenueSwap = [usdc, weth, 1_000n * dollar]
  const { body } = await routes.ask(base, swap, [slug])
  const execution = await routes.execute(base, swap, body, {
    prepare: async ({ url }) => {
      const node = await new NodeWriter(url).start()
      await node.rpc('anvil_setStorageAt', [pool, pausedSlot, numberToHex(1, { size: 32 })])
      await node.close()
    },
  })
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('prices that have aged are none: other venues serve', async () => {
  await routes.change(base, (node) =>
    node.send(oracle, postWoofi, [weth, 3_012n * coin, 10n ** 14n, 10n ** 9n, 1n]),
  )
  await routes.refuse(base, [usdc, weth, 1_000n * dollar], slug)
  expect(await routes.prove(base, [usdc, weth, 1_000n * dollar])).not.toContain(slug)
})

test('while it is paused, other venues serve', async () => {
  await routes.change(base, async (node) => {
    await node.send(oracle, postWoofi, [weth, 3_012n * coin, 10n ** 14n, 10n ** 9n, 2n ** 60n])
    await node.send(pool, 'function pause(bool)', [true])
  })
  await routes.refuse(base, [weth, usdc, ether], slug)
  expect(await routes.prove(base, [weth, usdc, ether])).not.toContain(slug)
  await routes.change(base, (node) => node.send(pool, 'function pause(bool)', [false]))
  expect(await routes.prove(base, [weth, usdc, ether], [slug])).toEqual(new Set([slug]))
})
