/** Pairs of Liquidity Book factories: found by calls, since their lists are of a library; read from raw storage in three rounds. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, bpsDenominator, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, LoadedPool } from '../protocol.js'
import { loadBins, readEach } from '../shared/bins/load.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import type { BookParameters, BookState } from './math.js'

const abi = parseAbi([
  'function getAllLBPairs(address tokenX, address tokenY) view returns ((uint16 binStep, address pair, bool createdByOwner, bool ignoredForRouting)[])',
  'function getTokenX() view returns (address)',
])

/** Where a version keeps its state: the tree's third level has a bit per bin. */
interface Layout {
  readonly parameters: bigint
  readonly bins: bigint
  readonly leaves: bigint
  /** Null: the version has none. */
  readonly hooks: bigint | null
}

/** Keys of the venue, and what their pairs look like. The oracle's 65,535 samples lie before the hooks. */
const versions = {
  factory21: { parameters: 4n, bins: 7n, leaves: 10n, hooks: null },
  factory22: { parameters: 3n, bins: 6n, leaves: 9n, hooks: 10n + 65_535n },
} as const satisfies Record<string, Layout>
type Version = keyof typeof versions

const swapHooks = (1n << 160n) | (1n << 161n)

/** The factories that the venue has. */
export const versionsOf = (venue: VenueParameters) =>
  (Object.keys(versions) as Version[]).flatMap((version) =>
    venue[version] ? [{ version, factory: toAddress(String(venue[version])) }] : [],
  )

export async function discoverBooks(
  slug: string,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs).flatMap((pair) =>
    versionsOf(venue).map((source) => ({ pair, ...source })),
  )
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  const lists = await reader.call(
    wanted.map(({ pair, factory }) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'getAllLBPairs', args: pair }),
    })),
  )
  const unreadable: Unreadable[] = []
  const found = wanted.flatMap(({ pair, version, factory }, index) => {
    const books = toBooks(lists[index])
    if (typeof books === 'string') {
      const subject = `getAllLBPairs ${pair.join(' ')} ${factory}`
      unreadable.push({ protocol: slug, subject, message: books, pair })
      return []
    }
    return books.map((book) => ({ ...book, pair, version }))
  })
  const data = encodeFunctionData({ abi, functionName: 'getTokenX' })
  const firsts = await reader.call(found.map(({ address }) => ({ to: address, data })))
  const pools = found.flatMap(({ address, binStep, pair, version }, index): Pool[] => {
    const first = firsts[index]
    const tokenX = first?.ok ? addressInWord(first.value) : null
    const [a, b] = pair
    if (tokenX !== a && tokenX !== b) {
      const message = 'The pair does not say which of its tokens is the first.'
      unreadable.push({ protocol: slug, subject: address, message, pair })
      return []
    }
    const tokens = tokenX === a ? [a, b] : [b, a]
    return [{ protocol: slug, id: address, address, tokens, parameters: { version, binStep } }]
  })
  return { pools, unreadable }
}

/** @returns a sentence where they cannot be read. */
function toBooks(result: ReadResult | undefined): { address: Address; binStep: number }[] | string {
  if (!result?.ok) return result?.message ?? 'Not read.'
  // At a block before the factory.
  if (result.value === '0x') return []
  const books = decodeFunctionResult({ abi, functionName: 'getAllLBPairs', data: result.value })
  return books.map(({ pair, binStep }) => ({ address: toAddress(pair), binStep }))
}

interface Head {
  readonly pool: Pool
  readonly layout: Layout
  readonly word: bigint
  readonly hooks: Address | null
  readonly activeId: number
}

export async function loadBooks(
  slug: string,
  args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
    readonly pools: readonly Pool[]
  },
): Promise<(LoadedPool<BookState> | Unreadable)[]> {
  const { reader, chain, venue, pools } = args
  if (pools.length === 0) return []
  const now = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const known = versionsOf(venue).map(({ version }) => version)
  const sources = pools.map((pool) => {
    const version = known.find((each) => each === pool.parameters.version)
    const layout: Layout | undefined = version && versions[version]
    return { pool, layout }
  })
  const heads = await readEach(reader, sources, ({ pool: { address }, layout }) =>
    layout
      ? [layout.parameters, ...(layout.hooks ? [layout.hooks] : [])].map((slot) => ({
          address,
          slot: toWord(slot),
        }))
      : [],
  ).then((results) =>
    results.map((result, index) =>
      toHead(sources[index]?.pool as Pool, sources[index]?.layout, result),
    ),
  )
  const readable = heads.filter((head): head is Head => typeof head !== 'string')
  const loaded = await loadBins(
    reader,
    readable.map(({ pool: { address }, layout, activeId }) => ({ ...layout, address, activeId })),
  )
  let next = 0
  return pools.map((pool, index) => {
    const unreadable = (message: string) => ({ protocol: slug, subject: pool.id, message })
    const head = heads[index]
    if (!head || typeof head === 'string') return unreadable(head ?? 'Not read.')
    const bins = loaded[next]
    next += 1
    if (!bins || typeof bins === 'string') return unreadable(bins ?? 'Not read.')
    const state: BookState = {
      binStep: BigInt(Number(pool.parameters.binStep)),
      parameters: toParameters(head.word, now),
      ...bins,
      hasBinLimit: head.layout.hooks !== null,
      hooks: head.hooks,
      isEstimate: head.hooks !== null,
    }
    return { pool, state, partial: false }
  })
}

function toHead(
  pool: Pool,
  layout: Layout | undefined,
  words: readonly Hex[] | string,
): Head | string {
  const { binStep } = pool.parameters
  if (!layout) return 'The parameter version of the pair is no version on the chain.'
  if (!Number.isInteger(binStep) || Number(binStep) < 1)
    return 'The pair lacks the parameter binStep.'
  if (typeof words === 'string') return words
  const [word = 0n, hooks = 0n] = words.map(BigInt)
  return {
    pool,
    layout,
    word,
    hooks: (hooks & swapHooks) === 0n ? null : addressInWord(toWord(hooks)),
    activeId: Number(BigInt.asUintN(24, word >> 232n)),
  }
}

/** @param now - Unix seconds of the swap, which move the references of the fee. */
function toParameters(word: bigint, now: bigint): BookParameters {
  const field = (offset: bigint, bits: number) => BigInt.asUintN(bits, word >> offset)
  const [filterPeriod, decayPeriod] = [field(16n, 12), field(28n, 12)]
  const activeId = Number(field(232n, 24))
  const elapsed = now - field(176n, 40)
  const isRenewed = elapsed >= filterPeriod
  const decayed = (field(112n, 20) * field(40n, 14)) / bpsDenominator
  return {
    baseFactor: field(0n, 16),
    variableFeeControl: field(54n, 24),
    protocolShare: field(78n, 14),
    maxVolatility: field(92n, 20),
    volatilityReference: isRenewed ? (elapsed < decayPeriod ? decayed : 0n) : field(132n, 20),
    idReference: isRenewed ? activeId : Number(field(152n, 24)),
    activeId,
    isAlwaysRenewed: filterPeriod === 0n,
  }
}
