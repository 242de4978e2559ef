/** EulerSwap's pools by the events of its registry: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import type { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  deployTwoFacedFee,
  type EulerCurve,
  openEulerPool,
  type PlacedEulerPool,
  placeRegistry,
  reconfigure,
} from '../../support/protocols/declared/place-euler-swap.js'
import { aheadBy, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'euler-swap'
const [usdc, usdt, weth] = ['USDC', 'USDT', 'WETH'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address]
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const million = 1_000_000n * dollar

const stable: EulerCurve = {
  equilibriumReserve0: 3n * million,
  equilibriumReserve1: 3n * million,
  minReserve0: 0n,
  minReserve1: 0n,
  priceX: ether,
  priceY: ether,
  concentrationX: (999n * ether) / 1_000n,
  concentrationY: (999n * ether) / 1_000n,
  fee0: 5n * 10n ** 13n,
  fee1: 5n * 10n ** 13n,
  expiration: 0,
  feeHook: zeroAddress,
}
/** WETH at 3,000 USDC. */
const volatile: EulerCurve = {
  ...stable,
  equilibriumReserve0: 6n * million,
  equilibriumReserve1: 2_000n * ether,
  minReserve0: 2n * million,
  priceX: ether,
  priceY: 3_000n * dollar,
  concentrationX: (7n * ether) / 10n,
  concentrationY: (4n * ether) / 10n,
  fee0: 3n * 10n ** 15n,
  fee1: 2n * 10n ** 15n,
}

let dataDir: string
let routes: VenueRoutes
let pair: PlacedEulerPool
let other: PlacedEulerPool

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-euler-'))
  const place = async (node: NodeWriter, url: string) => {
    const registry = await placeRegistry(node, ethereum)
    // More goes out than the owner has: the rest is borrowed.
    const opened = { owned: [million, 2n * million], others: [million, million] } as const
    pair = await openEulerPool(node, registry, { ...opened, tokens: [usdc, usdt], curve: stable })
    other = await openEulerPool(node, registry, {
      tokens: [usdc, weth],
      owned: [9n * million, 900n * ether],
      others: [0n, 800n * ether],
      curve: volatile,
    })
    const done = await runCli(['pools', 'sync'], { DATA_DIR: dataDir, RPC_URL_1: url })
    expect(done.code, done.err).toBe(0)
  }
  const settings = { POOL_INDEX: 'on', DATA_DIR: dataDir }
  routes = await VenueRoutes.start([{ chain: ethereum, place }], settings)
}, 300_000)
afterAll(async () => {
  await routes?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

test.each([
  ['two units of USDC buy USDT', [usdc, usdt, 3n]],
  ['USDC buys USDT', [usdc, usdt, 12_345n * dollar + 1n]],
  ['USDC buys more USDT than the owner has', [usdc, usdt, 2_400_000n * dollar]],
  ['USDT buys USDC', [usdt, usdc, 54_321n * dollar + 7n]],
  ['USDT buys nearly all USDC that lies in its vault', [usdt, usdc, 1_990_000n * dollar]],
  ['USDC buys WETH', [usdc, weth, 98_765n * dollar]],
  ['much USDC buys WETH', [usdc, weth, 3_000_000n * dollar]],
  ['a little WETH buys USDC', [weth, usdc, ether / 1_000n + 1n]],
  ['WETH buys USDC', [weth, usdc, 17n * ether]],
  ['much WETH buys USDC', [weth, usdc, 1_600n * ether]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('as an action of a bundle it gives what is answered', async () => {
  const swaps: readonly VenueSwap[] = [
    [usdc, usdt, 1_234n * dollar],
    [weth, usdc, ether],
  ]
  for (const swap of swaps) await routes.proveAction(ethereum, swap, slug)
})

test('a better price of its owner is used among other venues', async () => {
  const better = { ...volatile, priceX: (volatile.priceX * 102n) / 100n }
  for (const [curve, isUsed] of [
    [better, true],
    [volatile, false],
  ] as const) {
    const args = [curve, curve.equilibriumReserve0, curve.equilibriumReserve1]
    await routes.change(ethereum, (node) => node.send(other.pool, reconfigure, args))
    const used = await routes.prove(ethereum, [usdc, weth, 20_000n * dollar])
    expect(used.has(slug)).toBe(isUsed)
  }
})

test('more than its limits let through has no route', async () => {
  await routes.refuse(ethereum, [usdt, usdc, 2_100_000n * dollar], slug, 'SIMULATION_REVERTED')
})

test('a pool that its owner has shut after the answer makes the transaction revert, and costs no token', async () => {
  const swap: VenueSwap = [usdc, usdt, 1_000n * dollar]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const before = aheadBy(pair.pool, 'function install(bool)', [false])
  const execution = await routes.execute(ethereum, swap, body, before)
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('a curve that its owner has moved by 3 % after the answer makes it revert at its minimum', async () => {
  const swap: VenueSwap = [usdc, weth, 10_000n * dollar]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const moved = { ...volatile, priceX: (volatile.priceX * 97n) / 100n }
  const args = [moved, moved.equilibriumReserve0, moved.equilibriumReserve1]
  const before = aheadBy(other.pool, reconfigure, args)
  const execution = await routes.execute(ethereum, swap, body, before)
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('caps of its vaults bound what is swapped', async () => {
  const [vault0, vault1] = pair.vaults
  const [cap, none] = [2n ** 255n, 0n]
  await routes.change(ethereum, (node) =>
    node.send(vault1, 'function setCaps(uint256, uint256)', [cap, none]),
  )
  await routes.refuse(ethereum, [usdc, usdt, 2_400_000n * dollar], slug, 'SIMULATION_REVERTED')
  await routes.prove(ethereum, [usdc, usdt, 1_900_000n * dollar], [slug])
  await routes.change(ethereum, (node) =>
    node.send(vault0, 'function setCaps(uint256, uint256)', [none, cap]),
  )
  await routes.refuse(ethereum, [usdc, usdt, 1_000n * dollar], slug)
  await routes.change(ethereum, async (node) => {
    for (const vault of pair.vaults) {
      await node.send(vault, 'function setCaps(uint256, uint256)', [cap, cap])
    }
  })
})

test('hooks that ask more of the swap than they tell the quote are no promise: other venues serve', async () => {
  await routes.change(ethereum, async (node) => {
    const feeHook = await deployTwoFacedFee(node, 0n, ether / 100n)
    const { equilibriumReserve0, equilibriumReserve1 } = stable
    const args = [{ ...stable, feeHook }, equilibriumReserve0, equilibriumReserve1]
    await node.send(pair.pool, reconfigure, args)
  })
  await routes.refuse(ethereum, [usdc, usdt, 1_000n * dollar], slug, 'SIMULATION_REVERTED')
  expect(await routes.prove(ethereum, [usdc, usdt, 1_000n * dollar])).not.toContain(slug)
})

test('neither an expired nor an uninstalled pool is used', async () => {
  const { equilibriumReserve0, equilibriumReserve1 } = stable
  await routes.change(ethereum, (node) =>
    node.send(pair.pool, reconfigure, [
      { ...stable, expiration: 1 },
      equilibriumReserve0,
      equilibriumReserve1,
    ]),
  )
  await routes.refuse(ethereum, [usdc, usdt, 1_000n * dollar], slug)
  await routes.change(ethereum, async (node) => {
    await node.send(pair.pool, reconfigure, [stable, equilibriumReserve0, equilibriumReserve1])
    await node.send(pair.pool, 'function install(bool)', [false])
  })
  await routes.refuse(ethereum, [usdt, usdc, 1_000n * dollar], slug)
  await routes.change(ethereum, (node) => node.send(pair.pool, 'function install(bool)', [true]))
  await routes.prove(ethereum, [usdt, usdc, 1_000n * dollar], [slug])
})
