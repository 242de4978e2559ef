/**
 * Staking and wrapping by the adapter's own steps against contracts with the arithmetic of stETH and wstETH: shares,
 * rounding on every transfer, ether behind external vaults. The Executor is a new account each time.
 */
import { numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { lido } from '../../../src/protocols/lido/index.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import type { StakedState } from '../../../src/protocols/shared/staked-shares/math.js'
import { erc20Abi, PoolContext } from '../../support/protocols/pool-context.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const stakingAbi = parseAbi([
  'function setStakeLimit(uint256)',
  'function rebase(uint256)',
  'function transfer(address, uint256)',
  'function wrap(uint256)',
])
const ether = 10n ** 18n

let context: PoolContext
let venue: { readonly stETH: Address; readonly wstETH: Address }
let executors = 0

beforeAll(async () => {
  const contract = compileTestContracts('Staking.sol')
  context = await PoolContext.start()
  const stETH = await context.deploy(
    contract('TestStakedEther').bytecode,
    'uint256, uint256, uint256, address',
    [9_412_345_678_901_234_567_890_123n, 7_700_000n * ether + 1n, 123_457n * ether, context.trader],
  )
  const { bytecode } = contract('TestWrappedStakedEther')
  venue = { stETH, wstETH: await context.deploy(bytecode, 'address', [stETH]) }
  const most = 2n ** 127n
  await context.send(stETH, erc20Abi, 'approve', [venue.wstETH, most])
  await context.send(venue.wstETH, stakingAbi, 'wrap', [1_000_000n * ether])
})
afterAll(() => context.close())

async function load(tokenA: Address, tokenB: Address): Promise<LoadedPool<StakedState>> {
  const common = { reader: await context.reader(), chain: ethereum, venue }
  const { pools } = await lido.swaps.discover({ ...common, pairs: [[tokenA, tokenB]] })
  const [loaded] = await lido.swaps.load({ ...common, pools })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

/** Sends a new account the input, has it carry out the steps, and says what it holds of the output then. */
async function execute(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const isStake = tokenIn === nativeToken
  const { pool, state } = await load(isStake ? ethereum.wrappedNative : tokenIn, tokenOut)
  const quote = lido.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
  executors += 1
  const executor: Address = numberToHex(0xe000_0000n + BigInt(executors), { size: 20 })
  await context.setBalance(executor, ether + (isStake ? amountIn : 0n))
  if (!isStake) await context.send(tokenIn, stakingAbi, 'transfer', [executor, amountIn])
  const held = isStake ? amountIn : await context.balanceOf(tokenIn, executor)
  const steps = lido.swaps.encodeSwap({
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
  for (const step of steps) {
    if (step.kind === 'approve') {
      await context.send(step.token, erc20Abi, 'approve', [step.spender, held], { from: executor })
    } else if (step.kind === 'call') {
      const { target, abi, args } = step
      const options = { from: executor, ...(step.value !== undefined && { value: held }) }
      await context.send(target, [abi], abi.name, args, options)
    }
  }
  const next = quote.after()
  const { state: found } = await load(isStake ? ethereum.wrappedNative : tokenIn, tokenOut)
  return { quote, received: await context.balanceOf(tokenOut, executor), next, found }
}

/** Amounts of every size whose last digits are not round. */
const amounts = Array.from({ length: 12 }, (_, k) => 10n ** BigInt(2 * k) * 7n + BigInt(k) * 3n)

describe('lido against contracts of the same arithmetic', () => {
  test('wrapping gives the quoted shares to the wei, at every size and after a rebase', async () => {
    for (const rebased of [0n, 1_234_567_890_123_456_789n]) {
      await context.send(venue.stETH, stakingAbi, 'rebase', [rebased])
      for (const amount of amounts) {
        const { quote, received, next, found } = await execute(venue.stETH, venue.wstETH, amount)
        expect(quote).toMatchObject({ amountOut: received, exact: true })
        expect(found).toEqual(next)
      }
    }
  })

  test('unwrapping gives the quoted balance to an account without any, and the quote says that it is an estimate', async () => {
    for (const amount of amounts.slice(0, -1)) {
      const { quote, received, next, found } = await execute(venue.wstETH, venue.stETH, amount)
      expect(quote).toMatchObject({ amountOut: received, exact: false })
      expect(found).toEqual(next)
    }
  })

  test('staking gives the quoted balance and leaves the predicted rate', async () => {
    for (const amount of amounts) {
      const { quote, received, next, found } = await execute(nativeToken, venue.stETH, amount)
      expect(quote).toMatchObject({ amountOut: received, exact: false })
      expect({ ...found, stakeLimit: 0n }).toEqual({ ...next, stakeLimit: 0n })
    }
  })

  test('ether above the stake limit is worth nothing, and nothing goes back to ether', async () => {
    await context.send(venue.stETH, stakingAbi, 'setStakeLimit', [ether])
    const within = await execute(nativeToken, venue.stETH, ether)
    expect(within.received).toBe(within.quote.amountOut)
    expect(within.found).toEqual(within.next)
    const above = await execute(nativeToken, venue.stETH, 1n)
    expect(above).toMatchObject({ received: 0n, quote: { amountOut: 0n } })
    const { pool, state } = await load(ethereum.wrappedNative, venue.stETH)
    expect(
      lido.swaps.swap(pool, state, { tokenIn: venue.stETH, tokenOut: nativeToken }, ether)
        .amountOut,
    ).toBe(0n)
  })

  test('is looked up for its own two pairs alone, and takes no other pool', async () => {
    const common = { reader: await context.reader(), chain: ethereum, venue }
    const other = ethereum.stableAnchors[0] ?? nativeToken
    const found = await lido.swaps.discover({
      ...common,
      pairs: [
        [ethereum.wrappedNative, venue.wstETH],
        [other, venue.stETH],
        [venue.stETH, venue.stETH],
      ],
    })
    expect(found).toEqual({ pools: [], unreadable: [] })
    const { pool } = await load(venue.wstETH, venue.stETH)
    const [loaded] = await lido.swaps.load({
      ...common,
      pools: [{ ...pool, id: other, address: other }],
    })
    expect(loaded).toMatchObject({ subject: other, message: expect.stringContaining('not one') })
  })
})
