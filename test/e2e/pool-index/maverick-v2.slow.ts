/** Maverick's pools by the events of its factory: routes over HTTP are carried out on an Anvil, and what they refuse is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { tokenOf } from '../../support/protocols/cautions/cases.js'
import {
  type MaverickSite,
  openMaverickPool,
  placeMaverick,
  setMaverickAccessor,
  setMaverickFee,
} from '../../support/protocols/declared/place-maverick.js'
import { aheadBy, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'maverick-v2'
const [weth, usdc, cbbtc] = ['WETH', 'USDC', 'cbBTC'].map((symbol) => tokenOf(base.id, symbol)) as [
  Address,
  Address,
  Address,
]
const [dollar, ether, coin, basisPoint] = [10n ** 6n, 10n ** 18n, 10n ** 8n, 10n ** 14n]

let dataDir: string
let routes: VenueRoutes
let site: MaverickSite
/** WETH with USDC, whose liquidity stays; USDC with cbBTC, whose liquidity follows, and which has an accessor. */
let still: Address
let moving: Address

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-maverick-'))
  const place = async (node: NodeWriter, url: string) => {
    site = await placeMaverick(node, base)
    still = await openMaverickPool(node, site, {
      sides: [
        { token: weth, decimals: 18, perTick: 40n * ether },
        { token: usdc, decimals: 6, perTick: 120_000n * dollar },
      ],
      // 1/3,000 WETH for a USDC.
      sqrtPrice: 18_257_418_583_505_537n,
      ticks: 5,
      fee: 3n * basisPoint,
      kinds: 1,
      accessor: zeroAddress,
    })
    moving = await openMaverickPool(node, site, {
      sides: [
        { token: usdc, decimals: 6, perTick: 300_000n * dollar },
        { token: cbbtc, decimals: 8, perTick: 3n * coin },
      ],
      // 90,000 USDC for a cbBTC.
      sqrtPrice: 300n * ether,
      ticks: 3,
      fee: 10n * basisPoint,
      kinds: 15,
      accessor: NodeWriter.owner,
    })
    const env = { DATA_DIR: dataDir, [`RPC_URL_${base.id}`]: url }
    const done = await runCli(['pools', 'sync', '--chain', String(base.id)], env)
    expect(done.code, done.err).toBe(0)
  }
  const settings = { POOL_INDEX: 'on', DATA_DIR: dataDir }
  routes = await VenueRoutes.start([{ chain: base, place }], settings)
}, 300_000)
afterAll(async () => {
  await routes?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

test.each([
  ['a little USDC buys WETH', [usdc, weth, 5n]],
  ['USDC buys WETH within a tick', [usdc, weth, 12_345n * dollar + 1n]],
  ['USDC buys WETH of four ticks', [usdc, weth, 400_000n * dollar]],
  ['WETH buys USDC within a tick', [weth, usdc, ether / 3n]],
  ['WETH buys USDC of four ticks', [weth, usdc, 150n * ether + 7n]],
  ['cbBTC buys USDC', [cbbtc, usdc, coin + 1n]],
  ['USDC buys cbBTC of three ticks', [usdc, cbbtc, 700_000n * dollar]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(base, swap, [slug])).toEqual(new Set([slug]))
})

test('as an action of a bundle it gives what is answered', async () => {
  const swaps: readonly VenueSwap[] = [
    [usdc, weth, 1_234n * dollar],
    [cbbtc, usdc, coin],
  ]
  for (const swap of swaps) await routes.proveAction(base, swap, slug)
})

test('more than all ticks take has no route', async () => {
  await routes.refuse(base, [usdc, weth, 700_000n * dollar], slug, 'SIMULATION_REVERTED')
  await routes.refuse(base, [weth, usdc, 230n * ether], slug, 'SIMULATION_REVERTED')
})

test('cautions say what may move without a trade, and say nothing of a pool where nothing does', async () => {
  const { body } = await routes.ask(base, [usdc, cbbtc, 1_000n * dollar], [slug])
  const said = { pool: moving, protocol: slug }
  expect(body.cautions).toMatchObject([
    { ...said, kind: 'price' },
    { ...said, kind: 'fee' },
  ])
  const plain = await routes.ask(base, [usdc, weth, 1_000n * dollar], [slug])
  expect(plain.body).not.toHaveProperty('cautions')
})

test('a fee that the accessor raises after the answer is within the slippage or costs no token', async () => {
  const swap: VenueSwap = [usdc, cbbtc, 10_000n * dollar]
  const { body } = await routes.ask(base, swap, [slug])
  const raise = (fee: bigint) => aheadBy(moving, setMaverickFee, [fee, fee])
  const small = await routes.execute(base, swap, body, raise(20n * basisPoint))
  expect(small.status).toBe('success')
  expect(small.deltas[0]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  expect(small.deltas[0]).toBeLessThan(BigInt(body.amountOut))
  const large = await routes.execute(base, swap, body, raise(500n * basisPoint))
  expect(large).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('a pool that lets the quoter swap and nobody else is no promise: other venues serve', async () => {
  await routes.change(base, (node) => node.send(still, setMaverickAccessor, [site.quoter]))
  await routes.refuse(base, [usdc, weth, 1_000n * dollar], slug, 'SIMULATION_REVERTED')
  expect(await routes.prove(base, [usdc, weth, 1_000n * dollar])).not.toContain(slug)
})

test('a pool that lets its accessor swap alone is not used', async () => {
  await routes.change(base, (node) => node.send(still, setMaverickAccessor, [NodeWriter.owner]))
  await routes.refuse(base, [usdc, weth, 1_000n * dollar], slug)
  await routes.change(base, (node) => node.send(still, setMaverickAccessor, [zeroAddress]))
  await routes.prove(base, [usdc, weth, 1_000n * dollar], [slug])
})
