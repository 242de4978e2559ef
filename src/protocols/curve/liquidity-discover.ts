/**
 * Finds the Curve pool whose share a token is: through the registry where there is one, through `minter()` of the
 * token, or because the pool is its own share. A pool that names another share is rejected.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import {
  type Address,
  type Hex,
  isNative,
  nativeToken,
  toAddress,
} from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, EndorsementArgs } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'
import { wordOf } from './abi.js'
import { parametersOf, probes } from './discover.js'
import { liquidityPool } from './liquidity-pool.js'
import { metaRegistryOf } from './meta-registry.js'
import type { Reading } from './native-state.js'

interface LookUpArgs {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly tokens: readonly Address[]
}

interface Found {
  /** Records of liquidity by their shares. */
  readonly pools: ReadonlyMap<Address, Pool>
  readonly unreadable: readonly { readonly token: Address; readonly message: string }[]
}

const abi = parseAbi([
  'function get_pool_from_lp_token(address) view returns (address)',
  'function minter() view returns (address)',
  'function lp_token() view returns (address)',
  'function token() view returns (address)',
  'function base_pool() view returns (address)',
  'function BASE_POOL() view returns (address)',
  'function decimals() view returns (uint8)',
])
type Name = (typeof abi)[number]['name']
const coinsAbi = {
  uint256: parseAbi(['function coins(uint256) view returns (address)']),
  int128: parseAbi(['function coins(int128) view returns (address)']),
}
const mostCoins = 8

const encode = (functionName: Exclude<Name, 'get_pool_from_lp_token'>): Hex =>
  encodeFunctionData({ abi, functionName })
const minterCall = encode('minter')
const decimalsCall = encode('decimals')
const ownCalls = [encode('lp_token'), encode('token'), encode('base_pool'), encode('BASE_POOL')]
/** Ask for the coin at each index, all by uint256, then all by int128. */
const coinCalls = [coinsAbi.uint256, coinsAbi.int128].flatMap((coins) =>
  Array.from({ length: mostCoins }, (_item, index) =>
    encodeFunctionData({ abi: coins, functionName: 'coins', args: [BigInt(index)] }),
  ),
)
const [firstCoinCall = '0x'] = coinCalls

/** Connector tokens are not asked: they are in every look-up, and none of them is such a share. */
export async function discoverLiquidity(
  args: DiscoverArgs,
): Promise<{ readonly pools: Pool[]; readonly unreadable: Unreadable[] }> {
  const { chain, pairs } = args
  const connectors = new Set<string>(chain.connectorTokens)
  const tokens = [...new Set(pairs.flat())].filter((token) => !connectors.has(token))
  const found = await findLiquidity({ ...args, tokens })
  const pools = [...found.pools].flatMap(([share, pool]) => {
    const others = new Set(
      pairs.filter((pair) => pair.includes(share)).map(([a, b]) => (a === share ? b : a)),
    )
    if (others.has(chain.wrappedNative)) others.add(nativeToken)
    return pool.tokens.some((coin) => coin !== share && others.has(coin)) ? [pool] : []
  })
  const unreadable = found.unreadable.flatMap(({ token, message }) =>
    pairs
      .filter((pair) => pair.includes(token))
      .map((pair) => ({ protocol: 'curve', subject: `pool of ${token}`, message, pair })),
  )
  return { pools, unreadable }
}

/** The pools whose shares are among the tokens. */
export async function findLiquidity({ reader, venue, tokens }: LookUpArgs): Promise<Found> {
  const registry = await metaRegistryOf(reader, venue)
  const candidates = await poolsOf(reader, registry.address, tokens)
  const described = await describe(reader, candidates.known)
  const zaps = zapsOf(venue)
  const pools = new Map<Address, Pool>()
  for (const [k, { share, pool: address }] of candidates.known.entries()) {
    const pool = described[k]
    if (pool) pools.set(share, liquidityPool(pool, share, zaps.get(address) ?? null))
  }
  return { pools, unreadable: candidates.unreadable }
}

/**
 * Whether the registry, or the service's own list, names the share for the pool: the word of the share itself, by which
 * pools are found too, vouches for nothing.
 */
export async function isEndorsed({
  reader,
  venue,
  pool,
  listed,
}: EndorsementArgs): Promise<boolean> {
  const share = pool.tokens.at(-1)
  if (share && listed?.parameters.lpToken === share) return true
  if (!share) return false
  const { address: to } = await metaRegistryOf(reader, venue)
  if (!to) return false
  const [named] = await reader.call([{ to, data: encodeLookUp(share) }])
  return addressOf(named) === pool.address
}

/** `pool:contract` of the pools that withdraw one coin through a contract beside them. */
function zapsOf({ zaps }: VenueParameters): ReadonlyMap<string, Address> {
  const list = Array.isArray(zaps) ? zaps.map(String) : []
  return new Map(
    list.map((entry) => {
      const [pool = '', zap = ''] = entry.split(':')
      return [pool, toAddress(zap)]
    }),
  )
}

interface Candidate {
  readonly share: Address
  readonly pool: Address
  /** True when the registry says so; anything else is a token's own word. */
  readonly isRegistered: boolean
}

async function poolsOf(
  reader: StateReader,
  registry: Address | null,
  tokens: readonly Address[],
): Promise<{ known: Candidate[]; unreadable: Found['unreadable'] }> {
  const answers = await readAll(
    reader,
    tokens.map((token): Reading[] => [
      { to: token, data: minterCall },
      { to: token, data: firstCoinCall },
      ...(registry ? [{ to: registry, data: encodeLookUp(token) }] : []),
    ]),
  )
  const known: Candidate[] = []
  const unreadable: { token: Address; message: string }[] = []
  for (const [k, share] of tokens.entries()) {
    const [minter, coin, listed] = answers[k] ?? []
    const refused = (answers[k] ?? []).find((item) => !item.ok && item.reason === 'unreadable')
    const registered = addressOf(listed)
    const pool = registered ?? (addressOf(coin) ? share : addressOf(minter))
    if (pool) known.push({ share, pool, isRegistered: registered !== null })
    else if (refused && !refused.ok) unreadable.push({ token: share, message: refused.message })
  }
  return { known, unreadable }
}

function encodeLookUp(token: Address): Hex {
  return encodeFunctionData({ abi, functionName: 'get_pool_from_lp_token', args: [token] })
}

/** The pool as a record of its swaps; null for an address that is no pool, or whose share is another token. */
async function describe(
  reader: StateReader,
  candidates: readonly Candidate[],
): Promise<(Pool | null)[]> {
  const calls = [...coinCalls, ...ownCalls, ...probes]
  const answers = await readAll(
    reader,
    candidates.map(({ pool }) => calls.map((data) => ({ to: pool, data }))),
  )
  const coins = answers.map(coinsOf)
  const bases = answers.map((list) => {
    const [oldBase, base] = list.slice(coinCalls.length + 2, coinCalls.length + ownCalls.length)
    return addressOf(oldBase) ?? addressOf(base)
  })
  const baseAnswers = await readAll(
    reader,
    bases.map((to) => (to ? coinCalls.map((data) => ({ to, data })) : [])),
  )
  const tokens = coins.map((list, k) => [...list, ...coinsOf(baseAnswers[k] ?? [])])
  const decimals = await decimalsOf(reader, tokens)
  return candidates.map((candidate, k) => {
    const list = answers[k] ?? []
    const [lpToken, token] = list.slice(coinCalls.length).map(addressOf)
    const named = lpToken ?? token ?? candidate.share
    if (named !== candidate.share && !candidate.isRegistered) return null
    const places = decimals[k]
    if ((coins[k] ?? []).length < 2 || !places) return null
    const parameters = parametersOf(
      { tokens: tokens[k] ?? [], decimals: places, basePool: bases[k] ?? null },
      list.slice(coinCalls.length + ownCalls.length),
    )
    const address = candidate.pool
    return { protocol: 'curve', id: address, address, tokens: tokens[k] ?? [], parameters }
  })
}

/** Up to the first place that answers nothing; old pools count by int128. */
function coinsOf(answers: readonly ReadResult[]): Address[] {
  const coins = answers.slice(0, 2 * mostCoins).map(addressOf)
  const start = coins[0] ? 0 : mostCoins
  const row = coins.slice(start, start + mostCoins)
  const end = row.indexOf(null)
  return row.slice(0, end < 0 ? mostCoins : end).flatMap((coin) => coin ?? [])
}

/** Decimals of the tokens of each list, as text; null where a token does not say. */
async function decimalsOf(
  reader: StateReader,
  lists: readonly (readonly Address[])[],
): Promise<(string[] | null)[]> {
  const answers = await readAll(
    reader,
    lists.map((list) => list.map((to) => ({ to, data: decimalsCall }))),
  )
  return lists.map((list, k) => {
    const places = list.map((token, n) => (isNative(token) ? 18n : wordOf(answers[k]?.[n])))
    return places.every((item) => item !== null) ? places.map(String) : null
  })
}

/** Null when the read failed, or answered nothing, zero, or no address. */
function addressOf(result: ReadResult | undefined): Address | null {
  if (!result?.ok || result.value.length !== 66) return null
  const value = BigInt(result.value)
  return value < 2n ** 160n ? addressInWord(toWord(value)) : null
}
