/**
 * The order in a block: a fee module may ask for an initial fee until a pool has written an observation in the block, and for
 * one that follows the price from then on. Where the latter is dearer it is what counts, since nobody knows who swaps first.
 * @see velodrome-finance/slipstream 138d232, contracts/core/fees/DynamicSwapFeeModule.sol and contracts/core/libraries/Oracle.sol
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, StateOverrides, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { readWord } from '../shared/read-word.js'
import { toWord } from '../shared/storage-slots.js'

const moduleAbi = parseAbi([
  'function dynamicFeeConfig(address pool) view returns (uint24 baseFee, uint24 feeCap, uint64 scalingFactor, bool initialFeeEnabled, uint24 initialFee)',
])

/** Places of fields in slot0, in bits from the right. */
const [tickAt, indexAt, cardinalityAt, nextAt] = [160n, 184n, 200n, 216n]

type Loaded = LoadedPool<ConcentratedState>

export interface FeeOrder {
  readonly reader: StateReader
  /** Modules that tell the fees, by factory; a factory without one is absent. */
  readonly modules: ReadonlyMap<string, Address>
  readonly slots: { readonly slot0: bigint; readonly observations: bigint }
  /** Unix seconds of the block in which is swapped. */
  readonly timestamp: bigint
  /** Asks for the fee of a pool in that block, 1/1,000,000. */
  feeCall(pool: Pool): ReadCall
}

/**
 * In the order given: pools with the dearer of their fees. One of which more cannot be read stays as it is, and so does what is
 * no pool.
 */
export async function withDearerFees(
  order: FeeOrder,
  loads: readonly (Loaded | Unreadable)[],
): Promise<(Loaded | Unreadable)[]> {
  const pools = loads.flatMap((load) => ('state' in load ? [load] : []))
  const initial = await withInitialFee(order, pools)
  const behind = await behindSwaps(order, initial)
  const calls = behind.map(({ load, overrides }) => ({ ...order.feeCall(load.pool), overrides }))
  const fees = calls.length > 0 ? await order.reader.call(calls) : []
  const dearer = new Map<Loaded | Unreadable, Loaded>(
    zip(behind, fees).flatMap(([{ load, overrides }, answer]) => {
      const fee = readWord(answer)
      if (fee === null || fee <= load.state.feePips[0]) return []
      const state: ConcentratedState = { ...load.state, feePips: [fee, fee] }
      return [[load, { ...load, state, ahead: { overrides, firstState: load.state } }] as const]
    }),
  )
  return loads.map((load) => dearer.get(load) ?? load)
}

/** Those of pools that opt for one. */
async function withInitialFee(
  { reader, modules }: FeeOrder,
  loads: readonly Loaded[],
): Promise<Loaded[]> {
  const asked = loads.flatMap((load) => {
    const { address, parameters } = load.pool
    const to = modules.get(String(parameters.factory))
    return to ? [{ load, to, address }] : []
  })
  if (asked.length === 0) return []
  const answers = await reader.call(
    asked.map(({ to, address }) => {
      return { to, data: encodeFunctionData({ abi: moduleAbi, args: [address] }) }
    }),
  )
  return zip(asked, answers).flatMap(([{ load }, answer]) => {
    // Earlier modules know no such fee, and answer with fewer words or not at all.
    const words = answer.ok ? (answer.value.length - 2) / 64 : 0
    if (!answer.ok || words < moduleAbi[0].outputs.length) return []
    const [, , , isEnabled] = decodeFunctionResult({ abi: moduleAbi, data: answer.value })
    return isEnabled ? [load] : []
  })
}

/** What a swap ahead that moves no price leaves in each pool; none where one has swapped in the block already. */
async function behindSwaps(
  { reader, slots, timestamp }: FeeOrder,
  loads: readonly Loaded[],
): Promise<{ readonly load: Loaded; readonly overrides: StateOverrides }[]> {
  const reads = loads.flatMap(({ pool: { address }, state }) => [
    { address, slot: toWord(slots.slot0) },
    { address, slot: toWord(slots.observations + BigInt(state.oracle?.index ?? 0)) },
  ])
  const words = reads.length > 0 ? await reader.storage(reads) : []
  return loads.flatMap((load, k) => {
    const [slot0, newest] = [words[2 * k], words[2 * k + 1]]
    if (!slot0?.ok || !newest?.ok) return []
    const { liquidity } = load.state
    const written = observe(BigInt(slot0.value), BigInt(newest.value), { liquidity, timestamp })
    if (!written) return []
    const stateDiff = {
      [toWord(slots.slot0)]: toWord(written.slot0),
      [toWord(slots.observations + written.index)]: toWord(written.observation),
    }
    return [{ load, overrides: { [load.pool.address]: { stateDiff } } }]
  })
}

/**
 * What the pool writes when a swap moves its tick in a block: slot0 with the place of the new observation, and the observation.
 * Null where it has been written. Pure.
 *
 * @param newest - word of the newest observation.
 */
export function observe(
  slot0: bigint,
  newest: bigint,
  { liquidity, timestamp }: { readonly liquidity: bigint; readonly timestamp: bigint },
): { readonly slot0: bigint; readonly index: bigint; readonly observation: bigint } | null {
  const time = BigInt.asUintN(32, timestamp)
  const last = BigInt.asUintN(32, newest)
  if (last === time) return null
  const [index, cardinality, next] = [indexAt, cardinalityAt, nextAt].map((place) =>
    BigInt.asUintN(16, slot0 >> place),
  ) as [bigint, bigint, bigint]
  const grown = next > cardinality && index === cardinality - 1n ? next : cardinality
  const place = (index + 1n) % grown
  const seconds = BigInt.asUintN(32, time - last)
  const tick = BigInt.asIntN(24, slot0 >> tickAt)
  const ticks = BigInt.asUintN(56, (newest >> 32n) + tick * seconds)
  const perLiquidity = BigInt.asUintN(
    160,
    (newest >> 88n) + (seconds << 128n) / (liquidity > 0n ? liquidity : 1n),
  )
  const kept = slot0 & ~(((1n << (nextAt - indexAt)) - 1n) << indexAt)
  return {
    slot0: kept | (place << indexAt) | (grown << cardinalityAt),
    index: place,
    observation: time | (ticks << 32n) | (perLiquidity << 88n) | (1n << 248n),
  }
}
