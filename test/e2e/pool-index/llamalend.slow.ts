/** Llamalend's AMMs by the events of its factories: routes over HTTP are carried out on an Anvil, and what they refuse is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { tokenOf } from '../../support/protocols/cautions/cases.js'
import {
  exchangeLlamma,
  llamma,
  openLlamma,
  type PlacedMarket,
  placeLlamma,
  setLlammaOracle,
} from '../../support/protocols/declared/place-llamma.js'
import { aheadBy, deal, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'llamalend'
const { crvUsd } = llamma
const [weth, wbtc] = ['WETH', 'WBTC'].map((symbol) => tokenOf(ethereum.id, symbol)) as [
  Address,
  Address,
]
const [ether, coin, basisPoint] = [10n ** 18n, 10n ** 8n, 10n ** 14n]
/** In the middle of band 5 of bands of 1 % below 3,000. */
const price = 2_838n * ether

let dataDir: string
let routes: VenueRoutes
/** WETH behind minted crvUSD, in soft liquidation; WBTC behind lent crvUSD, of which nothing is sold yet. */
let minted: PlacedMarket
let lent: PlacedMarket

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-llamalend-'))
  const place = async (node: NodeWriter, url: string) => {
    await placeLlamma(node)
    const [sold, own] = [90_000n * ether, 31n * ether]
    minted = await openLlamma(node, llamma.controllerFactory, {
      collateral: weth,
      decimals: 18,
      basePrice: 3_000n * ether,
      price,
      fee: 60n * basisPoint,
      first: 0,
      active: 5,
      xs: [sold, sold, 0n, sold, sold, sold / 2n, 0n, 0n, 0n, 0n],
      ys: [0n, 0n, 0n, 0n, 0n, own / 2n, own, own, 0n, own],
    })
    lent = await openLlamma(node, llamma.lendingFactory, {
      collateral: wbtc,
      decimals: 8,
      basePrice: 90_000n * ether,
      price: 89_000n * ether,
      fee: 30n * basisPoint,
      first: 1,
      active: -3,
      xs: [0n, 0n, 0n],
      ys: [4n * ether, 4n * ether, 4n * ether],
    })
    const env = { DATA_DIR: dataDir, [`RPC_URL_${ethereum.id}`]: url }
    const done = await runCli(['pools', 'sync', '--chain', String(ethereum.id)], env)
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
  ['a little crvUSD buys WETH', [crvUsd, weth, 10n ** 12n + 7n]],
  ['crvUSD buys WETH within a band', [crvUsd, weth, 12_345n * ether + 1n]],
  ['crvUSD buys WETH of four bands', [crvUsd, weth, 270_000n * ether]],
  ['WETH buys crvUSD within a band', [weth, crvUsd, ether / 3n]],
  ['WETH buys crvUSD of all bands, over an empty one', [weth, crvUsd, 120n * ether + 5n]],
  ['crvUSD buys WBTC of a market without crvUSD', [crvUsd, wbtc, 50_000n * ether]],
  ['crvUSD buys WBTC of three bands', [crvUsd, wbtc, 900_000n * ether + 3n]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('as an action of a bundle it gives what is answered', async () => {
  const swaps: readonly VenueSwap[] = [
    [crvUsd, weth, 1_234n * ether],
    [weth, crvUsd, 2n * ether],
  ]
  for (const swap of swaps) await routes.proveAction(ethereum, swap, slug)
})

test('more than all bands take has no route, although the AMM would take a part', async () => {
  await routes.refuse(ethereum, [weth, crvUsd, 300n * ether], slug, 'SIMULATION_REVERTED')
  await routes.refuse(ethereum, [crvUsd, wbtc, 2_000_000n * ether], slug, 'SIMULATION_REVERTED')
})

test('a market that has the collateral alone sells none of it back', async () => {
  await routes.refuse(ethereum, [wbtc, crvUsd, coin], slug)
})

test('a caution says that the price follows an oracle', async () => {
  for (const [token, { amm }] of [
    [weth, minted],
    [wbtc, lent],
  ] as const) {
    const { body } = await routes.ask(ethereum, [crvUsd, token, 1_000n * ether], [slug])
    expect(body.cautions).toMatchObject([{ kind: 'price', pool: amm, protocol: slug }])
  }
})

test('an oracle that moves after the answer is within the slippage or costs no token', async () => {
  const swap: VenueSwap = [crvUsd, weth, 10_000n * ether]
  const { body } = await routes.ask(ethereum, swap, [slug])
  const move = (to: bigint) => aheadBy(minted.oracle, setLlammaOracle, [to, ether, false])
  const small = await routes.execute(ethereum, swap, body, move((price * 10_002n) / 10_000n))
  expect(small.status).toBe('success')
  expect(small.deltas[0]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  expect(small.deltas[0]).toBeLessThan(BigInt(body.amountOut))
  const large = await routes.execute(ethereum, swap, body, move((price * 103n) / 100n))
  expect(large).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('soon after a swap and a move of the oracle the fee is higher, and what is answered is paid', async () => {
  const swap: VenueSwap = [crvUsd, weth, 5_000n * ether]
  const before = await routes.ask(ethereum, swap, [slug])
  await routes.change(ethereum, async (node) => {
    const { owner } = NodeWriter
    await deal(node, owner, [[crvUsd, 1_000n * ether]])
    await node.rpc('evm_mine', [])
    await node.send(crvUsd, 'function approve(address, uint256)', [minted.amm, 1_000n * ether])
    await node.send(minted.amm, exchangeLlamma, [0n, 1n, 1_000n * ether, 0n, owner])
    await node.send(minted.oracle, setLlammaOracle, [(price * 99n) / 100n, ether, false])
  })
  const after = await routes.ask(ethereum, swap, [slug])
  expect(BigInt(after.body.amountOut)).not.toBe(BigInt(before.body.amountOut))
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
  expect(await routes.prove(ethereum, [weth, crvUsd, 3n * ether], [slug])).toEqual(new Set([slug]))
})

test('an oracle that tells swaps another price than quotes is no promise', async () => {
  const swap: VenueSwap = [crvUsd, weth, 10_000n * ether]
  const quote = 'function get_dy(uint256 i, uint256 j, uint256 amount)'
  let quoted = 0n
  await routes.change(ethereum, async (node) => {
    await node.send(minted.oracle, setLlammaOracle, [price, (ether * 101n) / 100n, false])
    quoted = BigInt(await node.read(minted.amm, quote, [0n, 1n, swap[2]]))
  })
  const { body } = await routes.ask(ethereum, swap, [slug])
  expect(BigInt(body.amountOut)).toBeLessThan(quoted)
  expect(await routes.prove(ethereum, swap, [slug])).toEqual(new Set([slug]))
})

test('a market whose oracle tells nothing swaps nothing, and the other one does', async () => {
  await routes.change(ethereum, (node) =>
    node.send(minted.oracle, setLlammaOracle, [price, ether, true]),
  )
  await routes.refuse(ethereum, [crvUsd, weth, 1_000n * ether], slug)
  await routes.prove(ethereum, [crvUsd, wbtc, 1_000n * ether], [slug])
})
