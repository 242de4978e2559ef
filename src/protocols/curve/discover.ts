/**
 * Pools of a pair through Curve's MetaRegistry. Where it has no code (or none is configured), no pools are
 * found, which is not an error: pools then come from imports.
 */
import { numberToHex } from 'viem'
import { defined } from '../../domain/defined.js'
import { type Address, type Hex, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import {
  encodeBalances,
  encodeFindPools,
  encodeGetter,
  encodeOfPool,
  listOf,
  type PoolFact,
  wordOf,
} from './abi.js'
import { isMetaPair } from './meta-math.js'
import { metaRegistryOf } from './meta-registry.js'

type Pair = readonly [Address, Address]

interface Discovered {
  readonly pools: Pool[]
  readonly unreadable: Unreadable[]
}

export async function discoverCurve(args: DiscoverArgs): Promise<Discovered> {
  const { reader, venue, chain } = args
  if (args.pairs.length === 0) return none()
  const { address: registry, failed } = await metaRegistryOf(reader, venue)
  if (failed !== null) {
    return { pools: [], unreadable: args.pairs.map((pair) => failure('registry', failed, pair)) }
  }
  if (!registry) return none()
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
  const described = await describe(args, registry, list, wanted)
  for (const [k, address] of list.entries()) {
    const item = described[k]
    if (item === 'unreadable') {
      const message = 'Its coins or its kind could not be read.'
      for (const pair of pairsByPool.get(address) ?? []) {
        found.unreadable.push(failure(address, message, pair))
      }
    } else if (item) found.pools.push(item)
  }
  return found
}

/** What the registry says of a pool. */
export interface Listed {
  readonly tokens: readonly Address[]
  readonly decimals: readonly string[]
  /** Null: no metapool. */
  readonly basePool: Address | null
}

const facts: readonly PoolFact[] = [
  'get_coins',
  'get_decimals',
  'is_meta',
  'get_base_pool',
  'get_underlying_coins',
  'get_underlying_decimals',
]

/** Two rounds: the registry of all pools, then of those that trade a wanted pair their own getters. */
async function describe(
  { reader }: DiscoverArgs,
  registry: Address,
  addresses: readonly Address[],
  wanted: ReadonlySet<string>,
): Promise<(Pool | 'unreadable' | null)[]> {
  const answers = await reader.call(
    addresses.flatMap((pool) =>
      facts.map((name) => ({ to: registry, data: encodeOfPool(name, pool) })),
    ),
  )
  const listed = addresses.map((_address, k) => {
    const item = toListed(answers.slice(k * facts.length, (k + 1) * facts.length))
    return item === 'unreadable' || (item && touches(item, wanted)) ? item : null
  })
  const probed = addresses.filter((_address, k) => isListed(listed[k]))
  const calls = probed.flatMap((to) => probes.map((data) => ({ to, data })))
  const results = calls.length > 0 ? await reader.call(calls) : []
  return addresses.map((address, k) => {
    const item = listed[k] ?? null
    const place = probed.indexOf(address)
    if (!isListed(item)) return item
    return toPool(address, item, results.slice(place * probes.length, (place + 1) * probes.length))
  })
}

function isListed(item: Listed | 'unreadable' | null | undefined): item is Listed {
  return typeof item === 'object' && item !== null
}

function toListed(results: readonly ReadResult[]): Listed | 'unreadable' | null {
  if (results.some((result) => !result.ok && result.reason === 'unreadable')) return 'unreadable'
  const tokens = coinsOf(listOf('get_coins', results[0]))
  const places = listOf('get_decimals', results[1])?.slice(0, tokens.length)
  if (!places || tokens.length < 2) return null
  const decimals = places.map(String)
  if (!wordOf(results[2])) return { tokens, decimals, basePool: null }
  const base = wordOf(results[3])
  const underlying = coinsOf(listOf('get_underlying_coins', results[4]))
  const underlyingPlaces = listOf('get_underlying_decimals', results[5])
  if (!base || !underlyingPlaces || underlying.length < 3) return null
  return {
    // The coin, the shares of the base pool, and what these stand for.
    tokens: [...tokens, ...underlying.slice(1)],
    decimals: [...decimals, ...underlyingPlaces.slice(1, underlying.length).map(String)],
    basePool: toAddress(numberToHex(base, { size: 20 })),
  }
}

function coinsOf(list: readonly Hex[] | null): Address[] {
  return (list ?? []).map(toAddress).filter((coin) => BigInt(coin) !== 0n)
}

/** In the order in which `parametersOf` takes their answers. */
export const probes: readonly Hex[] = [
  encodeGetter('gamma'),
  encodeGetter('offpeg_fee_multiplier'),
  encodeGetter('stored_rates'),
  encodeGetter('A_precise'),
  encodeGetter('initial_A_time'),
  encodeBalances('uint256', 0),
]

function toPool(
  address: Address,
  listed: Listed,
  results: readonly ReadResult[],
): Pool | 'unreadable' | null {
  if (results.some((result) => !result.ok && result.reason === 'unreadable')) return 'unreadable'
  const parameters = parametersOf(listed, results)
  return { protocol: 'curve', id: address, address, tokens: listed.tokens, parameters }
}

/** The kind of a pool by what its getters answer to `probes`. */
export function parametersOf(
  { decimals, basePool }: Listed,
  results: readonly ReadResult[],
): Pool['parameters'] {
  const [gamma, offpeg, rates, precise, ramp, balance] = results.map(wordOf)
  if (isKnown(gamma)) return { kind: 'crypto', decimals }
  const getterIndexType = isKnown(balance) ? 'uint256' : 'int128'
  if (basePool) return { kind: 'meta', decimals, getterIndexType, basePool }
  if (isKnown(offpeg) || isKnown(rates)) return { kind: 'stable-ng', decimals, getterIndexType }
  const isLegacy = getterIndexType === 'int128' && !isKnown(ramp)
  return {
    kind: 'stable',
    decimals,
    getterIndexType,
    aPrecision: isKnown(precise) ? '100' : '1',
    ...defined({ legacy: isLegacy || undefined }),
  }
}

/** The pair, and with native ETH in the place of its wrapped token: old pools hold ETH itself. */
function withNative(a: Address, b: Address, wrapped: Address): Pair[] {
  const pairs: Pair[] = [[a, b]]
  if (a === wrapped) pairs.push([nativeToken, b])
  if (b === wrapped) pairs.push([a, nativeToken])
  return pairs
}

/** The registry also answers with metapools for two coins of their base pool, which trade there. */
function touches({ tokens, basePool }: Listed, wanted: ReadonlySet<string>): boolean {
  return tokens.some((a, i) =>
    tokens.some((b, j) => i < j && (!basePool || isMetaPair(i, j)) && wanted.has(pairKey(a, b))),
  )
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
