/**
 * Pools of a pair through Curve's MetaRegistry. Where it has no code (or none is configured) nothing is
 * found and nothing is wrong: pools then come from imports.
 */
import { type Address, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { DiscoverArgs, Pool, Unreadable } from '../protocol.js'
import {
  encodeBalances,
  encodeFindPools,
  encodeGetter,
  encodeOfPool,
  listOf,
  wordOf,
} from './abi.js'

type Pair = readonly [Address, Address]

interface Discovered {
  readonly pools: Pool[]
  readonly unreadable: Unreadable[]
}

export async function discoverCurve(args: DiscoverArgs): Promise<Discovered> {
  const { reader, venue, chain } = args
  const { metaRegistry } = venue
  if (typeof metaRegistry !== 'string' || args.pairs.length === 0) return none()
  const registry = toAddress(metaRegistry)
  const pairs = args.pairs.flatMap(([a, b]) => withNative(a, b, chain.wrappedNative))
  const lookUps = await reader.call(
    pairs.map(([a, b]) => ({ to: registry, data: encodeFindPools(a, b) })),
  )
  const found = none()
  const pairsByPool = new Map<Address, Pair[]>()
  for (const [k, pair] of pairs.entries()) {
    const result = lookUps[k]
    if (!result) continue
    if (!result.ok && result.reason === 'unreadable') {
      found.unreadable.push(failure(`pools of ${pair.join(' and ')}`, result.message, pair))
    }
    for (const address of listOf('find_pools_for_coins', result) ?? []) {
      const pool = toAddress(address)
      pairsByPool.set(pool, [...(pairsByPool.get(pool) ?? []), pair])
    }
  }
  const wanted = new Set(pairs.map(([a, b]) => pairKey(a, b)))
  const list = [...pairsByPool.keys()].sort()
  const described = await describe(args, registry, list)
  for (const [k, address] of list.entries()) {
    const item = described[k]
    if (item === 'unreadable') {
      const message = 'Its coins or its kind could not be read.'
      for (const pair of pairsByPool.get(address) ?? []) {
        found.unreadable.push(failure(address, message, pair))
      }
    } else if (item && touches(item, wanted)) found.pools.push(item)
  }
  return found
}

const probesPerPool = 9

async function describe(
  { reader }: DiscoverArgs,
  registry: Address,
  addresses: readonly Address[],
): Promise<(Pool | 'unreadable' | null)[]> {
  const results = await reader.call(
    addresses.flatMap((pool) => [
      { to: registry, data: encodeOfPool('get_coins', pool) },
      { to: registry, data: encodeOfPool('get_decimals', pool) },
      { to: registry, data: encodeOfPool('is_meta', pool) },
      { to: pool, data: encodeGetter('gamma') },
      { to: pool, data: encodeGetter('offpeg_fee_multiplier') },
      { to: pool, data: encodeGetter('stored_rates') },
      { to: pool, data: encodeGetter('A_precise') },
      { to: pool, data: encodeGetter('initial_A_time') },
      { to: pool, data: encodeBalances('uint256', 0) },
    ]),
  )
  return addresses.map((address, k) =>
    toPool(address, results.slice(k * probesPerPool, (k + 1) * probesPerPool)),
  )
}

function toPool(address: Address, results: readonly ReadResult[]): Pool | 'unreadable' | null {
  if (results.some((result) => !result.ok && result.reason === 'unreadable')) return 'unreadable'
  const listed = listOf('get_coins', results[0])?.map(toAddress)
  const places = listOf('get_decimals', results[1])
  if (!listed || !places) return null
  const tokens = listed.filter((coin) => BigInt(coin) !== 0n)
  const common = { protocol: 'curve', id: address, address, tokens }
  const decimals = places.slice(0, tokens.length).map(String)
  const [isMeta, gamma, offpeg, rates, precise, ramp, balance] = results.slice(2).map(wordOf)
  if (isKnown(gamma)) return { ...common, parameters: { kind: 'crypto', decimals } }
  const getterIndexType = isKnown(balance) ? 'uint256' : 'int128'
  if (isMeta || isKnown(offpeg) || isKnown(rates)) {
    const parameters = { kind: 'crypto', decimals, indexType: 'int128', getterIndexType }
    return { ...common, parameters }
  }
  const isLegacy = getterIndexType === 'int128' && !isKnown(ramp)
  return {
    ...common,
    parameters: {
      kind: 'stable',
      decimals,
      getterIndexType,
      aPrecision: isKnown(precise) ? '100' : '1',
      ...(isLegacy && { legacy: true }),
    },
  }
}

/** The pair, and with native ETH in the place of its wrapped token: old pools hold ETH itself. */
function withNative(a: Address, b: Address, wrapped: Address): Pair[] {
  const pairs: Pair[] = [[a, b]]
  if (a === wrapped) pairs.push([nativeToken, b])
  if (b === wrapped) pairs.push([a, nativeToken])
  return pairs
}

/** The registry also answers with metapools whose underlying coins match: those swap by another function. */
function touches(pool: Pool, wanted: ReadonlySet<string>): boolean {
  return pool.tokens.some((a, k) => pool.tokens.slice(k + 1).some((b) => wanted.has(pairKey(a, b))))
}

function pairKey(a: Address, b: Address): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}

function isKnown(value: bigint | null | undefined): value is bigint {
  return value !== null && value !== undefined
}

function failure(subject: string, message: string, pair: Pair): Unreadable {
  return { protocol: 'curve', subject, message, pair }
}

function none(): Discovered {
  return { pools: [], unreadable: [] }
}
