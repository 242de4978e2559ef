/** Pairs of a factory, looked up by their tokens and recognised by their shares: all from storage, in bulk. */
import { keccak256 } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { createdAddress } from '../shared/created-address.js'
import { addressInWord, nestedMappingSlot, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'

/** Pair storage: reserve0, reserve1 (uint112 each) and a timestamp. */
export const reservesSlot = toWord(8n)
/** The factory that made it, and its tokens. */
const pairSlots = { factory: toWord(5n), token0: toWord(6n), token1: toWord(7n) }

export interface PairSource {
  readonly slug: string
  /** Slots at which the factory's `getPair` mapping may lie; the first entry found counts. */
  readonly getPairSlots: readonly bigint[]
  /** Hash of the creation code of its pairs. */
  readonly initCodeHash: Hex
}

export type Tokens = readonly [Address, Address]

/** A token that is the share of a pair of the factory, null for any other, and why that is not known. */
type Recognised = ReadonlyMap<Address, Tokens | null | { readonly message: string }>

/** Pairs of the asked tokens, and the shares of pairs with their tokens; see `sharesPool`. */
export async function discoverPairs(
  source: PairSource,
  args: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const { reader, chain, venue } = args
  const wanted = orderedPairs(args.pairs)
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  guessReserves(source, args, wanted)
  const connectors = new Set<Address>(chain.connectorTokens)
  const candidates = [...new Set(wanted.flat())].filter((token) => !connectors.has(token))
  const [pairs, shares] = await Promise.all([
    readPairs(source, { reader, venue }, wanted),
    recogniseShares(source, { reader, venue, tokens: candidates }),
  ])
  const feeBps = Number(venue.feeBps)
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  wanted.forEach((pair, index) => {
    const found = pairs[index]
    if (typeof found === 'string') pools.push(pairPool(source.slug, found, pair, feeBps))
    else if (found) {
      const subject = `getPair ${pair.join(' ')}`
      unreadable.push({ protocol: source.slug, subject, message: found.message, pair })
    }
  })
  for (const [token, found] of shares) {
    const own = wanted.filter((pair) => pair.includes(token))
    if (!found) continue
    if ('message' in found) {
      const fact = { protocol: source.slug, subject: `factory ${token}`, message: found.message }
      unreadable.push(...own.map((pair) => ({ ...fact, pair })))
    } else if (own.some((pair) => pair.some((each) => found.includes(each)))) {
      pools.push(sharesPool(pairPool(source.slug, token, found, feeBps)))
    }
  }
  return { pools, unreadable }
}

/** Most pairs lie where they follow from their tokens: their reserves come with the look-up. */
function guessReserves(
  source: PairSource,
  { reader, venue }: DiscoverArgs,
  wanted: readonly Tokens[],
): void {
  for (const tokens of wanted) {
    reader.guess?.(`${source.slug} ${tokens.join(' ')}`, () => {
      return { slots: [{ address: pairAt(source, venue, tokens), slot: reservesSlot }] }
    })
  }
}

/** Where the factory makes the pair of the two tokens, which are in their order. */
export function pairAt(
  { initCodeHash }: PairSource,
  venue: VenueParameters,
  [token0, token1]: Tokens,
): Address {
  const salt = keccak256(`${token0}${token1.slice(2)}` as Hex)
  return createdAddress({ address: toAddress(String(venue.factory)), initCodeHash }, salt)
}

/**
 * A token is the share of a pair where it says that this factory made it, and the factory says that it made this
 * pair for these tokens: anybody can deploy a contract that says the first.
 */
export async function recogniseShares(
  source: PairSource,
  args: {
    readonly reader: StateReader
    readonly venue: VenueParameters
    readonly tokens: readonly Address[]
  },
): Promise<Recognised> {
  const { reader, venue, tokens } = args
  const found = new Map<Address, Tokens | null | { readonly message: string }>()
  if (tokens.length === 0) return found
  const factory = toWord(BigInt(toAddress(String(venue.factory))))
  const made = await reader.storage(tokens.map((address) => ({ address, slot: pairSlots.factory })))
  const claims: Address[] = []
  tokens.forEach((token, index) => {
    const result = made[index]
    if (result?.ok && result.value === factory) claims.push(token)
    found.set(token, result?.ok ? null : { message: result?.message ?? 'Not read.' })
  })
  if (claims.length === 0) return found
  const words = await reader.storage(
    claims.flatMap((address) => [
      { address, slot: pairSlots.token0 },
      { address, slot: pairSlots.token1 },
    ]),
  )
  const claimed = claims.flatMap((token, index) => {
    const [token0, token1] = words.slice(index * 2, index * 2 + 2).map(addressOf)
    return token0 && token1 ? [{ token, tokens: [token0, token1] as const }] : []
  })
  const pairs = await readPairs(
    source,
    { reader, venue },
    claimed.map((each) => each.tokens),
  )
  claimed.forEach(({ token, tokens: own }, index) => {
    const pair = pairs[index]
    if (pair && typeof pair !== 'string') found.set(token, pair)
    else if (pair === token) found.set(token, own)
  })
  return found
}

/** Addresses of the pairs, null where there is none, in the order asked. */
async function readPairs(
  { getPairSlots }: PairSource,
  { reader, venue }: { readonly reader: StateReader; readonly venue: VenueParameters },
  wanted: readonly Tokens[],
): Promise<(Address | null | { readonly message: string })[]> {
  const factory = toAddress(String(venue.factory))
  const reads = wanted.flatMap(([token0, token1]) =>
    getPairSlots.map((base) => ({
      address: factory,
      slot: toWord(nestedMappingSlot([BigInt(token0), BigInt(token1)], base)) as Hex,
    })),
  )
  const results = reads.length === 0 ? [] : await reader.storage(reads)
  return wanted.map((_pair, index) => {
    const entries = results.slice(index * getPairSlots.length, (index + 1) * getPairSlots.length)
    const address = entries.map(addressOf).find((entry) => entry !== null)
    if (address) return address
    const failed = entries.find((entry) => !entry.ok)
    return failed && !failed.ok ? { message: failed.message } : null
  })
}

function addressOf(result: ReadResult): Address | null {
  return result.ok ? addressInWord(result.value) : null
}

export function pairPool(slug: string, address: Address, tokens: Tokens, feeBps: number): Pool {
  return { protocol: slug, id: address, address, tokens, parameters: { feeBps } }
}

/**
 * The same pair as a way from each of its tokens to its shares and back: a pool of its own, whose third token are the
 * shares. Its id is the pair's address, filled up with zeros.
 */
export function sharesPool(pair: Pool): Pool {
  const { address, tokens } = pair
  return { ...pair, id: `${address}${'0'.repeat(24)}`, tokens: [...tokens, address] }
}

/** The part of an id that both pools of a pair have in common. */
export function pairOf({ id }: Pool): string {
  return id.slice(0, 42)
}

/** Whether the pool trades the pair's shares rather than its tokens for each other. */
export function isSharesPool({ address, tokens }: Pool): boolean {
  return tokens.length === 3 && tokens[2] === address
}
