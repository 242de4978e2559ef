/**
 * The summary of hindsight over blocks: results by venue, how far ours is above theirs, and sandwiches. Blocks come one by
 * one and are not kept; kept are one number per swap and measure, for the quantiles, and the worst swaps.
 */
import type {
  Hindsight,
  HindsightBlock,
  NoOwnSwap,
  OwnSwap,
  TouchedPool,
  Verdict,
} from '../domain/hindsight.js'
import type { Address, Hex } from '../domain/primitives.js'
import { type Distribution, distributionOf } from './sample.js'

/** Swaps by what our transaction behind the transactions before theirs came to. */
export interface Results extends Record<Verdict, number> {
  /** We have a transaction, and gas cannot be valued in the token. */
  readonly unvalued: number
  /** We have none. */
  readonly withoutOurs: number
}

export interface SwapGroup extends Results {
  readonly swaps: number
  /** Ours over theirs after the gas of both, basis points; null without any. */
  readonly netBps: Distribution | null
}

/** One swap, to be looked at. */
export interface NamedSwap {
  readonly blockNumber: number
  readonly hash: Hex
  readonly venue: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly netBps: number | null
}

export interface SandwichedSwap extends NamedSwap {
  readonly attacker: Address
  /** Raw units of tokenOut; null: not known. */
  readonly loss: bigint | null
  readonly lossBps: number | null
}

export interface HindsightSummary {
  /** Blocks with results, and the first and last of them; null without any. */
  readonly blocks: number
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  readonly transactions: number
  readonly reverted: number
  readonly all: SwapGroup
  /** By the venues that a swap went through together; the most swaps first. */
  readonly venues: readonly (SwapGroup & { readonly venue: string })[]
  /** How many swaps have a netBps from each bound up to the next; the first have less than any bound. */
  readonly netBpsCounts: readonly Count[]
  /** The swaps where ours is furthest below theirs, worst first. */
  readonly worst: readonly NamedSwap[]
  readonly sandwiches: {
    readonly swaps: number
    readonly lossBps: Distribution | null
    readonly lossBpsCounts: readonly Count[]
    /** That lost most, first. */
    readonly worst: readonly SandwichedSwap[]
  }
  readonly warnings: readonly string[]
}

export interface Count {
  /** Null: less than every other. */
  readonly fromBps: number | null
  readonly swaps: number
}

/** Up to 0.1 bps is a tie, and -0.1 itself is one, so the bucket of ties begins there. */
const netBounds = [-100, -30, -10, -3, -1, -0.1, 0.11, 1, 3, 10, 30, 100]
const lossBounds = [1, 3, 10, 30, 100, 300, 1_000]
const mostNamed = 100
const mostWarnings = 100

export interface HindsightSummariser {
  add(block: HindsightBlock): void
  finish(): HindsightSummary
}

export function createHindsightSummary(): HindsightSummariser {
  const all = createGroup()
  const venues = new Map<string, Group>()
  const worst = createWorst<NamedSwap>(({ netBps }) => netBps)
  const sandwiched = createWorst<SandwichedSwap>(({ lossBps }) =>
    lossBps === null ? null : -lossBps,
  )
  const losses: number[] = []
  const warnings: string[] = []
  const blocks: number[] = []
  const totals = { transactions: 0, reverted: 0, sandwiches: 0 }

  function addSwap(one: Hindsight): void {
    const named = nameOf(one)
    if (!named) return
    const own = one.atItsPlace
    const group = venues.get(named.venue) ?? createGroup()
    venues.set(named.venue, group)
    for (const each of [all, group]) addTo(each, own)
    if (named.netBps !== null && named.netBps < 0) worst.add(named)
    if (!one.sandwich) return
    const { attacker, loss, lossBps } = one.sandwich
    totals.sandwiches += 1
    sandwiched.add({ ...named, attacker, loss, lossBps })
    if (lossBps !== null) losses.push(lossBps)
  }

  return {
    add(block) {
      blocks.push(Number(block.blockNumber))
      if (warnings.length < mostWarnings) warnings.push(...block.warnings)
      totals.transactions += block.transactions.length
      for (const one of block.transactions) {
        if (one.status === 'reverted') totals.reverted += 1
        addSwap(one)
      }
    },
    finish: () => ({
      blocks: blocks.length,
      firstBlock: blocks[0] ?? null,
      lastBlock: blocks.at(-1) ?? null,
      transactions: totals.transactions,
      reverted: totals.reverted,
      all: summarised(all),
      venues: [...venues]
        .map(([venue, group]) => ({ venue, ...summarised(group) }))
        .sort((a, b) => b.swaps - a.swaps || (a.venue < b.venue ? -1 : 1)),
      netBpsCounts: countsOf(all.netBps, netBounds),
      worst: worst.first(),
      sandwiches: {
        swaps: totals.sandwiches,
        lossBps: distributionOf(losses),
        lossBpsCounts: countsOf(losses, lossBounds),
        worst: sandwiched.first(),
      },
      warnings,
    }),
  }
}

/** The venues of these pools, each once; a pool of no venue of the chain is `unknown`. */
export function venueOf(through: readonly TouchedPool[]): string {
  const names = new Set(through.map(({ protocol }) => protocol ?? 'unknown'))
  return [...names].sort().join(', ') || 'unknown'
}

interface Group {
  readonly results: Record<keyof Results, number>
  readonly netBps: number[]
}

function createGroup(): Group {
  return { results: { won: 0, tied: 0, lost: 0, unvalued: 0, withoutOurs: 0 }, netBps: [] }
}

function addTo({ results, netBps }: Group, own: OwnSwap | NoOwnSwap | null): void {
  if (!own || 'code' in own) {
    results.withoutOurs += 1
    return
  }
  results[own.result ?? 'unvalued'] += 1
  if (own.netBps !== null) netBps.push(own.netBps)
}

function summarised({ results, netBps }: Group): SwapGroup {
  const swaps = Object.values(results).reduce((sum, one) => sum + one, 0)
  return { swaps, ...results, netBps: distributionOf(netBps) }
}

/** Null: it is no swap. */
function nameOf({ blockNumber, hash, through, swap, atItsPlace }: Hindsight): NamedSwap | null {
  if (!swap) return null
  return {
    blockNumber: Number(blockNumber),
    hash,
    venue: venueOf(through),
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    netBps: atItsPlace && !('code' in atItsPlace) ? atItsPlace.netBps : null,
  }
}

/** Keeps those with the least figure; what has none comes last. Equal ones stay in the order in which they came. */
function createWorst<T>(figureOf: (item: T) => number | null) {
  let kept: T[] = []
  const rank = (item: T) => figureOf(item) ?? Number.POSITIVE_INFINITY
  const first = () => kept.toSorted((a, b) => compare(rank(a), rank(b))).slice(0, mostNamed)
  return {
    add(item: T): void {
      kept.push(item)
      if (kept.length > 2 * mostNamed) kept = first()
    },
    first,
  }
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function countsOf(values: readonly number[], bounds: readonly number[]): Count[] {
  return [null, ...bounds].map((fromBps, index) => {
    const below = bounds[index] ?? Number.POSITIVE_INFINITY
    const least = fromBps ?? Number.NEGATIVE_INFINITY
    return { fromBps, swaps: values.filter((value) => value >= least && value < below).length }
  })
}
