/** Sky's Lite-PSM and Spark's PSM3 at their own addresses: routes over HTTP are carried out on an Anvil. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, maxUint256 } from '../../../src/domain/primitives.js'
import { psmAddresses } from '../../../src/protocols/sky-psm/load.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeLitePsm } from '../../support/protocols/place-lite-psm.js'
import {
  placePsm3,
  placeToken,
  sparkAddresses as spark,
} from '../../support/protocols/place-psm3.js'
import { VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const { psm, dai, usds, usdc, pocket } = psmAddresses(ethereum.venues['sky-psm'] ?? {})
/** Where the contract that stands for the module has its fee on buying. */
const toutSlot = numberToHex(1, { size: 32 })

let routes: VenueRoutes

beforeAll(async () => {
  routes = await VenueRoutes.start([
    {
      chain: ethereum,
      async place(node, url) {
        await placeToken(node, usds, 'USDS')
        await placeLitePsm(url)
      },
    },
    { chain: base, place: (node) => placePsm3(node, 1_243_680_656_318n) },
  ])
}, 240_000)
afterAll(() => routes?.stop())

/** The holder keeps so much of the token, and loses the rest. */
async function keep(node: NodeWriter, token: Address, holder: Address, amount: bigint) {
  const held = BigInt(await node.read(token, 'function balanceOf(address)', [holder]))
  await node.rpc('anvil_impersonateAccount', [holder])
  await node.rpc('anvil_setBalance', [holder, numberToHex(ether)])
  const pay = 'function transfer(address, uint256)'
  await node.send(token, pay, [NodeWriter.owner, held - amount], holder)
}

test.each([
  ['USDC for DAI', [usdc, dai, 12_345n * dollar + 1n]],
  ['DAI for USDC, of which a part buys nothing', [dai, usdc, 12_345n * ether + 123_456_789n]],
  ['USDC for USDS', [usdc, usds, 777n * dollar]],
  ['USDS for USDC', [usds, usdc, 777n * ether + 1n]],
] as const)('the Lite-PSM alone: %s', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, ['sky-psm'])).toEqual(new Set(['sky-psm']))
})

test.each([
  ['USDC for sUSDS', [spark.usdc, spark.susds, 4_321n * dollar]],
  ['sUSDS for USDS', [spark.susds, spark.usds, 4_321n * ether + 7n]],
  ['USDS for USDC', [spark.usds, spark.usdc, 99n * ether]],
] as const)('the PSM3 alone: %s', async (_name, swap) => {
  expect(await routes.prove(base, swap, ['spark-psm3'])).toEqual(new Set(['spark-psm3']))
})

test('a halt after the answer makes its transaction revert, and costs no token', async () => {
  const swap: VenueSwap = [dai, usdc, 1_000n * ether]
  const { body } = await routes.ask(ethereum, swap, ['sky-psm'])
  const execution = await routes.execute(ethereum, swap, body, {
    prepare: async ({ url }) => {
      const node = await new NodeWriter(url).start()
      await node.rpc('anvil_setStorageAt', [psm, toutSlot, numberToHex(maxUint256)])
      await node.close()
    },
  })
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('of more than the pocket of the Lite-PSM holds, the rest goes elsewhere, or there is no route', async () => {
  await routes.change(ethereum, (node) => keep(node, usdc, pocket, 20_000n * dollar))
  const swap: VenueSwap = [dai, usdc, 100_000n * ether]
  const used = await routes.prove(ethereum, swap)
  expect(used).toContain('sky-psm')
  expect(used.size).toBeGreaterThan(1)
  await routes.refuse(ethereum, swap, 'sky-psm')
  await routes.refuse(ethereum, [usds, usdc, 100_000n * ether], 'sky-psm')
})

test.each([
  ['selling', maxUint256, 0n, [usdc, dai, 1_000n * dollar], [dai, usdc, 1_000n * ether]],
  ['buying', 0n, maxUint256, [dai, usdc, 1_000n * ether], [usdc, dai, 1_000n * dollar]],
] as const)(
  'while %s at the Lite-PSM is halted, another venue serves, and the other way goes on',
  async (_name, tin, tout, halted, open) => {
    await routes.change(ethereum, (node) =>
      node.send(psm, 'function set(uint256, uint256)', [tin, tout]),
    )
    const used = await routes.prove(ethereum, halted)
    expect(used).not.toContain('sky-psm')
    await routes.refuse(ethereum, halted, 'sky-psm')
    expect(await routes.prove(ethereum, open, ['sky-psm'])).toEqual(new Set(['sky-psm']))
  },
)

test('a PSM3 that holds less than asked gives all that it holds, and no route for more', async () => {
  const left = 1_000n * ether
  await routes.change(base, (node) => keep(node, spark.usds, spark.psm, left))
  await routes.refuse(base, [spark.usdc, spark.usds, 1_000n * dollar + 1n], 'spark-psm3')
  const all: VenueSwap = [spark.usdc, spark.usds, 1_000n * dollar]
  expect(await routes.prove(base, all, ['spark-psm3'])).toEqual(new Set(['spark-psm3']))
})
