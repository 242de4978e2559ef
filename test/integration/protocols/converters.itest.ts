/**
 * Rocket Pool, ether.fi, Sky and Frax Ether: what the adapters quote against what their own steps are given by
 * contracts with the arithmetic of the originals. The Executor is a new account each time.
 */
import { numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { VenueParameters } from '../../../src/chains/chain.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, isNative, nativeToken } from '../../../src/domain/primitives.js'
import { etherFi } from '../../../src/protocols/ether-fi/index.js'
import { fraxEther } from '../../../src/protocols/frax-ether/index.js'
import type { LoadedPool, SwapAdapter } from '../../../src/protocols/protocol.js'
import { rocketPool } from '../../../src/protocols/rocket-pool/index.js'
import { sky } from '../../../src/protocols/sky/index.js'
import { erc20Abi, PoolContext } from '../../support/protocols/pool-context.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi([
  'function transfer(address, uint256)',
  'function report(uint256, uint256)',
  'function setUp(address, uint256, uint256, uint256, bool)',
  'function setToken(address)',
  'function rebase(uint256)',
  'function setPaused(bool)',
  'function wrap(uint256)',
  'function togglePauseSubmits()',
])
const ether = 10n ** 18n
const most = 2n ** 120n
/** Amounts of every size whose last digits are not round. */
const amounts = Array.from({ length: 12 }, (_, k) => 10n ** BigInt(2 * k) * 7n + BigInt(k) * 3n)

let context: PoolContext
let executors = 0
const venues: Record<string, VenueParameters> = {}
let rocketNetwork: Address

// biome-ignore lint/suspicious/noExplicitAny: each adapter has a state of its own, which goes from one of its functions to another
type Adapter = SwapAdapter<any>

beforeAll(async () => {
  context = await PoolContext.start()
  const contract = compileTestContracts('Converters.sol')
  const deploy = (name: string, types = '', values: readonly unknown[] = []) =>
    context.deploy(contract(name).bytecode, types, values)
  const { trader } = context
  rocketNetwork = await deploy('TestRocketNetwork')
  const rETH = await deploy('TestRocketToken', 'address, uint256, address', [
    ...[rocketNetwork, 500_000n * ether, trader],
  ])
  await context.setBalance(rETH, 1_234n * ether)
  await context.setBalance(trader, 10n ** 27n)
  venues['rocket-pool'] = { storage: rocketNetwork, rETH }
  await rocket({})
  await report(571_234_567_890_123_456_789_012n, 500_000n * ether + 7n)

  const liquidityPool = await deploy('TestLiquidityPool', 'uint256, uint256', [
    ...[2_345_678_901_234_567_890_123_456n, 4_321n * ether + 11n],
  ])
  const eETH = await deploy('TestEETH', 'address, uint256, address', [
    ...[liquidityPool, 2_100_000n * ether + 1n, trader],
  ])
  const weETH = await deploy('TestWeETH', 'address, address', [liquidityPool, eETH])
  await context.send(liquidityPool, abi, 'setToken', [eETH])
  await context.send(eETH, erc20Abi, 'approve', [weETH, most])
  await context.send(weETH, abi, 'wrap', [1_000_000n * ether])
  venues['ether-fi'] = { liquidityPool, eETH, weETH }

  const issued = (name: string) =>
    deploy('TestIssuedToken', 'string, address, uint256', [name, trader, most])
  const [dai, usds] = [await issued('DAI'), await issued('USDS')]
  const frxETH = await issued('frxETH')
  const converter = await deploy('TestDaiUsds', 'address, address', [dai, usds])
  venues.sky = { converter, dai, usds }
  for (const token of [dai, usds])
    await context.send(token, abi, 'transfer', [converter, most / 4n])
  const minter = await deploy('TestFrxEthMinter', 'address', [frxETH])
  venues['frax-ether'] = { minter, frxETH }
})
afterAll(() => context.close())

function rocket({
  fee = 5n * 10n ** 14n,
  least = ether / 100n,
  size = 18_000n * ether,
  on = true,
}) {
  const token = venues['rocket-pool']?.rETH
  return context.send(rocketNetwork, abi, 'setUp', [token, fee, least, size, on])
}

function report(total: bigint, supply: bigint) {
  return context.send(rocketNetwork, abi, 'report', [total, supply])
}

const tokenOf = (slug: string, name: string) => String(venues[slug]?.[name]) as Address

async function load(adapter: Adapter, a: Address, b: Address): Promise<LoadedPool> {
  const venue = venues[adapter.slug] ?? {}
  const common = { reader: await context.reader(), chain: ethereum, venue }
  const pair = [a, b].map((token) => (isNative(token) ? ethereum.wrappedNative : token))
  const { pools } = await adapter.swaps.discover({ ...common, pairs: [pair as [Address, Address]] })
  const [loaded] = await adapter.swaps.load({ ...common, pools })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

/** Gives a new account the input, has it carry out the steps, and says what it holds of the output then. */
async function execute(adapter: Adapter, tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const { pool, state } = await load(adapter, tokenIn, tokenOut)
  const quote = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  executors += 1
  const executor: Address = numberToHex(0xe000_0000n + BigInt(executors), { size: 20 })
  const money = 10n ** 18n + (isNative(tokenIn) ? amountIn : 0n)
  await context.setBalance(executor, money)
  if (!isNative(tokenIn)) await context.send(tokenIn, abi, 'transfer', [executor, amountIn])
  const held = isNative(tokenIn) ? amountIn : await context.balanceOf(tokenIn, executor)
  const venue = venues[adapter.slug] ?? {}
  const steps = adapter.swaps.encodeSwap({
    chain: ethereum,
    venue,
    pool,
    state,
    tokenIn,
    tokenOut,
    amountIn: held,
    executor,
    helpers: {},
    recipient: executor,
  })
  let paid = 0n
  let isDone = true
  for (const step of steps) {
    const [target, own, name, args, value] =
      step.kind === 'approve'
        ? [step.token, erc20Abi, 'approve', [step.spender, held], undefined]
        : step.kind === 'call'
          ? [step.target, [step.abi], step.abi.name, step.args, step.value]
          : [executor, erc20Abi, 'approve', [], undefined]
    const options = { from: executor, ...(value !== undefined && { value: held }) }
    const receipt = await context.send(target, own, name, args, options)
    isDone = receipt !== null
    paid += BigInt(receipt?.gasUsed ?? 0) * BigInt(receipt?.effectiveGasPrice ?? 0)
  }
  const balance = isNative(tokenOut)
    ? (await context.etherOf(executor)) + paid - money
    : await context.balanceOf(tokenOut, executor)
  const received = isDone ? balance : 0n
  const next = quote.after()
  return { quote, received, next, found: (await load(adapter, tokenIn, tokenOut)).state }
}

describe('rocket-pool', () => {
  const rETH = () => tokenOf('rocket-pool', 'rETH')

  test('a deposit gives the quoted rETH to the wei, fee taken, and leaves the predicted room', async () => {
    for (const fee of [0n, 5n * 10n ** 14n, 123_456_789_012_345n]) {
      await rocket({ fee, least: 1n, size: 10n ** 27n })
      for (const amount of amounts) {
        const { quote, received, next, found } = await execute(
          rocketPool,
          nativeToken,
          rETH(),
          amount,
        )
        expect(quote).toMatchObject({ amountOut: received, exact: true })
        const room = (state: unknown) => (state as { own: { maxDeposit: bigint } }).own.maxDeposit
        if (received > 0n) expect(room(found)).toBe(room(next))
      }
    }
  })

  test('burning gives the quoted ether to the wei while there is some, from both contracts', async () => {
    for (const [total, supply] of [
      [571_234_567_890_123_456_789_012n, 500_000n * ether + 7n],
      [500_000n * ether, 571_234_567_890_123_456_789_012n],
    ] as const) {
      await report(total, supply)
      for (const amount of amounts.filter((each) => each < 20_000n * ether)) {
        const { quote, received, next, found } = await execute(
          rocketPool,
          rETH(),
          nativeToken,
          amount,
        )
        expect(quote).toMatchObject({ amountOut: received, exact: true })
        const left = (state: unknown) => (state as { own: { collateral: bigint } }).own.collateral
        expect(left(found)).toBe(left(next))
      }
    }
  })

  test('below the minimum, above the room, and while it is off, a deposit is worth nothing', async () => {
    for (const [settings, amount] of [
      [{ least: ether }, ether - 1n],
      [{ size: 1n }, ether],
      [{ on: false }, ether],
    ] as const) {
      await rocket(settings)
      const done = await execute(rocketPool, nativeToken, rETH(), amount)
      expect(done).toMatchObject({ received: 0n, quote: { amountOut: 0n } })
    }
    await rocket({})
  })

  test('more rETH than there is ether for is worth nothing', async () => {
    await report(10n ** 30n, 10n ** 27n)
    const done = await execute(rocketPool, rETH(), nativeToken, 100_000n * ether)
    expect(done).toMatchObject({ received: 0n, quote: { amountOut: 0n } })
  })
})

describe('ether-fi', () => {
  const own = () => ['eETH', 'weETH', 'liquidityPool'].map((name) => tokenOf('ether-fi', name))

  test('staking, wrapping and unwrapping give what is quoted, at every size and after a rebase', async () => {
    const [eETH = nativeToken, weETH = nativeToken, pool = nativeToken] = own()
    for (const rebased of [0n, 1_234_567_890_123_456_789n]) {
      await context.send(pool, abi, 'rebase', [rebased])
      for (const amount of amounts) {
        for (const [tokenIn, tokenOut, exact] of [
          [nativeToken, eETH, false],
          [eETH, weETH, true],
          [weETH, eETH, false],
        ] as const) {
          const { quote, received, next, found } = await execute(etherFi, tokenIn, tokenOut, amount)
          expect(quote, `${tokenIn} ${amount}`).toMatchObject({ amountOut: received, exact })
          if (received > 0n) expect(found).toEqual(next)
        }
      }
    }
  })

  test('a pool that is paused takes no ether, and goes on wrapping', async () => {
    const [eETH = nativeToken, weETH = nativeToken, pool = nativeToken] = own()
    await context.send(pool, abi, 'setPaused', [true])
    const stake = await execute(etherFi, nativeToken, eETH, ether)
    expect(stake).toMatchObject({ received: 0n, quote: { amountOut: 0n } })
    const wrap = await execute(etherFi, eETH, weETH, ether)
    expect(wrap.received).toBe(wrap.quote.amountOut)
    expect(wrap.received).toBeGreaterThan(0n)
    await context.send(pool, abi, 'setPaused', [false])
  })
})

describe('sky and frax-ether', () => {
  test('DAI and USDS are converted one to one, both ways', async () => {
    const [dai, usds] = [tokenOf('sky', 'dai'), tokenOf('sky', 'usds')]
    for (const amount of amounts) {
      for (const [tokenIn, tokenOut] of [
        [dai, usds],
        [usds, dai],
      ] as const) {
        const { quote, received } = await execute(sky, tokenIn, tokenOut, amount)
        expect(quote).toMatchObject({ amountOut: received, exact: true })
        expect(received).toBe(amount)
      }
    }
  })

  test('ether becomes frxETH one to one, and nothing while it is paused', async () => {
    const [frxETH, minter] = [tokenOf('frax-ether', 'frxETH'), tokenOf('frax-ether', 'minter')]
    for (const amount of amounts) {
      const { quote, received } = await execute(fraxEther, nativeToken, frxETH, amount)
      expect(quote).toMatchObject({ amountOut: received, exact: true })
      expect(received).toBe(amount)
    }
    await context.send(minter, abi, 'togglePauseSubmits', [])
    const paused = await execute(fraxEther, nativeToken, frxETH, ether)
    expect(paused).toMatchObject({ received: 0n, quote: { amountOut: 0n } })
    const { pool, state } = await load(fraxEther, nativeToken, frxETH)
    expect(
      (fraxEther as Adapter).swaps.swap(
        pool,
        state,
        { tokenIn: frxETH, tokenOut: nativeToken },
        ether,
      ).amountOut,
    ).toBe(0n)
  })
})

describe('converters', () => {
  test.each<readonly [string, Adapter, string]>([
    ['rocket-pool', rocketPool, 'rETH'],
    ['ether-fi', etherFi, 'eETH'],
    ['sky', sky, 'usds'],
    ['frax-ether', fraxEther, 'frxETH'],
  ] as const)(
    '%s where its contracts are not there cannot be read, and is no error',
    async (slug, adapter, name) => {
      const nobody: Address = '0x00000000000000000000000000000000000beef1'
      const venue = Object.fromEntries(Object.keys(venues[slug] ?? {}).map((key) => [key, nobody]))
      const at = { ...venue, [name]: tokenOf(slug, name) }
      const common = { reader: await context.reader(), chain: ethereum, venue: at }
      const other = slug === 'sky' ? nobody : ethereum.wrappedNative
      const pairs = [[other, tokenOf(slug, name)] as const]
      const { pools } = await adapter.swaps.discover({ ...common, pairs })
      expect(pools).toHaveLength(1)
      const [loaded] = await adapter.swaps.load({ ...common, pools })
      expect(loaded).toMatchObject({ protocol: slug, message: expect.any(String) })
      const listed = await adapter.positions?.list({ ...common, venue, pools: [] })
      expect(listed ?? { positions: [] }).toMatchObject({ positions: [] })
    },
  )

  test('positions: what all holders own together, and a price that a rebase raises', async () => {
    const venue = venues['ether-fi'] ?? {}
    const read = async () => {
      const common = { reader: await context.reader(), chain: ethereum, venue }
      const { positions = [] } = (await etherFi.positions?.list({ ...common, pools: [] })) ?? {}
      expect(positions.map(({ key }) => key)).toEqual([venue.eETH, venue.weETH])
      return (await etherFi.positions?.read({ ...common, positions })) ?? []
    }
    const [before] = await read()
    await context.send(tokenOf('ether-fi', 'liquidityPool'), abi, 'rebase', [ether])
    const [after, wrapped] = await read()
    if (!before || !after || !wrapped || 'message' in before || 'message' in after)
      throw new Error('not read')
    const priceOf = (state: typeof before) =>
      state.base?.kind === 'sharePrice' ? state.base.price : 0n
    expect(priceOf(after)).toBeGreaterThan(priceOf(before))
    expect(before.holdings?.[0]?.token).toBe(nativeToken)
    const gained = (after.holdings?.[0]?.amount ?? 0n) - (before.holdings?.[0]?.amount ?? 0n)
    expect(gained).toBe(ether)
    expect(wrapped).toMatchObject({ holdings: [{ token: venue.eETH }] })
  })
})
