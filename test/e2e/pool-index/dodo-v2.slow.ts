/** DODO's pools by the events of its factories: routes over HTTP are carried out on an Anvil, and what they refuse is no promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { runCli } from '../../support/cli.js'
import type { NodeWriter } from '../../support/nodes/node-writer.js'
import { tokenOf } from '../../support/protocols/cautions/cases.js'
import {
  type PlacedDodo,
  placeDodo,
  resetDodo,
  setDodoFee,
} from '../../support/protocols/declared/place-dodo.js'
import { aheadBy, VenueRoutes, type VenueSwap } from '../../support/service/venue-routes.js'

const slug = 'dodo-v2'
const alice = sandboxAccount('alice').address
const [weth, usdc, usdt, dai] = ['WETH', 'USDC', 'USDT', 'DAI'].map((symbol) =>
  tokenOf(arbitrum.id, symbol),
) as [Address, Address, Address, Address]
const [dollar, ether, basisPoint] = [10n ** 6n, 10n ** 18n, 10n ** 14n]
/** 3,000 USDC for a WETH: raw units of USDC for 1e18 raw units. */
const price = 3_000n * dollar

let dataDir: string
let routes: VenueRoutes
let placed: PlacedDodo

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-dodo-'))
  const place = async (node: NodeWriter, url: string) => {
    placed = await placeDodo(node, arbitrum, [
      {
        kind: 'dppFactory',
        sides: [
          [weth, 900n * ether],
          [usdc, 2_500_000n * dollar],
        ],
        fee: 3n * basisPoint,
        i: price,
        k: ether / 10n,
      },
      {
        kind: 'dspFactory',
        sides: [
          [usdt, 1_000_000n * dollar],
          [usdc, 1_000_000n * dollar],
        ],
        fee: basisPoint,
        i: ether,
        k: 2n * basisPoint,
      },
      // Of a DVM the quote token is what was bought with.
      {
        kind: 'dvmFactory',
        sides: [
          [dai, 700_000n * ether],
          [usdc, 600_000n * dollar],
        ],
        fee: 30n * basisPoint,
        i: dollar,
        k: ether,
      },
    ])
    await node.send(placed.feeModel, setDodoFee, [zeroAddress, basisPoint])
    await node.send(placed.feeModel, setDodoFee, [alice, basisPoint])
    const env = { DATA_DIR: dataDir, [`RPC_URL_${arbitrum.id}`]: url }
    const done = await runCli(['pools', 'sync', '--chain', String(arbitrum.id)], env)
    expect(done.code, done.err).toBe(0)
  }
  const settings = { POOL_INDEX: 'on', DATA_DIR: dataDir }
  routes = await VenueRoutes.start([{ chain: arbitrum, place }], settings)
}, 300_000)
afterAll(async () => {
  await routes?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

/** All venues are asked: they serve, and the pool does not. */
async function expectWithout(swap: VenueSwap, pool: Address): Promise<void> {
  await routes.prove(arbitrum, swap)
  const { body } = await routes.ask(arbitrum, swap)
  expect(JSON.stringify(body.route)).not.toContain(pool)
}

test.each([
  ['a private pool sells WETH', [usdc, weth, 12_345n * dollar + 1n]],
  ['a private pool sells most of its WETH', [usdc, weth, 2_100_000n * dollar]],
  ['a private pool buys WETH', [weth, usdc, 7n * ether + 3n]],
  ['a private pool buys much WETH', [weth, usdc, 600n * ether]],
  ['a stable pool sells USDC for a little USDT', [usdt, usdc, 11n]],
  ['a stable pool sells USDC', [usdt, usdc, 654_321n * dollar]],
  ['a stable pool sells USDT', [usdc, usdt, 99_999n * dollar + 9n]],
  ['a vending machine buys DAI', [dai, usdc, 5_432n * ether + 1n]],
  ['a vending machine sells DAI', [usdc, dai, 2_345n * dollar]],
  ['a vending machine sells much DAI', [usdc, dai, 400_000n * dollar]],
] as const)('%s, to the unit', async (_name, swap) => {
  expect(await routes.prove(arbitrum, swap, [slug])).toEqual(new Set([slug]))
})

test('as an action of a bundle it gives what is answered', async () => {
  const swaps: readonly VenueSwap[] = [
    [usdc, weth, 1_234n * dollar],
    [dai, usdc, ether],
  ]
  for (const swap of swaps) await routes.proveAction(arbitrum, swap, slug)
})

test('the owner of a private pool is a caution, and a price that it has cut by 3 % after the answer costs no token', async () => {
  const swap: VenueSwap = [weth, usdc, 2n * ether]
  const { body } = await routes.ask(arbitrum, swap, [slug])
  const [pool = '0x'] = placed.pools
  expect(body.cautions).toMatchObject([{ pool, protocol: slug, kind: 'rate' }])
  const reset = (percent: bigint) =>
    aheadBy(pool, resetDodo, [3n * basisPoint, (price * percent) / 100n, ether / 10n])
  const execution = await routes.execute(arbitrum, swap, body, reset(97n))
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
  const better = await routes.execute(arbitrum, swap, body, reset(101n))
  expect(better.status).toBe('success')
  expect(better.deltas[0]).toBeGreaterThan(BigInt(body.amountOut))
  const stable = await routes.ask(arbitrum, [usdt, usdc, dollar], [slug])
  expect(stable.body).not.toHaveProperty('cautions')
})

test('a fee that is higher for the sender than for nobody is in what is answered', async () => {
  const swap: VenueSwap = [usdt, usdc, 10_000n * dollar]
  const before = await routes.ask(arbitrum, swap, [slug])
  await routes.change(arbitrum, (node) =>
    node.send(placed.feeModel, setDodoFee, [alice, 200n * basisPoint]),
  )
  expect(await routes.prove(arbitrum, swap, [slug])).toEqual(new Set([slug]))
  const { body } = await routes.ask(arbitrum, swap, [slug])
  expect(BigInt(body.amountOut) * 100n).toBeLessThan(BigInt(before.body.amountOut) * 99n)
  const [, stablePool = '0x'] = placed.pools
  await expectWithout(swap, stablePool)
  await routes.change(arbitrum, (node) =>
    node.send(placed.feeModel, setDodoFee, [alice, basisPoint]),
  )
})

test('a pool that its owner has emptied is not used: other venues serve', async () => {
  const [pool = '0x'] = placed.pools
  await routes.change(arbitrum, async (node) => {
    for (const token of [weth, usdc]) await node.rpc('anvil_dealERC20', [pool, token, '0x0'])
    await node.send(pool, resetDodo, [0n, price, ether / 10n])
  })
  await routes.refuse(arbitrum, [weth, usdc, ether], slug)
  await expectWithout([weth, usdc, ether], pool)
})
