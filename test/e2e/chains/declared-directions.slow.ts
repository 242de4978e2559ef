/** A file whose venue has calls, limits and a told output in each direction: routes over HTTP are carried out on an Anvil. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, maxUint256 } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import type { NodeWriter } from '../../support/nodes/node-writer.js'
import { gsm, gsmCap, placeGsm, setGsm } from '../../support/protocols/declared/place-gsm.js'
import { deal, VenueRoutes } from '../../support/service/venue-routes.js'

const { gho, module, vault } = gsm
const [share, ether] = [10n ** 6n, 10n ** 18n]
const slug = 'declared'
const alice = sandboxAccount('alice').address

let routes: VenueRoutes
let fees: Address

beforeAll(async () => {
  const place = async (node: NodeWriter) => {
    fees = await placeGsm(node)
    await deal(node, alice, [[vault, 10_000_000n * share]])
    await node.rpc('evm_mine', [])
    await node.rpc('anvil_impersonateAccount', [alice])
    const allow = 'function approve(address, uint256)'
    await node.send(vault, allow, [contractAddress('Router'), maxUint256], alice)
  }
  const file = new URL('../../../examples/venues/two-directions.yaml', import.meta.url)
  routes = await VenueRoutes.start([{ chain: ethereum, place }], { VENUES: fileURLToPath(file) })
}, 240_000)
afterAll(() => routes?.stop())

test.each([
  ['little of the share', [vault, gho, 7n]],
  ['the share', [vault, gho, 54_321n * share + 1n]],
  ['nearly all that the cap leaves', [vault, gho, 1_490_000n * share]],
  ['little GHO', [gho, vault, 5n * 10n ** 15n]],
  ['GHO', [gho, vault, 4_321n * ether + 17n]],
  ['GHO for nearly all that is held', [gho, vault, 490_000n * ether]],
] as const)('%s goes in, and what is answered comes out', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('more than limits allow, and anything during a freeze, has no route', async () => {
  await routes.refuse(ethereum, [vault, gho, 1_600_000n * share], slug, 'SIMULATION_REVERTED')
  await routes.refuse(ethereum, [gho, vault, 700_000n * ether], slug, 'SIMULATION_REVERTED')
  await routes.change(ethereum, (node) => node.send(module, setGsm, [fees, gsmCap, false]))
  await routes.refuse(ethereum, [vault, gho, share], slug)
  await routes.refuse(ethereum, [gho, vault, ether], slug)
})
