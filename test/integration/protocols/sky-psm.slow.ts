/** Sky's Lite-PSM and its wrapper by our own steps against contracts with their arithmetic: no package ships Sky's. */
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, maxUint256 } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { skyPsm } from '../../../src/protocols/sky-psm/index.js'
import type { PsmState } from '../../../src/protocols/sky-psm/math.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { swapInSteps } from '../../support/protocols/swap-in-steps.js'
import { placeHelpers, type SwapScene } from '../../support/protocols/swap-on-chain.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function allow(address, address)',
  'function set(uint256, uint256)',
  'function send(address, address, uint256)',
  'function allowance(address, address) view returns (uint256)',
])
const ether = 10n ** 18n
const million = 10n ** 12n
const nobody: Address = '0x00000000000000000000000000000000000beef2'

let context: PoolContext
let scene: SwapScene<PsmState>
let pools: readonly Pool[]
let psm: Address
let dai: Address
let usds: Address
let usdc: Address

beforeAll(async () => {
  context = await PoolContext.start()
  const contract = compileTestContracts('LitePsm.sol')
  const deploy = (name: string, types = '', values: readonly unknown[] = []) =>
    context.deploy(contract(name).bytecode, types, values)
  dai = await context.token(18)
  usds = await context.token(18)
  usdc = await context.token(6)
  const pocket = await deploy('PocketLike')
  psm = await deploy('LitePsmLike', 'address, address, address', [dai, usdc, pocket])
  const wrapper = await deploy('UsdsWrapperLike', 'address, address', [psm, usds])
  await context.send(pocket, abi, 'allow', [usdc, psm])
  await context.send(usdc, abi, 'transfer', [pocket, 900n * million])
  await context.send(dai, abi, 'transfer', [psm, 400n * 10n ** 24n])
  await context.send(dai, abi, 'transfer', [wrapper, 10n ** 34n])
  await context.send(usds, abi, 'transfer', [wrapper, 10n ** 34n])
  const helpers = await placeHelpers(context, ['Values'])
  const venue = { psm, wrapper, pocket, dai, usds, usdc }
  scene = { context, adapter: skyPsm, chain: ethereum, venue, helpers }
  pools = await discover([dai, usdc], [usdc, usds], [dai, usds])
  expect(pools.map(({ address }) => address)).toEqual([psm, wrapper])
})
afterAll(() => context.close())

async function discover(...pairs: readonly (readonly [Address, Address])[]) {
  const { adapter, chain, venue } = scene
  const found = await adapter.swaps.discover({
    reader: await context.reader(),
    chain,
    venue,
    pairs,
  })
  expect(found.unreadable).toEqual([])
  return found.pools
}

/** Swaps and compares everything. @returns what was received. */
async function compare(pool: Pool, pair: readonly [Address, Address], amountIn: bigint) {
  const swap = await swapInSteps(scene, pool, pair, amountIn)
  const label = `${amountIn} of ${pair[0]}`
  expect(swap.quote, label).toEqual({ amountOut: swap.received, exact: true })
  if (swap.received > 0n) {
    expect(swap.found, label).toEqual(swap.next)
    // Less is left than a raw unit of USDC costs, and none of it is approved.
    const most = pair[0] === usdc ? 0n : 2n * 10n ** 12n
    expect(amountIn - swap.spent, label).toBeLessThanOrEqual(most)
    expect(await allowance(pair[0], pool.address), label).toBe(0n)
  }
  return swap.received
}

async function allowance(token: Address, spender: Address): Promise<bigint> {
  const args = [context.trader, spender] as const
  const data = encodeFunctionData({ abi, functionName: 'allowance', args })
  return BigInt(await context.call(token, data))
}

const fees = [
  ['no fee', 0n, 0n],
  ['fees of 0.01% and 0.5%', 10n ** 14n, 5n * 10n ** 15n],
  ['fees that divide nothing', 123_456_789_012_347n, 987_654_321_098_767n],
  ['a fee of all', ether, ether],
] as const

describe.each(fees)('with %s', (_name, tin, tout) => {
  test('every size to the unit, both ways, for DAI and for USDS', async () => {
    await context.send(psm, abi, 'set', [tin, tout])
    let served = 0
    for (const pool of pools) {
      const [issued = nobody] = pool.tokens
      for (let power = 0; power < 16; power += 3) {
        const gems = 10n ** BigInt(power) * 7n + BigInt(power)
        if ((await compare(pool, [usdc, issued], gems)) > 0n) served += 1
        const amount = gems * 10n ** 12n + BigInt(power) * 3n
        if ((await compare(pool, [issued, usdc], amount)) > 0n) served += 1
      }
    }
    expect(served).toBeGreaterThanOrEqual(tin === ether ? 10 : 20)
  })
})

test('what it holds is paid to the last unit, and not one more', async () => {
  await context.send(psm, abi, 'set', [0n, 10n ** 15n])
  const [pool] = pools as readonly [Pool]
  const { gems, dai: held } = await stateOf(pool)
  const cost = (gems * 10n ** 12n * 1_001n) / 1_000n
  expect(await compare(pool, [dai, usdc], cost + 2n * 10n ** 12n)).toBe(0n)
  expect(await compare(pool, [dai, usdc], cost)).toBe(gems)
  expect(await compare(pool, [dai, usdc], 10n ** 13n)).toBe(0n)
  const most = (held + cost) / 10n ** 12n
  expect(await compare(pool, [usdc, dai], most + 1n)).toBe(0n)
  expect(await compare(pool, [usdc, dai], most)).toBe(most * 10n ** 12n)
  await context.send(psm, abi, 'send', [dai, context.trader, (await stateOf(pool)).dai])
  expect(await compare(pool, [usdc, dai], 1n)).toBe(0n)
  await context.send(dai, abi, 'transfer', [psm, 400n * 10n ** 24n])
})

test.each([
  ['selling', maxUint256, 0n, true],
  ['buying', 0n, maxUint256, false],
] as const)('while %s is halted, the other way goes on', async (_name, tin, tout, isSelling) => {
  await context.send(psm, abi, 'set', [tin, tout])
  for (const pool of pools) {
    const [issued = nobody] = pool.tokens
    const served = [
      await compare(pool, [usdc, issued], 1_000_000n),
      await compare(pool, [issued, usdc], 10n ** 18n),
    ].map((received) => received > 0n)
    expect(served).toEqual([!isSelling, isSelling])
  }
})

async function stateOf(pool: Pool): Promise<PsmState> {
  const { adapter, chain, venue } = scene
  const reader = await context.reader()
  const [loaded] = await adapter.swaps.load({ reader, chain, venue, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded.state
}

test('both pools are one state, so that no route asks it twice', () => {
  const [own, wrapped] = pools.map((pool) => skyPsm.swaps.sharedState?.(pool))
  expect(own).toBe(wrapped)
})

test('a stranger is no pool, and before the module is deployed there is none', async () => {
  const { adapter, chain, venue } = scene
  const reader = await context.reader()
  const [pool] = pools as readonly [Pool]
  const stranger = { ...pool, id: nobody, address: nobody }
  const other = { ...venue, pocket: nobody }
  const loads = [
    ...(await adapter.swaps.load({ reader, chain, venue, pools: [stranger] })),
    ...(await adapter.swaps.load({ reader, chain, venue: other, pools: [pool] })),
  ]
  expect(loads).toMatchObject([
    { message: 'It is not one of the pools of the chain.' },
    { message: 'There is no Lite-PSM with this pocket and these tokens.' },
  ])
  const elsewhere = { ...venue, psm: nobody, wrapper: nobody }
  const pairs = [[dai, usdc] as const]
  expect(await adapter.swaps.discover({ reader, chain, venue: elsewhere, pairs })).toEqual({
    pools: [],
    unreadable: [],
  })
})
