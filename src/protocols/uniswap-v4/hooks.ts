/**
 * Pools whose hooks no list names, classed by running swaps: of three sizes in both directions, by two senders, at two
 * times, and one after the other.
 *
 * exact: every amount is that of the pool without hooks. steady: amounts are others, and the same each time; a curve is
 * sampled. changing: they differ by sender, time or order. closed: no swap succeeds. The last two are left out.
 */
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import type { HooksClass, HooksFinding } from '../../domain/hooks.js'
import { at, larger, zip } from '../../domain/lists.js'
import { type Hex, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { nextBlockTime } from '../../domain/what-if.js'
import type { Unreadable } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { type ConcentratedState, concentratedSwap } from '../shared/concentrated/swap.js'
import {
  type Ask,
  curvesOf,
  type Quoted,
  type SampledDirection,
  type SampledState,
  sampleAll,
} from '../shared/sampled/sample.js'
import { hooksOf } from './pool-key.js'
import {
  gasOfSwap,
  heldAmounts,
  holdingsCall,
  quoteCall,
  quotedRows,
  type SwapResult,
  type Viewpoint,
  type WantedSwap,
} from './quoter.js'

/** What running the hooks has told. */
export interface HooksRun {
  /** The most that a swap took. */
  readonly gas: bigint
  /** Null: the pool's own math tells what it gives. */
  readonly sampled: SampledState | null
}

/** Of a pool without hooks, or with listed ones, `run` is absent. */
export type V4State = ConcentratedState & { readonly run?: HooksRun }

interface Args {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
}

type Loaded = LoadedPool<ConcentratedState>

/** Parts of the largest amount that are tried: 5%, 0.2% and 0.008% of what a constant product would have. */
const probedParts = [27n, 729n, 19_683n]
/** What may be another amount than before, by rounding or a rate that creeps. */
const toleranceBps = 1n
const bps = 10_000n
/** The second time at which hooks are asked, after the first. */
const laterSeconds = 3_600n

const directions = [true, false] as const

/** The pools in the order given, each as it may be used, or why it is left out. */
export async function runHooks(
  args: Args,
  pools: readonly Loaded[],
): Promise<(LoadedPool<V4State> | Unreadable)[]> {
  const probes = await probeAll(args, pools)
  const steady = probes.filter((probe) => probe.finding?.class === 'steady')
  const sampled = await sample(args, steady)
  return probes.map((probe): LoadedPool<V4State> | Unreadable => {
    const { loaded, finding, gas, unread } = probe
    const { pool, state, partial } = loaded
    const { protocol, id: subject } = pool
    if (!finding) return { protocol, subject, message: unread ?? 'Its hooks were not run.' }
    if (finding.reason !== null) {
      return { protocol, subject, message: finding.reason, isLeftOut: true, finding }
    }
    const curves = sampled.get(probe) ?? null
    const run = { gas, sampled: curves }
    return { pool, state: { ...state, run }, partial: partial || curves !== null, finding }
  })
}

interface Probe {
  readonly loaded: Loaded
  /** The largest amounts of token0 and token1 that are quoted, raw units. */
  readonly largest: readonly [bigint, bigint]
  readonly gas: bigint
  /** Null: it could not be read. */
  readonly finding: HooksFinding | null
  /** What the node said where it lacks what the hooks read. */
  readonly unread: string | null
}

/** A pool with the amounts of token0 and token1 that are tried, the largest first. */
interface Subject {
  readonly loaded: Loaded
  readonly codeHash: Hex | null
  readonly largest: readonly [bigint, bigint]
  readonly amounts: readonly [readonly bigint[], readonly bigint[]]
}

async function probeAll(args: Args, pools: readonly Loaded[]): Promise<Probe[]> {
  const { reader, venue } = args
  const held = await reader.call(pools.map(({ pool }) => holdingsCall(venue, pool)))
  const subjects = zip(pools, held).map(([loaded, result]) => toSubject(loaded, result))
  const [now, later] = timesOf(args)
  const [first, other] = await Promise.all([
    ask(args, subjects, allRows, { sender: 0, timestamp: now }),
    ask(args, subjects, singleRows, { sender: 1, timestamp: later }),
  ])
  const seen = zip(subjects, zip(first, other))
  // Which of the two it was is asked only where both together made a difference.
  const moved = seen
    .filter(([subject, [a, b]]) => isMoved(subject, a, b))
    .map(([subject]) => subject)
  const [byTime, bySender] = await Promise.all([
    ask(args, moved, singleRows, { sender: 0, timestamp: later }),
    ask(args, moved, singleRows, { sender: 1, timestamp: now }),
  ])
  return seen.map(([subject, [a, b]]): Probe => {
    const { loaded, largest } = subject
    const place = moved.indexOf(subject)
    const views = place < 0 ? [a, b] : [a, b, at(byTime, place), at(bySender, place)]
    const unread = views.flatMap((view) => (typeof view === 'string' ? view : []))[0] ?? null
    const answers = views.flatMap((view) => (typeof view === 'string' ? [] : [view]))
    const finding = unread === null ? findingOf(subject, answers) : null
    return { loaded, largest, gas: mostGas(answers[0]), finding, unread }
  })
}

function timesOf({ reader, chain }: Args): readonly [bigint, bigint] {
  const now = nextBlockTime(reader.block, chain.blockTimeSeconds)
  return [now, now + laterSeconds]
}

/** Half as much again as a constant product at the pool's price and what the hooks hold. */
function toSubject(loaded: Loaded, result: ReadResult): Subject {
  const { codeHash, held } = heldAmounts(result)
  const { sqrtPriceX96, liquidity } = loaded.state
  const reserves: readonly [bigint, bigint] =
    sqrtPriceX96 === 0n
      ? [0n, 0n]
      : [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n]
  const [most0, most1] = [0, 1].map((side) => ((at(reserves, side) + at(held, side)) * 3n) / 2n)
  const largest = [most0 ?? 0n, most1 ?? 0n] as const
  const partsOf = (most: bigint) => probedParts.map((part) => most / part).filter((one) => one > 0n)
  return { loaded, codeHash, largest, amounts: [partsOf(largest[0]), partsOf(largest[1])] }
}

function singleRows({ amounts }: Subject): WantedSwap[][] {
  return directions.flatMap((zeroForOne) =>
    amountsOf(amounts, zeroForOne).map((amountIn) => [{ zeroForOne, amountIn }]),
  )
}

/** Besides, the largest of each direction twice in a row, and as one swap. */
function allRows(subject: Subject): WantedSwap[][] {
  const rows = directions.flatMap((zeroForOne) => {
    const [amountIn] = amountsOf(subject.amounts, zeroForOne)
    if (amountIn === undefined) return []
    const swap = { zeroForOne, amountIn }
    return [[swap, swap], [{ zeroForOne, amountIn: 2n * amountIn }]]
  })
  return [...singleRows(subject), ...rows]
}

function amountsOf(amounts: Subject['amounts'], zeroForOne: boolean): readonly bigint[] {
  return amounts[zeroForOne ? 0 : 1]
}

/** What one viewpoint saw, by row: what each swap gave, null where it was refused or took another amount. */
interface View {
  readonly rows: readonly (readonly SwapResult[] | null)[]
}

/** A text: what the node said where it lacks what the hooks read. */
async function ask(
  { reader, venue }: Args,
  subjects: readonly Subject[],
  rowsOf: (subject: Subject) => WantedSwap[][],
  viewpoint: Viewpoint,
): Promise<(View | string)[]> {
  const calls = subjects.map((subject) =>
    quoteCall(venue, subject.loaded.pool, rowsOf(subject), viewpoint),
  )
  const results = await reader.call(calls)
  return zip(subjects, results).map(([subject, result]) => viewOf(result, rowsOf(subject)))
}

function viewOf(result: ReadResult, wanted: readonly (readonly WantedSwap[])[]): View | string {
  if (!result.ok && result.reason === 'unreadable') return result.message
  const rows = result.ok ? quotedRows(result.value) : wanted.map(() => null)
  return { rows: zip(wanted, rows).map(([swaps, row]) => (isServed(swaps, row) ? row : null)) }
}

function isServed(swaps: readonly WantedSwap[], row: readonly SwapResult[] | null): boolean {
  if (row?.length !== swaps.length) return false
  return zip(swaps, row).every(
    ([{ amountIn }, { spent, amountOut }]) => spent === amountIn && amountOut > 0n,
  )
}

function mostGas(view: View | undefined): bigint {
  const all = view?.rows.flatMap((row) => row ?? []) ?? []
  return all.reduce((most, { gasUsed }) => larger(most, gasUsed), 0n)
}

/** Whether two viewpoints saw other amounts. */
function isMoved(subject: Subject, a: View | string, b: View | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return false
  return singleRows(subject).some((_, row) => !isAlike(amountAt(a, row), amountAt(b, row)))
}

function amountAt({ rows }: View, row: number): bigint | null {
  return rows[row]?.[0]?.amountOut ?? null
}

function isAlike(a: bigint | null, b: bigint | null): boolean {
  if (a === null || b === null) return a === b
  return isNear(a, b)
}

function isNear(a: bigint, b: bigint): boolean {
  const apart = a > b ? a - b : b - a
  return apart * bps <= larger(a, b) * toleranceBps
}

/** @param views - by the first and the second viewpoint; where they differ, by time alone and by sender alone, too. */
function findingOf(
  subject: Subject,
  [first, other, byTime, bySender]: readonly View[],
): HooksFinding {
  const found = (name: HooksClass, reason: string | null = null): HooksFinding => {
    const contract = hooksOf(subject.loaded.pool) ?? zeroAddress
    return { class: name, reason, contract, codeHash: subject.codeHash }
  }
  if (!first || !other) return found('closed', 'its hooks were not run')
  const views = [first, other, byTime, bySender].flatMap((view) => view ?? [])
  if (views.every(({ rows }) => rows.every((row) => row === null))) {
    return found('closed', `no swap with its hooks succeeds with ${gasOfSwap} gas`)
  }
  if (byTime && bySender) {
    const causes = [
      ...(isMoved(subject, first, bySender) ? ['the sender'] : []),
      ...(isMoved(subject, first, byTime) ? ['the time'] : []),
    ]
    const cause = causes.join(' and ') || 'the sender and the time together'
    return found('changing', `what its hooks give changes with ${cause}`)
  }
  if (!isOrderless(subject, first)) {
    return found('changing', 'what its hooks give changes with the order of swaps in a block')
  }
  return found(isPlain(subject, first, other) ? 'exact' : 'steady')
}

/** Whether every amount, also of the second of two swaps, is that of the pool without hooks, as far as this is known. */
function isPlain(subject: Subject, first: View, other: View): boolean {
  let isKnown = false
  const isEqual = (swaps: readonly WantedSwap[], row: readonly SwapResult[] | null | undefined) => {
    const math = withoutHooks(subject.loaded.state, swaps)
    if (math === undefined) return true
    isKnown ||= math !== null
    return math === null || !row
      ? math === null && !row
      : math.every((amount, k) => amount === row[k]?.amountOut)
  }
  const areEqual =
    allRows(subject).every((swaps, k) => isEqual(swaps, first.rows[k])) &&
    singleRows(subject).every((swaps, k) => isEqual(swaps, other.rows[k]))
  return areEqual && isKnown
}

/** What swaps in a row give without hooks; null: not all are served; undefined: not known, as it is beyond what was read. */
function withoutHooks(
  from: ConcentratedState,
  swaps: readonly WantedSwap[],
): readonly bigint[] | null | undefined {
  let state = from
  const amounts: bigint[] = []
  for (const { zeroForOne, amountIn } of swaps) {
    const swap = concentratedSwap(state, zeroForOne, amountIn)
    if (!swap.exact) return undefined
    if (swap.unspent > 0n || swap.amountOut === 0n) return null
    amounts.push(swap.amountOut)
    state = swap.after()
  }
  return amounts
}

/**
 * Whether the second of two swaps gets what the first one explains: as much less than the first as without hooks, or both
 * together as much as one swap of both amounts.
 */
function isOrderless(subject: Subject, { rows }: View): boolean {
  return allRows(subject).every((swaps, k) => {
    if (swaps.length < 2) return true
    const [pair, whole] = [rows[k], rows[k + 1]]
    if (!pair) return !whole
    const [one, two] = pair.map(({ amountOut }) => amountOut)
    if (one === undefined || two === undefined) return true
    const [before, after] = withoutHooks(subject.loaded.state, swaps) ?? []
    if (before !== undefined && after !== undefined && isNear(two * before, one * after))
      return true
    const together = whole?.[0]?.amountOut
    return together === undefined ? before === undefined : isNear(one + two, together)
  })
}

/** A curve in both directions of each pool. */
async function sample(
  args: Args,
  probes: readonly Probe[],
): Promise<ReadonlyMap<Probe, SampledState>> {
  const wanted = probes.flatMap((probe) =>
    directions.map((zeroForOne): SampledDirection<Probe> => {
      const { tokens } = probe.loaded.pool
      const [tokenIn, tokenOut] = [at(tokens, zeroForOne ? 0 : 1), at(tokens, zeroForOne ? 1 : 0)]
      const largest = probe.largest[zeroForOne ? 0 : 1]
      return { subject: probe, direction: { tokenIn, tokenOut }, largest }
    }),
  )
  const samplings = await sampleAll(askAmounts(args), wanted)
  return new Map(
    probes.map((probe) => [probe, curvesOf(samplings.filter(({ subject }) => subject === probe))]),
  )
}

/** All sizes of a direction are one call. */
function askAmounts(args: Args): Ask<Probe> {
  const { reader, venue } = args
  const [timestamp] = timesOf(args)
  return async (wanted) => {
    const rows = wanted.map(({ subject, direction, sizes }) => {
      const zeroForOne = direction.tokenIn === subject.loaded.pool.tokens[0]
      return {
        pool: subject.loaded.pool,
        swaps: sizes.map((amountIn) => [{ zeroForOne, amountIn }]),
      }
    })
    const asked = rows.filter(({ swaps }) => swaps.length > 0)
    const results = await reader.call(
      asked.map(({ pool, swaps }) => quoteCall(venue, pool, swaps, { sender: 0, timestamp })),
    )
    const answers = new Map(zip(asked, results))
    return rows.map((row) => {
      const result = answers.get(row)
      return result ? quotesOf(viewOf(result, row.swaps), row.swaps) : []
    })
  }
}

function quotesOf(view: View | string, swaps: readonly unknown[]): Quoted[] {
  return swaps.map((_, row) =>
    typeof view === 'string'
      ? { amountOut: null, unread: view }
      : { amountOut: amountAt(view, row), unread: null },
  )
}
