/** Aave's GSM at its own address: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { gsm, gsmCap, placeGsm, setGsm } from '../../support/protocols/declared/place-gsm.js'
import { VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'aave-gsm'
const { gho, asset: usdc, module, vault } = gsm
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const weth = ethereum.wrappedNative
/** Where the contract that stands for the vault has the shares that may be redeemed. */
const liquiditySlot = numberToHex(6, { size: 32 })

let routes: VenueRoutes
let fees: Address

beforeAll(async () => {
  const place = async (node: NodeWriter) => {
    fees = await placeGsm(node)
  }
  routes = await VenueRoutes.start([{ chain: ethereum, place }])
}, 240_000)
afterAll(() => routes?.stop())

test.each([
  ['little USDC for GHO', [usdc, gho, 7n]],
  ['USDC for GHO', [usdc, gho, 12_345n * dollar + 1n]],
  ['much USDC for GHO', [usdc, gho, 1_500_000n * dollar + 11n]],
  ['little GHO for USDC', [gho, usdc, 5n * 10n ** 12n]],
  ['GHO for USDC, of which a part buys nothing', [gho, usdc, 777n * ether + 123_456_789n]],
  ['much GHO for USDC', [gho, usdc, 500_000n * ether]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('another token reaches GHO through it, and comes back', async () => {
  expect(await routes.prove(ethereum, [weth, gho, 3n * ether])).toContain(slug)
  expect(await routes.prove(ethereum, [gho, weth, 3_000n * ether])).toContain(slug)
})

test('more than it takes or holds has no route', async () => {
  await routes.refuse(ethereum, [usdc, gho, 1_800_000n * dollar], slug)
  await routes.refuse(ethereum, [gho, usdc, 600_000n * ether], slug)
})

test('a freeze or an empty reserve of Aave after the answer makes the transaction revert, and costs no token', async () => {
  const swap: VenueSwap = [gho, usdc, 1_000n * ether]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const execution = await routes.execute(ethereum, swap, body, {
    prepare: async ({ url }) => {
      const node = await new NodeWriter(url).start()
      await node.rpc('anvil_setStorageAt', [vault, liquiditySlot, numberToHex(1, { size: 32 })])
      await node.close()
    },
  })
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('while it is frozen there is no route, and with another cap and without fees there is one', async () => {
  await routes.change(ethereum, (node) => node.send(module, setGsm, [fees, gsmCap, false]))
  await routes.refuse(ethereum, [usdc, gho, 1_000n * dollar], slug)
  await routes.refuse(ethereum, [gho, usdc, 1_000n * ether], slug)
  const none = `0x${'0'.repeat(40)}`
  await routes.change(ethereum, (node) => node.send(module, setGsm, [none, 2n * gsmCap, true]))
  expect(await routes.prove(ethereum, [usdc, gho, 1_800_000n * dollar], [slug])).toContain(slug)
  expect(await routes.prove(ethereum, [gho, usdc, 1_000n * ether], [slug])).toContain(slug)
})
