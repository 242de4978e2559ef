/** PancakeSwap's Infinity at its own addresses: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { pause } from '../../support/protocols/infinity/contracts.js'
import {
  infinity,
  infinityKeys,
  infinitySlot0,
  placeInfinity,
} from '../../support/protocols/infinity/place-infinity.js'
import { deal, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const [cl, bin, wrapped] = [
  'pancakeswap-infinity-cl',
  'pancakeswap-infinity-bin',
  'wrapped-native',
] as const
const { weth, usdc, cbbtc } = infinity
const [dollar, ether, coin] = [10n ** 6n, 10n ** 18n, 10n ** 8n]

let routes: VenueRoutes
let dataDir: string

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-infinity-index-'))
  const place = async (node: NodeWriter, url: string) => {
    await placeInfinity(node)
    const done = await runCli(['pools', 'sync', '--chain', '8453'], {
      DATA_DIR: dataDir,
      RPC_URL_8453: url,
    })
    expect(done.code, done.err).toBe(0)
  }
  routes = await VenueRoutes.start([{ chain: base, place }], {
    DATA_DIR: dataDir,
    POOL_INDEX: 'on',
  })
}, 300_000)
afterAll(async () => {
  await routes?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

test.each([
  ['a millionth of a WETH buys USDC', [weth, usdc, 10n ** 12n], [cl]],
  ['USDC buys WETH', [usdc, weth, 12_345n * dollar + 1n], [cl]],
  ['much USDC buys WETH over several ticks', [usdc, weth, 3_654_321n * dollar], [cl]],
  ['WETH buys USDC', [weth, usdc, ether / 7n], [cl]],
  ['WETH buys USDC of both pools', [weth, usdc, 300n * ether], [cl, wrapped]],
  ['USDC buys cbBTC over several bins', [usdc, cbbtc, 98_765n * dollar], [bin]],
  ['cbBTC buys USDC', [cbbtc, usdc, coin + 1n], [bin]],
  ['cbBTC buys ether, which is wrapped', [cbbtc, weth, coin / 5n], [bin, wrapped]],
  ['WETH is unwrapped and buys cbBTC', [weth, cbbtc, 33n * ether], [bin, wrapped]],
] as const)('%s, to the unit', async (_name, swap, slugs) => {
  const used = await routes.prove(base, swap, slugs)
  // Ether is wrapped and unwrapped wherever pools of ether itself serve.
  expect(used.add(wrapped)).toEqual(new Set([...slugs, wrapped]))
})

test('both kinds serve one trade, and with other venues', async () => {
  const both = await routes.prove(base, [weth, cbbtc, 120n * ether], [cl, bin, wrapped])
  expect(both).toContain(cl)
  expect(both).toContain(bin)
  const all = await routes.prove(base, [usdc, weth, 900_000n * dollar])
  expect(all).toContain(cl)
  expect(all.size).toBeGreaterThan(1)
})

test('a pool whose hooks set the fee says so; a higher fee after the answer reverts at the minimum and costs no token', async () => {
  const swap: VenueSwap = [weth, cbbtc, 2n * ether]
  const { status, body, text } = await routes.ask(base, swap, [cl])
  expect(status, text).toBe(200)
  expect(body.cautions).toMatchObject([{ kind: 'fee', protocol: cl }])
  const execution = await routes.execute(base, swap, body, {
    prepare: ({ url }) =>
      onNode(url, async (node) => {
        const slot = infinitySlot0(infinityKeys.dynamic)
        const word = BigInt(await node.rpc<Hex>('eth_getStorageAt', [infinity.cl, slot, 'latest']))
        const ofFee = 0xffffffn << 208n
        const changed = numberToHex((word & ~ofFee) | (50_000n << 208n), { size: 32 })
        await node.rpc('anvil_setStorageAt', [infinity.cl, slot, changed])
      }),
  })
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('what somebody leaves in the router after the answer is swapped along, and taken by nobody else', async () => {
  const swap: VenueSwap = [usdc, cbbtc, 5_000n * dollar]
  const { body } = await routes.ask(base, swap, [bin])
  const execution = await routes.execute(base, swap, body, {
    prepare: ({ url }) =>
      onNode(url, (node) => deal(node, infinity.router, [[usdc, 1_000n * dollar]])),
  })
  expect(execution.status).toBe('success')
  const expected = (BigInt(body.amountOut) * 12n) / 10n
  const gained = execution.deltas[0] ?? 0n
  // All of it is sold in one bin, at one price: what was rounded off before may make a unit.
  expect([expected, expected + 1n]).toContain(gained)
  expect(execution.deltas[1]).toBe(-5_000n * dollar)
})

test('more than its bins hold has no route through them alone', async () => {
  await routes.refuse(base, [usdc, cbbtc, 4_000_000n * dollar], bin, 'SIMULATION_REVERTED')
})

test.each([
  ['the concentrated manager', infinity.cl, 1, [usdc, weth, 1_000n * dollar], cl],
  ['the manager of bins', infinity.bin, 1, [usdc, cbbtc, 1_000n * dollar], bin],
  ['the router', infinity.router, 0, [usdc, weth, 1_000n * dollar], cl],
] as const)(
  'a pause of %s after the answer makes its transaction revert, and costs no token',
  async (_name, paused, slot, swap, slug) => {
    const { body } = await routes.ask(base, swap, [slug])
    const execution = await routes.execute(base, swap, body, {
      prepare: ({ url }) =>
        onNode(url, async (node) => {
          const [place, one] = [slot, 1].map((value) => numberToHex(value, { size: 32 }))
          await node.rpc('anvil_setStorageAt', [paused, place, one])
        }),
    })
    expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
  },
)

async function onNode(url: string, by: (node: NodeWriter) => Promise<void>): Promise<void> {
  const node = await new NodeWriter(url).start()
  await by(node)
  await node.close()
}

const pauseAt = (to: Address, isPaused: boolean) =>
  routes.change(base, (node) => node.send(to, pause, [isPaused]))

test('while it is paused, other venues serve', async () => {
  const swap: VenueSwap = [usdc, weth, 1_000n * dollar]
  await pauseAt(infinity.cl, true)
  await routes.refuse(base, swap, cl)
  expect(await routes.prove(base, swap)).not.toContain(cl)
  await pauseAt(infinity.cl, false)
  await pauseAt(infinity.router, true)
  await routes.refuse(base, swap, cl, 'SIMULATION_REVERTED')
  expect(await routes.prove(base, swap)).not.toContain(cl)
  await pauseAt(infinity.router, false)
  expect(await routes.prove(base, swap, [cl])).toContain(cl)
})
