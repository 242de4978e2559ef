/** PancakeSwap's Infinity at its own addresses: routes over HTTP are carried out on an Anvil, and what it refuses is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { pause } from '../../support/protocols/infinity/contracts.js'
import {
  infinity,
  infinityKeys,
  placeInfinity,
  setInfinityFees,
} from '../../support/protocols/infinity/place-infinity.js'
import { VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

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
    const done = await runCli(['pools', 'sync'], { DATA_DIR: dataDir, RPC_URL_8453: url })
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
  ['a unit of WETH buys nothing less than it should', [weth, usdc, 10n ** 12n], [cl]],
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
  expect(used).toEqual(new Set(slugs))
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
  const execution = await routes.execute(base, swap, body, ({ url }) =>
    onNode(url, (node) => setInfinityFees(node, infinityKeys.dynamic, 50_000)),
  )
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('more than its bins hold has no route through them alone', async () => {
  await routes.refuse(base, [usdc, cbbtc, 25_000_000n * dollar], bin)
})

test.each([
  ['the concentrated manager', infinity.cl, [usdc, weth, 1_000n * dollar], cl],
  ['the manager of bins', infinity.bin, [usdc, cbbtc, 1_000n * dollar], bin],
  ['the router', infinity.router, [usdc, weth, 1_000n * dollar], cl],
] as const)(
  'a pause of %s after the answer makes its transaction revert, and costs no token',
  async (_name, paused, swap, slug) => {
    const { body } = await routes.ask(base, swap, [slug])
    const execution = await routes.execute(base, swap, body, ({ url }) =>
      onNode(url, (node) => node.send(paused, pause, [true])),
    )
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
  expect(await routes.prove(base, swap, [cl])).toEqual(new Set([cl]))
})
