/**
 * Pools whose hooks no list names, classed by running swaps: of three sizes in every direction, by two senders, at two
 * times, and one after the other.
 *
 * exact: every amount is that of the pool without hooks. steady: amounts are others, and the same each time; a curve is
 * sampled. changing: they differ by sender, time or order. closed: no swap succeeds. The last two are left out.
 */
import type { ChainDefinition } from '../../../chains/chain.js'
import { nextBlockTime } from '../../../domain/changes/what-if.js'
import { defined } from '../../../domain/defined.js'
import type { HooksClass, HooksFinding } from '../../../domain/hooks.js'
import { at, larger, zip } from '../../../domain/lists.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../../domain/state.js'
import type { Pool, Unreadable } from '../../pool.js'
import type { Direction, LoadedPool, Swap } from '../../protocol.js'
import {
  type Ask,
  curvesOf,
  directionKey,
  type Quoted,
  type SampledDirection,
  type SampledState,
  sampleAll,
  sampledSwap,
} from '../sampled/sample.js'
import { gasOfSwap, type PoolSwap, type SwapResult, type Viewpoint } from './quoter.js'

/** What running the hooks has told. */
export interface HooksRun {
  /** The most that a swap took. */
  readonly gas: bigint
  /** Null: the pool's own math tells what it gives. */
  readonly sampled: SampledState | null
  /** Keys of the directions that were run; absent: all. The others swap nothing, as nobody knows what they give. */
  readonly directions?: ReadonlySet<string>
}

/** Of a pool without hooks, or with listed ones, `run` is absent. */
export type WithHooks<State> = State & { readonly run?: HooksRun }

/** A swap by the curve that was sampled, or nothing where the direction was not run; null: the pool's own math tells it. */
export function swapOfRun<State>(
  state: WithHooks<State>,
  direction: Direction,
  amountIn: bigint,
): Swap<WithHooks<State>> | null {
  const { run } = state
  if (run?.directions && !run.directions.has(directionKey(direction))) {
    return { amountOut: 0n, exact: true, after: () => state }
  }
  if (!run?.sampled) return null
  const { amountOut, exact, after } = sampledSwap(run.sampled, direction, amountIn)
  return { amountOut, exact, after: () => ({ ...state, run: { ...run, sampled: after() } }) }
}

/** What the hooks of a pool are, and how much is tried. */
export interface HookedPool {
  readonly contract: Address
  readonly codeHash: Hex | null
  /** The largest amounts that are quoted, raw units by the places of the tokens. */
  readonly largest: readonly bigint[]
  /** The pairs of tokens that are run, in both orders, by their places; absent: all. */
  readonly pairs?: readonly (readonly [number, number])[]
}

/** What a protocol says of its pools with hooks. */
export interface HooksQuoter<State> {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  /** In the order of the pools. */
  describe(pools: readonly LoadedPool<State>[]): Promise<readonly HookedPool[]>
  /** Each row of swaps starts in the state of the block; its swaps follow each other. */
  quoteCall(pool: Pool, rows: readonly (readonly PoolSwap[])[], viewpoint: Viewpoint): ReadCall
  /** By row; null where one of its swaps fails. */
  quotedRows(value: Hex): readonly (readonly SwapResult[] | null)[]
  /** What swaps in a row give without hooks; null: not all are served; undefined: not known, as it is beyond what was read. */
  withoutHooks(state: State, swaps: readonly PoolSwap[]): readonly bigint[] | null | undefined
  /**
   * What the second of two equal swaps gives where the first gave so much for another fee; null: nothing. Absent: fees stay out of what
   * the pool swaps with.
   */
  secondAfter?(state: State, swap: PoolSwap, first: bigint): bigint | null
}

/** Parts of the largest amount that are tried: 5%, 0.2% and 0.008% of what a constant product would have. */
const probedParts = [27n, 729n, 19_683n]
/** What may be another amount than before, by rounding or a rate that creeps. */
const toleranceBps = 1n
const bps = 10_000n
/** What twelve directions take: three sizes of each, the largest twice in a row, and as one swap. */
const mostSwapsOfCall = 72
/** The second time at which hooks are asked, after the first. */
const laterSeconds = 3_600n

/** The pools in the order given, each as it may be used, or why it is left out. */
export async function runHooks<State>(
  args: HooksQuoter<State>,
  pools: readonly LoadedPool<State>[],
): Promise<(LoadedPool<WithHooks<State>> | Unreadable)[]> {
  if (pools.length === 0) return []
  const probes = await probeAll(args, pools)
  const steady = probes.filter((probe) => probe.finding?.class === 'steady')
  const sampled = await sample(args, steady)
  return probes.map((probe): LoadedPool<WithHooks<State>> | Unreadable => {
    const { loaded, finding, gas, unread } = probe
    const { pool, state, partial } = loaded
    const { protocol, id: subject } = pool
    if (!finding) return { protocol, subject, message: unread ?? 'Its hooks were not run.' }
    if (finding.reason !== null) {
      return { protocol, subject, message: finding.reason, isLeftOut: true, finding }
    }
    const curves = sampled.get(probe) ?? null
    const run = { gas, sampled: curves, ...defined({ directions: triedOf(probe) }) }
    return { pool, state: { ...state, run }, partial: partial || curves !== null, finding }
  })
}

interface Probe<State> {
  readonly loaded: LoadedPool<State>
  readonly largest: readonly bigint[]
  readonly pairs?: HookedPool['pairs']
  readonly gas: bigint
  /** Null: it could not be read. */
  readonly finding: HooksFinding | null
  /** What the node said where it lacks what the hooks read. */
  readonly unread: string | null
}

/** A pool with the amounts that are tried of each token, the largest first. */
interface Subject<State> extends HookedPool {
  readonly loaded: LoadedPool<State>
  readonly amounts: readonly (readonly bigint[])[]
}

async function probeAll<State>(
  args: HooksQuoter<State>,
  pools: readonly LoadedPool<State>[],
): Promise<Probe<State>[]> {
  const described = await args.describe(pools)
  const subjects = zip(pools, described).map(([loaded, hooked]) => toSubject(loaded, hooked))
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
  return seen.map(([subject, [a, b]]): Probe<State> => {
    const { loaded, largest, pairs } = subject
    const place = moved.indexOf(subject)
    const views = place < 0 ? [a, b] : [a, b, at(byTime, place), at(bySender, place)]
    const unread = views.flatMap((view) => (typeof view === 'string' ? view : []))[0] ?? null
    const answers = views.flatMap((view) => (typeof view === 'string' ? [] : [view]))
    const finding = unread === null ? findingOf(args, subject, answers) : null
    return { loaded, largest, ...defined({ pairs }), gas: mostGas(answers[0]), finding, unread }
  })
}

function timesOf({
  reader,
  chain,
}: Pick<HooksQuoter<unknown>, 'reader' | 'chain'>): readonly [bigint, bigint] {
  const now = nextBlockTime(reader.block, chain.blockTimeSeconds)
  return [now, now + laterSeconds]
}

function toSubject<State>(loaded: LoadedPool<State>, hooked: HookedPool): Subject<State> {
  const partsOf = (most: bigint) => probedParts.map((part) => most / part).filter((one) => one > 0n)
  return { ...hooked, loaded, amounts: hooked.largest.map(partsOf) }
}

/** All pairs of tokens that are run, in both orders, by their places. */
function directionsOf({
  loaded: { pool },
  pairs,
}: Pick<Probe<unknown>, 'loaded' | 'pairs'>): Omit<PoolSwap, 'amountIn'>[] {
  if (pairs) {
    return pairs.flatMap(([a, b]) => [
      { tokenIn: a, tokenOut: b },
      { tokenIn: b, tokenOut: a },
    ])
  }
  const places = pool.tokens.map((_, place) => place)
  return places.flatMap((tokenIn) =>
    places.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : [{ tokenIn, tokenOut }])),
  )
}

/** Undefined where these are all directions of the pool. */
function triedOf(probe: Pick<Probe<unknown>, 'loaded' | 'pairs'>): ReadonlySet<string> | undefined {
  const { tokens } = probe.loaded.pool
  if (!probe.pairs) return undefined
  return new Set(directionsOf(probe).map((each) => directionKey(namedBy(tokens, each))))
}

function namedBy(
  tokens: readonly Address[],
  { tokenIn, tokenOut }: Omit<PoolSwap, 'amountIn'>,
): Direction {
  return { tokenIn: at(tokens, tokenIn), tokenOut: at(tokens, tokenOut) }
}

function singleRows(subject: Subject<unknown>): PoolSwap[][] {
  return directionsOf(subject).flatMap((direction) =>
    at(subject.amounts, direction.tokenIn).map((amountIn) => [{ ...direction, amountIn }]),
  )
}

/** Besides, the largest of each direction twice in a row, and as one swap. */
function allRows(subject: Subject<unknown>): PoolSwap[][] {
  const rows = directionsOf(subject).flatMap((direction) => {
    const [amountIn] = at(subject.amounts, direction.tokenIn)
    if (amountIn === undefined) return []
    const swap = { ...direction, amountIn }
    return [[swap, swap], [{ ...direction, amountIn: 2n * amountIn }]]
  })
  return [...singleRows(subject), ...rows]
}

/** What one viewpoint saw, by row: what each swap gave, null where it was refused or took another amount. */
interface View {
  readonly rows: readonly (readonly SwapResult[] | null)[]
}

/** A text: what the node said where it lacks what the hooks read. */
async function ask<State>(
  args: HooksQuoter<State>,
  subjects: readonly Subject<State>[],
  rowsOf: (subject: Subject<State>) => PoolSwap[][],
  viewpoint: Viewpoint,
): Promise<(View | string)[]> {
  const parts = subjects.map((subject) => inParts(rowsOf(subject)))
  const calls = zip(subjects, parts).flatMap(([{ loaded }, own]) =>
    own.map((rows) => args.quoteCall(loaded.pool, rows, viewpoint)),
  )
  const results = await args.reader.call(calls)
  let next = 0
  return parts.map((own) => joined(own.map((rows) => viewOf(args, at(results, next++), rows))))
}

/** So many that the swaps of one part are no more than all of a pool of four tokens, as one call has gas for. */
function inParts(rows: readonly PoolSwap[][]): PoolSwap[][][] {
  const parts: PoolSwap[][][] = [[]]
  let swaps = 0
  for (const row of rows) {
    if (swaps + row.length > mostSwapsOfCall) {
      parts.push([])
      swaps = 0
    }
    parts.at(-1)?.push(row)
    swaps += row.length
  }
  return parts
}

function joined(views: readonly (View | string)[]): View | string {
  const unread = views.find((view) => typeof view === 'string')
  return unread ?? { rows: views.flatMap((view) => (typeof view === 'string' ? [] : view.rows)) }
}

function viewOf<State>(
  { quotedRows }: HooksQuoter<State>,
  result: ReadResult,
  wanted: readonly (readonly PoolSwap[])[],
): View | string {
  if (!result.ok && result.reason === 'unreadable') return result.message
  const rows = result.ok ? quotedRows(result.value) : wanted.map(() => null)
  return { rows: zip(wanted, rows).map(([swaps, row]) => (isServed(swaps, row) ? row : null)) }
}

function isServed(swaps: readonly PoolSwap[], row: readonly SwapResult[] | null): boolean {
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
function isMoved(subject: Subject<unknown>, a: View | string, b: View | string): boolean {
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
function findingOf<State>(
  args: HooksQuoter<State>,
  subject: Subject<State>,
  [first, other, byTime, bySender]: readonly View[],
): HooksFinding {
  const found = (name: HooksClass, reason: string | null = null): HooksFinding => {
    const { contract, codeHash } = subject
    return { class: name, reason, contract, codeHash }
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
  if (!isOrderless(args, subject, first)) {
    return found('changing', 'what its hooks give changes with the order of swaps in a block')
  }
  return found(isPlain(args, subject, first, other) ? 'exact' : 'steady')
}

/** Whether every amount, also of the second of two swaps, is that of the pool without hooks, as far as this is known. */
function isPlain<State>(
  { withoutHooks }: HooksQuoter<State>,
  subject: Subject<State>,
  first: View,
  other: View,
): boolean {
  let isKnown = false
  const isEqual = (swaps: readonly PoolSwap[], row: readonly SwapResult[] | null | undefined) => {
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

/**
 * Whether the second of two swaps gets what the first one explains: as much less than the first as without hooks, what the fee of the
 * first leaves, or both together as much as one swap of both amounts.
 */
function isOrderless<State>(
  { withoutHooks, secondAfter }: HooksQuoter<State>,
  subject: Subject<State>,
  { rows }: View,
): boolean {
  return allRows(subject).every((swaps, k) => {
    if (swaps.length < 2) return true
    const [pair, whole] = [rows[k], rows[k + 1]]
    if (!pair) return !whole
    const [one, two] = pair.map(({ amountOut }) => amountOut)
    if (one === undefined || two === undefined) return true
    const [before, after] = withoutHooks(subject.loaded.state, swaps) ?? []
    if (before !== undefined && after !== undefined && isNear(two * before, one * after))
      return true
    const { state } = subject.loaded
    const expected = secondAfter?.(state, at(swaps, 0), one) ?? null
    if (expected !== null && isNear(two, expected)) return true
    const together = whole?.[0]?.amountOut
    return together === undefined ? before === undefined : isNear(one + two, together)
  })
}

/** A curve in both directions of each pool. */
async function sample<State>(
  args: HooksQuoter<State>,
  probes: readonly Probe<State>[],
): Promise<ReadonlyMap<Probe<State>, SampledState>> {
  const wanted = probes.flatMap((probe) =>
    directionsOf(probe).map((each): SampledDirection<Probe<State>> => {
      const direction = namedBy(probe.loaded.pool.tokens, each)
      return { subject: probe, direction, largest: at(probe.largest, each.tokenIn) }
    }),
  )
  const samplings = await sampleAll(askAmounts(args), wanted)
  return new Map(
    probes.map((probe) => [probe, curvesOf(samplings.filter(({ subject }) => subject === probe))]),
  )
}

/** All sizes of a direction are one call. */
function askAmounts<State>(args: HooksQuoter<State>): Ask<Probe<State>> {
  const [timestamp] = timesOf(args)
  return async (wanted) => {
    const rows = wanted.map(({ subject, direction, sizes }) => {
      const { pool } = subject.loaded
      const [tokenIn, tokenOut] = [direction.tokenIn, direction.tokenOut].map((token) =>
        pool.tokens.indexOf(token),
      ) as [number, number]
      return { pool, swaps: sizes.map((amountIn) => [{ tokenIn, tokenOut, amountIn }]) }
    })
    const asked = rows.filter(({ swaps }) => swaps.length > 0)
    const results = await args.reader.call(
      asked.map(({ pool, swaps }) => args.quoteCall(pool, swaps, { sender: 0, timestamp })),
    )
    const answers = new Map(zip(asked, results))
    return rows.map((row) => {
      const result = answers.get(row)
      return result ? quotesOf(viewOf(args, result, row.swaps), row.swaps) : []
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
