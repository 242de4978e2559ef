/**
 * Curves of declared pools in a few rounds of reads for all of them: what their holders have, quotes of geometric sizes in
 * both directions of each pair of their tokens, and more quotes where larger sizes give nothing.
 */
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { argumentValues, namesOf } from '../../domain/declared-venue.js'
import { compareAmounts, larger, zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { Direction, LoadedPool } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { type Curve, concaveCurve, type Sample } from './curve.js'
import { type DeclaredEntry, declaredSlug, entriesOf, type Venue } from './venue.js'

export interface DeclaredState {
  readonly entry: DeclaredEntry
  /** By `directionKey`; a direction that could not be quoted has none. */
  readonly curves: ReadonlyMap<string, Curve>
  /** By `directionKey`: what earlier swaps of the same search have put in, raw units. */
  readonly spent: ReadonlyMap<string, bigint>
}

type Loaded = LoadedPool<DeclaredState> | Unreadable

const sizes = 13
const sizeRatio = 3n
/** Where larger sizes give nothing: rounds of further quotes, and how many of a direction are in each. */
const edgeRounds = 4
const edgeQuotes = 6

export function directionKey({ tokenIn, tokenOut }: Direction): string {
  return `${tokenIn}>${tokenOut}`
}

export async function loadDeclared(args: {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, venue, pools } = args
  const known = entriesOf(venue)
  const entries = pools.flatMap(({ id }) => known.get(id) ?? [])
  const largest = await largestAmounts(reader, entries)
  let samplings = await quoteSizes(reader, entries.flatMap(directionsOf), (sampling) =>
    geometric(largestOf(sampling, largest)),
  )
  for (let round = 0; round < edgeRounds; round++) {
    samplings = await quoteSizes(reader, samplings, edgeSizes)
  }
  return pools.map((pool) => {
    const entry = known.get(pool.id)
    if (!entry) return unreadable(pool, 'The file of VENUES has no such pool.')
    const own = samplings.filter((sampling) => sampling.entry === entry)
    const curves = curvesOf(own)
    const unread = own.flatMap(({ quotes }) => quotes).find((quote) => quote.unread !== null)
    // A quote that reverts is the venue's answer: it swaps nothing at this block.
    if (curves.size === 0 && unread) return unreadable(pool, unread.unread ?? '')
    return { pool, state: { entry, curves, spent: new Map() }, partial: true }
  })
}

/** By holder and token; raw units. */
async function largestAmounts(
  reader: StateReader,
  entries: readonly DeclaredEntry[],
): Promise<ReadonlyMap<string, bigint>> {
  const wanted = new Map<string, ReadCall>()
  for (const { venue, declared } of entries) {
    for (const token of declared.largest ? [] : declared.tokens) {
      const owner = contractOf(venue.holder, declared.address)
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
      wanted.set(`${owner}:${token}`, { to: token, data })
    }
  }
  const results = wanted.size > 0 ? await reader.call([...wanted.values()]) : []
  return new Map(
    [...wanted.keys()].map((key, index) => [key, ((readWord(results[index]) ?? 0n) * 3n) / 2n]),
  )
}

interface Quote {
  readonly amountIn: bigint
  /** Raw units; null where nothing comes out. */
  readonly amountOut: bigint | null
  /** What the node said where it lacks what the quote reads. */
  readonly unread: string | null
}

/** What is known of one direction of a pool. */
interface Sampling {
  readonly entry: DeclaredEntry
  readonly direction: Direction
  readonly quotes: readonly Quote[]
}

function directionsOf(entry: DeclaredEntry): Sampling[] {
  const { tokens } = entry.declared
  return tokens.flatMap((tokenIn) =>
    tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => ({ entry, direction: { tokenIn, tokenOut }, quotes: [] })),
  )
}

/** Quotes further sizes, all in one read. */
async function quoteSizes(
  reader: StateReader,
  samplings: readonly Sampling[],
  sizesOf: (sampling: Sampling) => readonly bigint[],
): Promise<Sampling[]> {
  const wanted = samplings.map((sampling) => ({ sampling, sizes: sizesOf(sampling) }))
  const calls = wanted.map(({ sampling: { entry, direction }, sizes }) =>
    sizes.map((amountIn) => quoteCall(entry, direction, amountIn)),
  )
  const answers = await readAll(reader, calls)
  return zip(wanted, answers).map(([{ sampling, sizes }, own]) => {
    const quotes = zip(sizes, own).map(([amountIn, answer]): Quote => {
      const amountOut = quotedAmount(sampling.entry.venue, answer)
      const isUnread = !answer.ok && answer.reason === 'unreadable'
      return {
        amountIn,
        amountOut: amountOut !== null && amountOut > 0n ? amountOut : null,
        unread: isUnread ? answer.message : null,
      }
    })
    return { ...sampling, quotes: [...sampling.quotes, ...quotes] }
  })
}

function largestOf(
  { entry: { venue, declared }, direction: { tokenIn } }: Sampling,
  largest: ReadonlyMap<string, bigint>,
): bigint {
  const stated = declared.largest?.[declared.tokens.indexOf(tokenIn)]
  if (stated !== undefined) return BigInt(stated)
  return largest.get(`${contractOf(venue.holder, declared.address)}:${tokenIn}`) ?? 0n
}

/** Sizes between the largest that gives something and the next that does not: how much a pool takes at most shows there. */
function edgeSizes({ quotes }: Sampling): bigint[] {
  const good = quotes.reduce(
    (most, { amountIn, amountOut }) => (amountOut === null ? most : larger(most, amountIn)),
    0n,
  )
  const [bad] = quotes
    .map(({ amountIn }) => amountIn)
    .filter((amountIn) => amountIn > good)
    .sort(compareAmounts)
  if (good === 0n || bad === undefined) return []
  const sizes = Array.from(
    { length: edgeQuotes },
    (_, k) => good + ((bad - good) * BigInt(k + 1)) / BigInt(edgeQuotes + 1),
  )
  return [...new Set(sizes)].filter((size) => size > good)
}

/** Descending, without zeros. */
function geometric(largest: bigint): bigint[] {
  return Array.from({ length: sizes }, (_, k) => largest / sizeRatio ** BigInt(k)).filter(
    (size) => size > 0n,
  )
}

/** The call that quotes an amount. */
export function quoteCall(
  { venue, declared }: DeclaredEntry,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): ReadCall {
  const { quote, quoteAbi } = venue
  const names = { ...namesOf(declared, tokenIn, tokenOut), amountIn }
  const args = argumentValues(quoteAbi.inputs, quote.args, names)
  return {
    to: contractOf(quote.contract, declared.address),
    data: encodeFunctionData({ abi: [quoteAbi], functionName: quoteAbi.name, args }),
    gas: BigInt(quote.gasLimit),
  }
}

/** Raw units; null where the call failed, or did not return what its signature says. */
export function quotedAmount(
  { quote, quoteAbi }: Venue,
  result: ReadResult | undefined,
): bigint | null {
  if (!result?.ok) return null
  let value: unknown
  try {
    value = decodeFunctionResult({
      abi: [quoteAbi],
      functionName: quoteAbi.name,
      data: result.value,
    })
  } catch {
    return null
  }
  if (quoteAbi.outputs.length === 1) value = [value]
  for (const index of quote.output) value = Object.values(Object(value))[index]
  if (typeof value !== 'bigint' && typeof value !== 'number') return null
  return quote.negated ? -BigInt(value) : BigInt(value)
}

function curvesOf(samplings: readonly Sampling[]): ReadonlyMap<string, Curve> {
  const curves = new Map<string, Curve>()
  for (const { direction, quotes } of samplings) {
    const samples = quotes.flatMap(({ amountIn, amountOut }): Sample[] =>
      amountOut === null ? [] : [{ amountIn, amountOut }],
    )
    if (samples.length > 0) curves.set(directionKey(direction), concaveCurve(samples))
  }
  return curves
}

export function contractOf(stated: Address | 'pool', pool: Address): Address {
  return stated === 'pool' ? pool : stated
}

function unreadable(pool: Pool, message: string): Unreadable {
  return { protocol: declaredSlug, subject: pool.id, message }
}
