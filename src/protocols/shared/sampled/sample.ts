/**
 * Curves of pools whose amounts only calls tell: quotes of geometric sizes in each direction, and more of them where larger
 * sizes give nothing. In a few rounds of reads for all pools together.
 */
import { compareAmounts, larger, zip } from '../../../domain/lists.js'
import type { Direction, Swap } from '../../protocol.js'
import { type Curve, concaveCurve, outputOf, type Sample } from './curve.js'

const sizes = 13
const sizeRatio = 3n
/** A smallest size that takes more than this part of all that a pool pays tells nothing of smaller ones. */
const smallPart = 1_000n
const coarseQuotes = 12
const coarseRatio = 27n
/** Where larger sizes give nothing: rounds of further quotes, and how many of a direction are in each. */
const edgeRounds = 4
const edgeQuotes = 6

/** What one quote told. */
export interface Quoted {
  /** Raw units; null where nothing comes out. */
  readonly amountOut: bigint | null
  /** What the node said where it lacks what the quote reads. */
  readonly unread: string | null
}

interface Quote extends Quoted {
  readonly amountIn: bigint
}

/** What is known of one direction of a pool. */
export interface Sampling<Subject> {
  readonly subject: Subject
  readonly direction: Direction
  readonly quotes: readonly Quote[]
}

/** A direction of a pool with the largest amount that is quoted, raw units. */
export interface SampledDirection<Subject> {
  readonly subject: Subject
  readonly direction: Direction
  readonly largest: bigint
  /** Whether it is quoted again where all sizes exhaust it; absent: it is not. */
  readonly byDepth?: boolean
}

/** Quotes all sizes of all directions in one read, in the order asked. */
export type Ask<Subject> = (
  wanted: readonly {
    readonly subject: Subject
    readonly direction: Direction
    readonly sizes: readonly bigint[]
  }[],
) => Promise<readonly (readonly Quoted[])[]>

/** What a pool gives, as far as it was quoted, and what the swaps of a search have taken of it. */
export interface SampledState {
  /** By `directionKey`; a direction that could not be quoted has none. */
  readonly curves: ReadonlyMap<string, Curve>
  /** By `directionKey`: what earlier swaps of the same search have put in, raw units. */
  readonly spent: ReadonlyMap<string, bigint>
}

export function directionKey({ tokenIn, tokenOut }: Direction): string {
  return `${tokenIn}>${tokenOut}`
}

/** In the order of the directions. */
export async function sampleAll<Subject>(
  ask: Ask<Subject>,
  directions: readonly SampledDirection<Subject>[],
): Promise<Sampling<Subject>[]> {
  const none = directions.map(({ subject, direction }) => ({ subject, direction, quotes: [] }))
  let samplings = await further(
    ask,
    none,
    directions.map(({ largest }) => geometric(largest)),
  )
  const isDeep = directions.map(({ byDepth = false }) => byDepth)
  for (const sizesOf of [coarseSizes, fineSizes]) {
    const wanted = zip(samplings, isDeep).map(([one, is]) => (is ? sizesOf(one) : []))
    if (wanted.some((own) => own.length > 0)) samplings = await further(ask, samplings, wanted)
  }
  for (let round = 0; round < edgeRounds; round++) {
    samplings = await further(ask, samplings, samplings.map(edgeSizes))
  }
  return samplings
}

/** Far below the smallest size, where that takes more than a small part of what the pool pays at most. */
function coarseSizes({ quotes }: Sampling<unknown>): bigint[] {
  const smallest = smallestOf(quotes)
  if (!smallest || smallest.amountOut * smallPart < mostOut(quotes)) return []
  return Array.from(
    { length: coarseQuotes },
    (_, k) => smallest.amountIn / coarseRatio ** BigInt(k + 1),
  ).filter((size) => size > 0n)
}

/** Below the smallest size that exhausts the pool, where coarse sizes found it. */
function fineSizes({ quotes }: Sampling<unknown>): bigint[] {
  if (quotes.length <= sizes) return []
  const most = mostOut(quotes)
  const exhausting = quotes.filter(({ amountOut }) => (amountOut ?? 0n) * 10n >= most * 9n)
  const top = smallestOf(exhausting)
  return top ? geometric(top.amountIn) : []
}

interface Paid {
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** The smallest size that gives something. */
function smallestOf(quotes: readonly Quote[]): Paid | null {
  return quotes.reduce<Paid | null>(
    (best, { amountIn, amountOut }) =>
      amountOut === null || (best && best.amountIn <= amountIn) ? best : { amountIn, amountOut },
    null,
  )
}

function mostOut(quotes: readonly Quote[]): bigint {
  return quotes.reduce((most, { amountOut }) => larger(most, amountOut ?? 0n), 0n)
}

async function further<Subject>(
  ask: Ask<Subject>,
  samplings: readonly Sampling<Subject>[],
  sizesOf: readonly (readonly bigint[])[],
): Promise<Sampling<Subject>[]> {
  const wanted = zip(samplings, sizesOf).map(([{ subject, direction }, own]) => {
    return { subject, direction, sizes: own }
  })
  const answers = await ask(wanted)
  return zip(zip(samplings, sizesOf), answers).map(([[sampling, own], quoted]) => {
    const quotes = zip(own, quoted).map(([amountIn, { amountOut, unread }]): Quote => {
      return {
        amountIn,
        amountOut: amountOut !== null && amountOut > 0n ? amountOut : null,
        unread,
      }
    })
    return { ...sampling, quotes: [...sampling.quotes, ...quotes] }
  })
}

/** Sizes between the largest that gives something and the next that does not: how much a pool takes at most shows there. */
function edgeSizes({ quotes }: Sampling<unknown>): bigint[] {
  const good = quotes.reduce(
    (most, { amountIn, amountOut }) => (amountOut === null ? most : larger(most, amountIn)),
    0n,
  )
  const [bad] = quotes
    .map(({ amountIn }) => amountIn)
    .filter((amountIn) => amountIn > good)
    .sort(compareAmounts)
  if (good === 0n || bad === undefined) return []
  const between = Array.from(
    { length: edgeQuotes },
    (_, k) => good + ((bad - good) * BigInt(k + 1)) / BigInt(edgeQuotes + 1),
  )
  return [...new Set(between)].filter((size) => size > good)
}

/** Descending, without zeros. */
function geometric(largest: bigint): bigint[] {
  return Array.from({ length: sizes }, (_, k) => largest / sizeRatio ** BigInt(k)).filter(
    (size) => size > 0n,
  )
}

export function curvesOf(samplings: readonly Sampling<unknown>[]): SampledState {
  const curves = new Map<string, Curve>()
  for (const { direction, quotes } of samplings) {
    const samples = quotes.flatMap(({ amountIn, amountOut }): Sample[] =>
      amountOut === null ? [] : [{ amountIn, amountOut }],
    )
    if (samples.length > 0) curves.set(directionKey(direction), concaveCurve(samples))
  }
  return { curves, spent: new Map() }
}

/** What the node said of the first quote that it could not read. */
export function unreadQuote(samplings: readonly Sampling<unknown>[]): string | null {
  return (
    samplings.flatMap(({ quotes }) => quotes).find(({ unread }) => unread !== null)?.unread ?? null
  )
}

/** A swap in the state: always an estimate. */
export function sampledSwap<State extends SampledState>(
  state: State,
  direction: Direction,
  amountIn: bigint,
): Swap<State> {
  const key = directionKey(direction)
  const curve = state.curves.get(key) ?? []
  const spent = state.spent.get(key) ?? 0n
  const amountOut = amountIn > 0n ? outputOf(curve, spent + amountIn) - outputOf(curve, spent) : 0n
  return {
    amountOut,
    exact: false,
    after: () => ({ ...state, spent: new Map(state.spent).set(key, spent + amountIn) }),
  }
}
