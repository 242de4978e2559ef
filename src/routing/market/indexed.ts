/**
 * Chooses which pools of the index are worth loading for a request: ranked by how deep they are at the block, which
 * takes one or two words of storage of each, all in one read. Dead ones end here.
 */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import type { FoundPools } from '../../pool-index/pool-search.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import { type DepthCall, depthOf } from '../../protocols/pool-events.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { readAll } from '../../protocols/shared/read-all.js'
import { IndexedOutputs, type RankedPool } from './indexed-outputs.js'

/** What is loaded at most: pools of the wanted pair, of any other pair, and tokens in between. */
const poolsOfEnds = 16
const poolsOfPair = 4
const mostBetween = 16
/** The same where the ends meet in a pool or at a connector: each further token costs every search of the block time. */
const mostBesideKnown = 6
const poolsPerLink = 2
/** The same of pools whose hooks are run at each block before they are used: of the wanted pair, and of any other. */
const hookedOfEnds = 4
const hookedOfPair = 2
/** The same in all, where only loading shows how deep they are. */
const mostHookedUnranked = 4
/** So many pools of a protocol are taken whose depth only loading them would show. */
const mostUnranked = 8
/** What they count for as ways to a token in between: behind all that are known to be deep, and before nothing. */
const unknownShare = 0.001

export interface ChosenPools {
  readonly pools: readonly Pool[]
  readonly unreadable: readonly Unreadable[]
}

export interface Ends {
  readonly tokensIn: readonly Address[]
  readonly tokensOut: readonly Address[]
  readonly maxHops: number
}

/**
 * @param found - in an order that is the same for equal questions. Pools with hooks take the place of no other. Wrapped forms are
 *   of canonical tokens of the ends.
 */
export async function chooseIndexed(
  args: {
    readonly chain: ChainDefinition
    readonly protocols: readonly ProtocolAdapter[]
    readonly reader: StateReader
  },
  { pools: candidates, hooked, wrapped = [] }: FoundPools,
  asked: Ends,
): Promise<ChosenPools> {
  const ends = withWrapped(args.chain, asked, wrapped)
  const adapters = new Map(args.protocols.map((adapter) => [adapter.slug, adapter]))
  const venueOf = ({ protocol }: Pool) => args.chain.venues[protocol] ?? {}
  const bySlots = (pool: Pool) => adapters.get(pool.protocol)?.index?.depthSlots !== undefined
  const callsOf = (pool: Pool) =>
    adapters.get(pool.protocol)?.index?.depthCalls?.(pool, venueOf(pool)) ?? []
  const byCalls = candidates.flatMap((pool) => {
    const calls = bySlots(pool) ? [] : callsOf(pool)
    return calls.length > 0 ? [{ pool, calls }] : []
  })
  const called = new Set(byCalls.map(({ pool }) => pool))
  const unranked = candidates.filter((pool) => !bySlots(pool) && !called.has(pool))
  const [{ ranked, unreadable }, rankedHooked, more, completed] = await Promise.all([
    rank(args, adapters, candidates.filter(bySlots)),
    rank(args, adapters, hooked.filter(bySlots)),
    rankByCalls(args, adapters, byCalls),
    complete(args, adapters, unranked),
  ])
  const all = [...ranked, ...more]
  const pools = [
    ...choose(args.chain, all, ends, completed.pools),
    ...deepest(args.chain, rankedHooked.ranked, ends),
    ...hooked.filter((pool) => !bySlots(pool)).slice(0, mostHookedUnranked),
    ...completed.pools,
  ]
  const bounded = withinBounds(pools, adapters, ends)
  const used = new Set(bounded.flatMap(({ tokens }) => tokens))
  return {
    // A wrapped form costs reads, and is of no use without a pool that has it.
    pools: [...bounded, ...wrapped.filter(({ address }) => used.has(address))],
    unreadable: [...unreadable, ...rankedHooked.unreadable, ...completed.unreadable],
  }
}

/** The ends with their wrapped forms: what a pool of these gives is one swap from the end. Pure. */
function withWrapped(
  chain: ChainDefinition,
  { tokensIn, tokensOut, maxHops }: Ends,
  wrapped: readonly Pool[],
): Ends {
  const all = (tokens: readonly Address[]) => {
    const ends = new Set(tokens.map((token) => canonicalToken(chain, token)))
    const forms = wrapped.filter(({ tokens: [token] }) => token && ends.has(token))
    return [...tokens, ...forms.map(({ address }) => address)]
  }
  return { tokensIn: all(tokensIn), tokensOut: all(tokensOut), maxHops }
}

/** The deepest pools of each pair. Pure. */
function deepest(chain: ChainDefinition, ranked: readonly RankedPool[], ends: Ends): Pool[] {
  const [ins, outs] = [ends.tokensIn, ends.tokensOut].map(
    (tokens) => new Set(tokens.map((token) => canonicalToken(chain, token))),
  )
  return [...groupByPair(ranked)].flatMap(([key, pools]) => {
    const [a, b] = key.split('-') as [Address, Address]
    const isOfEnds = (ins?.has(a) && outs?.has(b)) || (ins?.has(b) && outs?.has(a))
    return pools.slice(0, isOfEnds ? hookedOfEnds : hookedOfPair).map(({ pool }) => pool)
  })
}

/** Of a protocol whose pools take long to load, those that hold most tokens of the request come first. */
function withinBounds(
  pools: readonly Pool[],
  adapters: ReadonlyMap<string, ProtocolAdapter>,
  { tokensIn, tokensOut }: Ends,
): readonly Pool[] {
  const ends = new Set([...tokensIn, ...tokensOut])
  const endsOf = ({ tokens }: Pool) => tokens.filter((token) => ends.has(token)).length
  const kept = new Set(pools)
  for (const [slug, { index }] of adapters) {
    const own = pools.filter(({ protocol }) => protocol === slug)
    const beyond = own
      .toSorted((a, b) => endsOf(b) - endsOf(a))
      .slice(index?.mostLoaded ?? own.length)
    for (const pool of beyond) kept.delete(pool)
  }
  return [...kept]
}

async function complete(
  { chain, reader }: Parameters<typeof chooseIndexed>[0],
  adapters: ReadonlyMap<string, ProtocolAdapter>,
  pools: readonly Pool[],
): Promise<ChosenPools> {
  const all = [...new Set(pools.map(({ protocol }) => protocol))].map((slug) => {
    const venue = chain.venues[slug]
    const own = pools.filter(({ protocol }) => protocol === slug).slice(0, mostUnranked)
    const asked = adapters.get(slug)?.index?.complete
    return venue && asked
      ? asked({ reader, chain, venue, pools: own })
      : { pools: own, unreadable: [] }
  })
  const found = await Promise.all(all)
  return {
    pools: found.flatMap((one) => one.pools),
    unreadable: found.flatMap((one) => one.unreadable),
  }
}

async function rank(
  { chain, reader }: Parameters<typeof chooseIndexed>[0],
  adapters: ReadonlyMap<string, ProtocolAdapter>,
  pools: readonly Pool[],
): Promise<{ readonly ranked: readonly RankedPool[]; readonly unreadable: readonly Unreadable[] }> {
  const reads = pools.map((pool) => adapters.get(pool.protocol)?.index?.depthSlots?.(pool) ?? [])
  const flat = reads.flat()
  const results = flat.length > 0 ? await reader.storage(flat) : []
  const ranked: RankedPool[] = []
  const unreadable: Unreadable[] = []
  let from = 0
  for (const [k, pool] of pools.entries()) {
    const own = results.slice(from, from + (reads[k]?.length ?? 0))
    from += own.length
    const failed = own.find((result) => !result.ok)
    if (failed && !failed.ok) {
      unreadable.push({ protocol: pool.protocol, subject: pool.id, message: failed.message })
      continue
    }
    const words = own.map((result: ReadResult) => (result.ok ? BigInt(result.value) : 0n))
    ranked.push(...rankedBy(chain, adapters, pool, words))
  }
  return { ranked, unreadable }
}

/** A token that does not answer is none that routes use. */
async function rankByCalls(
  { chain, reader }: Parameters<typeof chooseIndexed>[0],
  adapters: ReadonlyMap<string, ProtocolAdapter>,
  wanted: readonly { readonly pool: Pool; readonly calls: readonly DepthCall[] }[],
): Promise<RankedPool[]> {
  const answers = await readAll(
    reader,
    wanted.map(({ calls }) => calls.map(({ word: _, ...call }): ReadCall => call)),
  )
  return zip(wanted, answers).flatMap(([{ pool, calls }, own]) =>
    rankedBy(
      chain,
      adapters,
      pool,
      zip(calls, own).map(([call, answer]) => depthOf(call, answer) ?? 0n),
    ),
  )
}

/** Empty: the pool is dead. */
function rankedBy(
  chain: ChainDefinition,
  adapters: ReadonlyMap<string, ProtocolAdapter>,
  pool: Pool,
  words: readonly bigint[],
): RankedPool[] {
  const amounts = adapters.get(pool.protocol)?.index?.depth?.(words)
  if (!amounts || amounts.some((amount) => amount === 0n)) return []
  const tokens = pool.tokens.map((token) => canonicalToken(chain, token))
  const depth = new Map(tokens.map((token, side) => [token, amounts[side] ?? 0n]))
  const feePips = adapters.get(pool.protocol)?.index?.feePips?.(pool) ?? null
  return [{ pool, depth, feePips }]
}

/**
 * Pools between tokens of the request and connectors, and those of the tokens that join two of them best. Pure.
 * @param unranked - pools of unknown depth, which are taken in any case: tokens may be joined by them, too.
 */
export function choose(
  chain: ChainDefinition,
  ranked: readonly RankedPool[],
  { tokensIn, tokensOut, maxHops }: Ends,
  unranked: readonly Pool[] = [],
): Pool[] {
  const canonical = (tokens: readonly Address[]) =>
    new Set(tokens.map((token) => canonicalToken(chain, token)))
  const [ins, outs] = [canonical(tokensIn), canonical(tokensOut)]
  const connectors = canonical([...chain.connectorTokens, chain.wrappedNative])
  const own = new Set([...ins, ...outs, ...connectors])
  const byPair = groupByPair(ranked)
  const unknownPairs = pairsAmong(chain, unranked)
  const outputs = new IndexedOutputs(ranked)
  const poolsOf = (a: Address, b: Address) => byPair.get(pairKey(a, b)) ?? []
  /** How deep the deepest pool of a pair is, of the deepest of the token: 0 to 1. */
  const share = (token: Address, other: Address) => {
    const most = poolsOf(token, other)[0]?.depth.get(token) ?? 0n
    const unknown = unknownPairs.has(pairKey(token, other)) ? unknownShare : 0
    return Math.max(unknown, ratio(most, outputs.deepestOf(token)))
  }

  const chosen = new Map<string, Pool>()
  const add = (pools: readonly RankedPool[]) => {
    for (const { pool } of pools) chosen.set(`${pool.protocol}:${pool.id}`, pool)
  }
  /** The deepest of the pair, and those that give most for some amount in either direction. */
  const take = (a: Address, b: Address, most: number) => {
    const pools = poolsOf(a, b)
    add(pools.slice(0, most))
    if (pools.length <= most) return
    add(outputs.bestFor(a, b))
    add(outputs.bestFor(b, a))
  }
  for (const key of byPair.keys()) {
    const [a, b] = key.split('-') as [Address, Address]
    if (!own.has(a) || !own.has(b)) continue
    const isOfEnds = (ins.has(a) && outs.has(b)) || (ins.has(b) && outs.has(a))
    take(a, b, isOfEnds ? poolsOfEnds : poolsOfPair)
  }
  const pairs = [...new Set([...byPair.keys(), ...unknownPairs])]
  const ways = waysBetween({ ins, outs, connectors, own, maxHops }, pairs, share)
  const between = new Set<Address>()
  const meet = (a: Address, b: Address) => poolsOf(a, b).length > 0
  const isKnown = [...ins].some((a) =>
    [...outs].some((b) => meet(a, b) || [...connectors].some((c) => meet(a, c) && meet(c, b))),
  )
  const most = isKnown ? mostBesideKnown : mostBetween
  for (const { tokens } of ways) {
    if (tokens.filter((token) => !between.has(token)).length + between.size > most) continue
    for (const token of tokens) between.add(token)
    const [x, y] = tokens
    if (x && y) take(x, y, poolsPerLink)
  }
  const through = {
    connectors: [...connectors].filter((token) => !ins.has(token) && !outs.has(token)),
    strangers: strangersOf(byPair.keys(), own).filter((token) => !between.has(token)),
    maxHops,
  }
  for (const token of between) for (const other of own) take(token, other, poolsPerLink)
  for (const tokenIn of ins) {
    for (const tokenOut of outs) add(outputs.payingWays({ tokenIn, tokenOut, ...through }))
  }
  return [...chosen.values()]
}

interface Sides {
  readonly ins: ReadonlySet<Address>
  readonly outs: ReadonlySet<Address>
  readonly connectors: ReadonlySet<Address>
  readonly own: ReadonlySet<Address>
  readonly maxHops: number
}

/** One or two tokens in a row that lead from one side to the other, the best first: each as good as its worst pool. */
function waysBetween(
  { ins, outs, connectors, own, maxHops }: Sides,
  pairs: readonly string[],
  share: (token: Address, other: Address) => number,
): { readonly tokens: readonly Address[]; readonly score: number }[] {
  const both = pairs.map((key) => key.split('-') as [Address, Address])
  const strangers = strangersOf(pairs, own)
  const sides = (from: ReadonlySet<Address>, stranger: Address) =>
    [...from].map((token) => ({ token, share: share(token, stranger) }))
  const ways = strangers.map((stranger) => {
    const join = (from: ReadonlySet<Address>, to: ReadonlySet<Address>) => {
      const far = sides(to, stranger)
      return Math.max(
        0,
        ...sides(from, stranger).flatMap((one) =>
          far.map((other) => (one.token === other.token ? 0 : Math.min(one.share, other.share))),
        ),
      )
    }
    const direct = join(ins, outs)
    const score =
      maxHops >= 3 ? Math.max(direct, join(ins, connectors), join(connectors, outs)) : direct
    return { tokens: [stranger], score }
  })
  const best = (from: ReadonlySet<Address>, stranger: Address) =>
    Math.max(0, ...sides(from, stranger).map((side) => side.share))
  const rows =
    maxHops < 3
      ? []
      : both
          .filter(([a, b]) => !own.has(a) && !own.has(b))
          .map(([x, y]) => {
            const forth = Math.min(best(ins, x), best(outs, y))
            const back = Math.min(best(ins, y), best(outs, x))
            return { tokens: [x, y], score: Math.min(Math.max(forth, back), share(x, y)) }
          })
  return [...ways, ...rows]
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tokens.join() < b.tokens.join() ? -1 : 1))
}

/** The tokens of the pairs that are neither ends nor connectors. */
function strangersOf(pairs: Iterable<string>, own: ReadonlySet<Address>): Address[] {
  const tokens = [...pairs].flatMap((key) => key.split('-') as Address[])
  return [...new Set(tokens)].filter((token) => !own.has(token))
}

/** The deepest of each pair first. */
function groupByPair(ranked: readonly RankedPool[]): ReadonlyMap<string, readonly RankedPool[]> {
  const groups = new Map<string, RankedPool[]>()
  for (const one of ranked) {
    const [a, b] = [...one.depth.keys()]
    if (!a || !b) continue
    const key = pairKey(a, b)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, pools] of sorted) {
    const first = key.split('-')[0] as Address
    pools.sort((a, b) => {
      const [x = 0n, y = 0n] = [a.depth.get(first), b.depth.get(first)]
      return x === y ? (a.pool.id < b.pool.id ? -1 : 1) : x > y ? -1 : 1
    })
  }
  return new Map(sorted)
}

function pairsAmong(chain: ChainDefinition, pools: readonly Pool[]): ReadonlySet<string> {
  const keys = pools.flatMap((pool) => {
    const tokens = pool.tokens.map((token) => canonicalToken(chain, token))
    return tokens.flatMap((a, k) => tokens.slice(k + 1).map((b) => pairKey(a, b)))
  })
  return new Set(keys.sort())
}

function pairKey(a: Address, b: Address): string {
  return a < b ? `${a}-${b}` : `${b}-${a}`
}

/** To a millionth. */
function ratio(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000
}
