/** Two answers to one trade after gas, and what all trades come to. Pure. */
import { quantile } from '../section.js'
import type { Verdict } from './judge.js'
import type { Trade } from './trades.js'

/** Less than this is a tie, basis points of our output, or of our input where the output is stated. */
export const tieBps = 0.1

/**
 * What one side promised, and what its transaction comes to. One that was asked again because its first transaction could
 * not be judged has both, why and what the later one delivered.
 */
export interface Side extends Verdict {
  /** Raw units of tokenOut, before gas. */
  readonly promised: bigint
}

/** Null: no answer. */
export interface Match {
  readonly trade: Trade
  readonly ours: Side | null
  readonly theirs: Side | null
  /** The code of the error that we gave, where that is no answer. */
  readonly noAnswer?: string
  /** Ours with `MAX_HOPS=4`, where the peer leads. */
  readonly fourHops?: Side | null
}

/**
 * @returns what the peer has more than we have, or spends less, basis points of our output or input before gas; null where
 *   either delivers nothing.
 */
export function leadBps({ ours, theirs }: Match): number | null {
  if (!ours?.delivered?.compared || !theirs?.delivered) return null
  return bps(theirs.delivered.net - ours.delivered.net, ours.delivered.compared)
}

/** What a side promised above what it delivered, basis points of that; null where it delivered nothing. */
export function excessBps(side: Side | null): number | null {
  if (!side?.delivered?.amountOut) return null
  const { promised, delivered } = side
  return bps(promised - delivered.amountOut, delivered.amountOut)
}

function bps(part: bigint, whole: bigint): number {
  return Number((part * 10n ** 8n) / whole) / 10 ** 4
}

export interface Score {
  /** By the peer. */
  readonly wins: number
  readonly ties: number
  readonly losses: number
  readonly onlyOurs: number
  readonly onlyTheirs: number
  readonly neither: number
  /** Trades where either side's transaction cannot be judged; they count nowhere else. */
  readonly unjudged: number
  /** Of the peer's lead. */
  readonly medianBps: number
  readonly worstBps: number
  readonly bestBps: number
}

/**
 * Why the trade cannot be judged, for each side whose transaction cannot; empty where it can. Where the peer was asked again,
 * what it wins or ties counts; its loss does not, since its first transaction may have been the better one.
 */
export function unjudgedOf(match: Match) {
  const { ours, theirs } = match
  const lead = leadBps(match)
  const isHeld = lead === null ? !ours?.delivered : lead >= -tieBps
  if (theirs?.delivered && !ours?.unjudged && isHeld) return []
  const sides = [
    ['ours', ours],
    ["the peer's", theirs],
  ] as const
  return sides.flatMap(([whose, side]) =>
    side?.unjudged ? [{ whose, why: side.unjudged.map(({ name }) => name).join(', ') }] : [],
  )
}

export function scoreOf(all: readonly Match[]): Score {
  const matches = all.filter((match) => unjudgedOf(match).length === 0)
  const leads = matches
    .map(leadBps)
    .filter((lead) => lead !== null)
    .sort((a, b) => a - b)
  const count = (isCounted: (ours: boolean, theirs: boolean) => boolean) =>
    matches.filter(({ ours, theirs }) =>
      isCounted(ours?.delivered != null, theirs?.delivered != null),
    ).length
  return {
    wins: leads.filter((lead) => lead > tieBps).length,
    ties: leads.filter((lead) => Math.abs(lead) <= tieBps).length,
    losses: leads.filter((lead) => lead < -tieBps).length,
    onlyOurs: count((ours, theirs) => ours && !theirs),
    onlyTheirs: count((ours, theirs) => !ours && theirs),
    neither: count((ours, theirs) => !ours && !theirs),
    unjudged: all.length - matches.length,
    medianBps: quantile(leads, 0.5),
    worstBps: leads[0] ?? 0,
    bestBps: leads.at(-1) ?? 0,
  }
}

/** Where the peer leads, or has the only answer; the largest lead first. */
export function lostTo(matches: readonly Match[]): Match[] {
  const order = (match: Match) => leadBps(match) ?? Infinity
  return matches
    .filter((match) => unjudgedOf(match).length === 0)
    .filter((match) => {
      const lead = leadBps(match)
      return lead === null ? !match.ours?.delivered && match.theirs?.delivered : lead > tieBps
    })
    .sort((a, b) => (order(a) === order(b) ? 0 : order(b) - order(a)))
}

export interface Kept {
  readonly answers: number
  /** To the unit. */
  readonly exact: number
  readonly reverted: number
  /** By more than a tie. */
  readonly tooHigh: number
  readonly worstBps: number
}

/** How a side's promises compare with what was delivered; what cannot be judged is left out. */
export function promisesOf(sides: readonly (Side | null)[]): Kept {
  const given = sides.filter((side) => side !== null).filter(({ unjudged }) => !unjudged)
  const excess = given.map(excessBps).filter((each) => each !== null)
  return {
    answers: given.length,
    exact: given.filter(({ promised, delivered }) => promised === delivered?.amountOut).length,
    reverted: given.filter(({ delivered }) => !delivered).length,
    tooHigh: excess.filter((each) => each > tieBps).length,
    worstBps: Math.max(0, ...excess),
  }
}
