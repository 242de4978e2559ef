/** The states that the adapters keep, as facts that a peer understands. */
import { decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, parseAbi } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { at } from '../../src/domain/lists.js'
import { type Address, isNative } from '../../src/domain/primitives.js'
import type { ForkReader } from '../../src/forks/reader.js'
import type { BalancerState } from '../../src/protocols/balancer-v2/state.js'
import type { StablePoolState } from '../../src/protocols/curve/stable-math.js'
import type { ConcentratedState } from '../../src/protocols/shared/concentrated/swap.js'
import { tickAtSqrtPrice } from '../../src/protocols/shared/concentrated/tick-math.js'
import type { UniswapV2State } from '../../src/protocols/uniswap-v2/math.js'
import type { MarketPool } from '../../src/routing/market/market-view.js'
import type { ConcentratedFacts, PoolFacts } from './contract.js'

const balanceAbi = parseAbi(['function balanceOf(address) view returns (uint256)'])
const tickAbi = parseAbi([
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128 gross, int128 net)',
])
/** A price 7.4 times as high or low: more than the service itself reads, so that no peer is misled by the edge. */
const ticksPerSide = 20_000
const wordBits = 256

/**
 * @param within - where the ticks come from: `chain` reads them far around the price; `state` takes those that the adapter
 *   has read, and liquidity ends where they do.
 * @throws Error for a pool of another kind, or one whose balances cannot be read.
 */
export async function factsOf(
  reader: ForkReader,
  { adapter, loaded }: MarketPool,
  within: 'chain' | 'state' = 'chain',
): Promise<PoolFacts> {
  const { pool, state } = loaded
  const { id, address, tokens, parameters } = pool
  switch (adapter.slug) {
    case 'uniswap-v2':
    case 'sushiswap-v2': {
      const { reserve0, reserve1 } = state as UniswapV2State
      const fee = Number(parameters.feeBps) / 1e4
      return { kind: 'pair', id, tokens, fee, balances: [reserve0, reserve1] }
    }
    case 'uniswap-v3':
    case 'pancakeswap-v3': {
      const known = state as ConcentratedState
      const [balances, ticks] = await Promise.all([
        balancesOf(reader, pool),
        within === 'chain' ? ticksAround(reader, address, known) : ticksWithin(known),
      ])
      return concentrated(loaded, { balances, ticks, fee: Number(parameters.fee) / 1e6 })
    }
    case 'uniswap-v4': {
      const known = state as ConcentratedState
      const { sqrtPriceX96, liquidity, feePips } = known
      const facts = concentrated(loaded, {
        // Its contract holds the tokens of all pools, so these are what the active liquidity stands for.
        balances: [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n],
        ticks: ticksWithin(known),
        fee: Number(feePips[0]) / 1e6,
      })
      return withWrapped(facts)
    }
    case 'curve': {
      const { balances, amp, ampPrecision, fee } = state as StablePoolState
      const facts = { id, tokens, balances, fee: Number(fee) / 1e10 }
      return { kind: 'stable', ...facts, amp: Number(amp / ampPrecision) }
    }
    case 'balancer-v2': {
      const { kind, balances, swapFee, weights, amp } = state as BalancerState
      return {
        kind: 'vault',
        id,
        tokens,
        balances,
        fee: Number(swapFee) / 1e18,
        weights: kind === 'weighted' ? weights.map((weight) => Number(weight) / 1e18) : null,
        amp: Number(amp) / 1e3,
      }
    }
    default:
      throw new Error(`no facts about pools of ${adapter.slug}`)
  }
}

function concentrated(
  { pool: { id, tokens }, state }: MarketPool['loaded'],
  more: Pick<ConcentratedFacts, 'balances' | 'ticks' | 'fee'>,
): ConcentratedFacts {
  const { sqrtPriceX96, tick, liquidity, tickSpacing } = state as ConcentratedState
  return { kind: 'concentrated', id, tokens, sqrtPriceX96, tick, liquidity, tickSpacing, ...more }
}

async function balancesOf(
  reader: ForkReader,
  { address, tokens }: MarketPool['loaded']['pool'],
): Promise<bigint[]> {
  const data = encodeFunctionData({ abi: balanceAbi, functionName: 'balanceOf', args: [address] })
  const results = await callAll(
    reader,
    tokens.map((to) => ({ to, data })),
  )
  return results.map((result) => hexToBigInt(result))
}

/** The pool as one of the wrapped native token, in whose order it may stand the other way round. */
export function withWrapped(facts: ConcentratedFacts): ConcentratedFacts {
  const tokens = facts.tokens.map((token) => (isNative(token) ? ethereum.wrappedNative : token))
  const [token0 = '0x', token1 = '0x'] = tokens
  if (token0 < token1) return { ...facts, tokens }
  const sqrtPriceX96 = 2n ** 192n / facts.sqrtPriceX96
  return {
    ...facts,
    tokens: tokens.reverse(),
    balances: [...facts.balances].reverse(),
    sqrtPriceX96,
    tick: tickAtSqrtPrice(sqrtPriceX96),
    ticks: facts.ticks.map(({ index, net }) => ({ index: -index, net: -net })).reverse(),
  }
}

/** The ticks of the known range; at its ends there is no liquidity beyond. */
export function ticksWithin(state: ConcentratedState): { index: number; net: bigint }[] {
  const { tick, tickSpacing, liquidity, ticks, liquidityNets } = state
  const lower = Math.floor(Math.min(state.lowerTick, tick) / tickSpacing) * tickSpacing
  const upper = Math.ceil(Math.max(state.upperTick, tick + 1) / tickSpacing) * tickSpacing
  const inner = ticks
    .map((index, place) => ({ index, net: at(liquidityNets, place) }))
    .filter(({ index }) => index > lower && index < upper)
  const sum = (list: typeof inner) => list.reduce((total, { net }) => total + net, 0n)
  const first = liquidity - sum(inner.filter(({ index }) => index <= tick))
  return [{ index: lower, net: first }, ...inner, { index: upper, net: -first - sum(inner) }]
}

async function ticksAround(
  reader: ForkReader,
  pool: Address,
  { tick, tickSpacing }: Pick<ConcentratedState, 'tick' | 'tickSpacing'>,
): Promise<{ index: number; net: bigint }[]> {
  const abi = tickAbi
  const wordOf = (at: number) => Math.floor(Math.floor(at / tickSpacing) / wordBits)
  const first = wordOf(tick - ticksPerSide)
  const words = Array.from(
    { length: wordOf(tick + ticksPerSide) - first + 1 },
    (_, place) => first + place,
  )
  const bitmaps = await callAll(
    reader,
    words.map((word) => ({
      to: pool,
      data: encodeFunctionData({ abi, functionName: 'tickBitmap', args: [word] }),
    })),
  )
  const indexes = bitmaps.flatMap((bitmap, place) =>
    bitsOf(hexToBigInt(bitmap)).map((bit) => ((words[place] ?? 0) * wordBits + bit) * tickSpacing),
  )
  const infos = await callAll(
    reader,
    indexes.map((index) => ({
      to: pool,
      data: encodeFunctionData({ abi, functionName: 'ticks', args: [index] }),
    })),
  )
  return infos.map((data, place) => {
    const [, net] = decodeFunctionResult({ abi, functionName: 'ticks', data })
    return { net, index: indexes[place] ?? 0 }
  })
}

function bitsOf(word: bigint): number[] {
  return Array.from({ length: wordBits }, (_, bit) => bit).filter(
    (bit) => (word >> BigInt(bit)) & 1n,
  )
}

async function callAll(
  reader: ForkReader,
  calls: readonly { readonly to: Address; readonly data: Hex }[],
): Promise<Hex[]> {
  const results = await reader.call(calls)
  return results.map((result, place) => {
    if (!result.ok) throw new Error(`${calls[place]?.to}: ${result.message}`)
    return result.value
  })
}
