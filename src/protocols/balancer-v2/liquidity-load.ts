/**
 * State of pools whose shares are traded: the pool as its swaps see it, its shares and what the protocol takes. Joins
 * and exits differ between factories; each pool is asked for one of both, and only equality to the wei is exact.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import type { EncodedValues } from '../../domain/order.js'
import { type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { encodeQuery, exitOneData, joinData } from './liquidity-calls.js'
import { swapPool } from './liquidity-pool.js'
import { exit, join, type LiquidityState } from './liquidity-state.js'
import { loadBalancer, vaultOf } from './load.js'
import { poolContract } from './parameters.js'

const abi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function getActualSupply() view returns (uint256)',
  'function getLastInvariant() view returns (uint256, uint256)',
  'function getProtocolFeesCollector() view returns (address)',
  'function getSwapFeePercentage() view returns (uint256)',
])
const encode = (functionName: (typeof abi)[number]['name']): Hex =>
  encodeFunctionData({ abi, functionName })
const getters = (['totalSupply', 'getActualSupply', 'getLastInvariant'] as const).map(encode)
/** A query answers the shares, then where the list of amounts begins, its length, and the amounts. */
const firstAmount = 3

type Loaded = LoadedPool<LiquidityState> | Unreadable

interface Entry {
  readonly pool: Pool
  readonly swaps: Pool
  readonly state: LiquidityState
}

export async function loadLiquidity(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, pools } = args
  if (pools.length === 0) return []
  const swaps = pools.map(swapPool)
  const [loaded, answers, protocolFee] = await Promise.all([
    loadBalancer({ ...args, pools: swaps }),
    reader.call(swaps.flatMap((pool) => getters.map((data) => ({ to: poolContract(pool), data })))),
    readProtocolFee(args),
  ])
  const entries = pools.map((pool, k): Entry | Unreadable => {
    const item = loaded[k]
    if (!item || !('state' in item)) return unreadablePool(pool, item?.message ?? 'no state')
    const [total, actual, last] = answers.slice(k * getters.length).map(wordsOf)
    const supply = actual?.[0] ?? total?.[0]
    if (supply === undefined)
      return unreadablePool(pool, 'It does not say how many shares there are.')
    // Pools that know an actual supply pay the protocol in shares, which are in it.
    const fee = actual ? 0n : protocolFee
    const [invariant = null, amp = 0n] = last ?? []
    const state: LiquidityState = {
      kind: 'liquidity',
      pool: item.state,
      supply,
      protocolFee: fee ?? 0n,
      last: invariant === null ? null : { invariant, amp },
      exact: item.state.exact && fee !== null && (fee === 0n || invariant !== null),
    }
    return { pool, swaps: item.pool, state }
  })
  return prove(reader, entries)
}

/** The protocol's part of swap fees, E18; null where the Vault does not say. */
async function readProtocolFee(args: {
  readonly reader: StateReader
  readonly venue: VenueParameters
}): Promise<bigint | null> {
  const vault = vaultOf(args.venue)
  const [named] = await args.reader.call([{ to: vault, data: encode('getProtocolFeesCollector') }])
  const collector = wordsOf(named)?.[0]
  if (!collector) return null
  const to = toAddress(`0x${collector.toString(16).padStart(40, '0')}`)
  const [said] = await args.reader.call([{ to, data: encode('getSwapFeePercentage') }])
  return wordsOf(said)?.[0] ?? null
}

/** Keeps `exact` only where the pool answers a join and an exit as the math does. */
async function prove(
  reader: StateReader,
  entries: readonly (Entry | Unreadable)[],
): Promise<Loaded[]> {
  const known = entries.filter((entry) => 'state' in entry)
  const results = await reader.call(known.flatMap(questionsOf))
  return entries.map((entry): Loaded => {
    if (!('state' in entry)) return entry
    const place = 2 * known.indexOf(entry)
    const { pool, state } = entry
    const [joined, left] = results.slice(place, place + 2).map(wordsOf)
    const probe = probeOf(entry)
    const pairs = [
      [join(state, probe.amounts)?.amountOut ?? 0n, joined?.[0]],
      [exit(state, probe.index, probe.shares)?.amountOut ?? 0n, left?.[firstAmount + probe.index]],
    ] as const
    if (pairs.some(([own, said]) => said !== undefined && !isNear(own, said))) {
      return unreadablePool(pool, 'Its joins or exits are not those of its kind.')
    }
    // What the pool refuses is worth nothing by the math as well.
    const exact = state.exact && pairs.every(([own, said]) => own === (said ?? 0n))
    return { pool, state: { ...state, exact }, partial: !exact }
  })
}

/** A thousandth of the first token, and of the shares for the last one. */
function probeOf({ state }: Entry) {
  const { balances } = state.pool
  const amounts = balances.map((balance, k) => (k === 0 ? balance / 1000n : 0n))
  return { amounts, shares: state.supply / 1000n, index: balances.length - 1 }
}

function questionsOf(entry: Entry) {
  const { swaps, state } = entry
  const { amounts, shares, index } = probeOf(entry)
  const to = poolContract(swaps)
  const { protocolFee, pool } = state
  const query = { poolId: swaps.id as Hex, balances: pool.balances, protocolFee }
  const ask = (name: 'queryJoin' | 'queryExit', userData: EncodedValues) => ({
    to,
    data: encodeQuery(name, { ...query, userData }),
  })
  return [ask('queryJoin', joinData(amounts)), ask('queryExit', exitOneData(shares, index))]
}

/** Near enough to rank by. */
function isNear(own: bigint, said: bigint): boolean {
  const difference = own > said ? own - said : said - own
  return difference <= 2n + said / 100n
}

function wordsOf(result: ReadResult | undefined): bigint[] | null {
  if (!result?.ok || result.value.length < 66) return null
  return (result.value.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
}
