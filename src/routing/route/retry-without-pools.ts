/**
 * Splits spread over many pools, so one pool that deviates from its math spoils them all; and none is found where one
 * path through such a pool promises more than all others. The simulated paths show which pools these are; without
 * them a split may still be the best.
 */
import { larger } from '../../domain/lists.js'
import { bpsDenominator } from '../../domain/primitives.js'
import type { SimulationResult } from '../../domain/state.js'
import type { MarketPool } from '../market/market-view.js'
import { type Flow, swapsOf } from '../search/flow.js'
import { type Attempt, needsNoTrust } from './built.js'

/** An output may fall this much short of its promise. */
const toleranceBps = 1n

/** What splits are searched again without. */
export interface Suspects {
  /** Empty: it is not searched again. */
  readonly pools: ReadonlySet<MarketPool>
  /**
   * A split over exact quotes alone kept its promise, and only estimates broke theirs: of exact quotes, fewer pools give
   * no better split.
   */
  readonly exactSplitsStand: boolean
}

/**
 * Pools of candidates that broke their promise, except those that a candidate that kept it uses too.
 * @param leftOut - pools that were searched without already. A candidate through one of them tells nothing more, nor does
 * a split found without them over estimates: what is known of its pools in part falls short without any deceit.
 * @returns None unless a candidate failed that promised more than every one that worked. Of single paths this counts
 * only where another candidate kept its promise: else the tokens themselves take a part, and no pool is to blame.
 */
export function suspectPools(
  attempts: readonly Attempt[],
  leftOut: ReadonlySet<MarketPool> = new Set(),
): Suspects {
  const kept = attempts.filter((attempt) => delivers(attempt))
  const broken = attempts.filter(
    (attempt) => attempt.result && !delivers(attempt) && tellsMore(attempt, leftOut),
  )
  const best = attempts.reduce((most, attempt) => larger(most, amountOut(attempt)), 0n)
  const missed = broken.filter(
    ({ built: { candidate } }) =>
      candidate.amountOut > best && (candidate.isSplit || kept.length > 0),
  )
  const isExactSplit = ({ built: { candidate } }: Attempt) => candidate.isSplit && candidate.exact
  const exactSplitsStand =
    kept.some(isExactSplit) && missed.every(({ built }) => !built.candidate.exact)
  if (!missed.length) return { pools: new Set(), exactSplitsStand }
  const poolsOf = (list: readonly Attempt[]) =>
    list.flatMap(({ built }) => swapsOf(built.candidate))
  const trusted = new Set(poolsOf(kept))
  const paths = broken.filter(({ built }) => !built.candidate.isSplit)
  const doubtful = poolsOf(paths).filter((pool) => !trusted.has(pool))
  // Where no path shows which pool it was, suspect those that no working candidate uses.
  const suspects = doubtful.length ? doubtful : poolsOf(broken).filter((pool) => !trusted.has(pool))
  return { pools: new Set([...leftOut, ...suspects]), exactSplitsStand }
}

function tellsMore({ built: { candidate } }: Attempt, leftOut: ReadonlySet<MarketPool>): boolean {
  if (!leftOut.size) return true
  const isEstimatedSplit = candidate.isSplit && !candidate.exact
  return !isEstimatedSplit && !swapsOf(candidate).some((pool) => leftOut.has(pool))
}

/**
 * Pools of which a candidate needed state that is not there, where it promised more than every one that worked. The
 * failed read names its contract; a pool that was readable for another candidate, of less, is among these, too.
 */
export function unreadablePools(attempts: readonly Attempt[]): ReadonlySet<MarketPool> {
  const best = mostPaid(attempts)
  return new Set(
    unreadableAbove(attempts, () => best).flatMap(({ built: { candidate }, result }) => {
      const message = result.message.toLowerCase()
      return swapsOf(candidate).filter(({ loaded }) => message.includes(loaded.pool.address))
    }),
  )
}

/**
 * Candidates that needed state that is not there, and promised more than every one that worked; those without code of
 * strangers more than every such one, since they rank first within some basis points.
 */
export function unreadableBest(attempts: readonly Attempt[]): Attempt<Unread>[] {
  if (attempts.every(({ result }) => result?.status !== 'unreadable')) return []
  const trusted = new Set(attempts.filter(isTrusted))
  const [best, bestTrusted] = [mostPaid(attempts), mostPaid([...trusted])]
  return unreadableAbove(attempts, (attempt) => (trusted.has(attempt) ? bestTrusted : best))
}

function mostPaid(attempts: readonly Attempt[]): bigint {
  return attempts.reduce((most, attempt) => larger(most, amountOut(attempt)), 0n)
}

function unreadableAbove(
  attempts: readonly Attempt[],
  paidBeside: (attempt: Attempt) => bigint,
): Attempt<Unread>[] {
  return attempts.filter(
    (attempt): attempt is Attempt<Unread> =>
      attempt.result?.status === 'unreadable' &&
      attempt.built.candidate.amountOut > paidBeside(attempt),
  )
}

function isTrusted({ built: { candidate, taken, order } }: Attempt): boolean {
  const named = [...taken, ...order.outputs].map(({ token }) => token)
  return needsNoTrust(candidate, new Set(named))
}

type Unread = Extract<SimulationResult, { readonly status: 'unreadable' }>

/** Whether it pays what its candidate promises. */
export function delivers(attempt: Attempt): boolean {
  const promised = attempt.built.candidate.amountOut
  return amountOut(attempt) * bpsDenominator >= promised * (bpsDenominator - toleranceBps)
}

function amountOut({ outputs: [output] }: Attempt): bigint {
  return output?.amount ?? 0n
}

/** Splits that are not among the known candidates. */
export function newSplits(candidates: readonly Flow[], known: readonly Flow[]): Flow[] {
  return newFlows(candidates, known).filter(({ isSplit }) => isSplit)
}

/** Candidates that are not among the known ones. */
export function newFlows(candidates: readonly Flow[], known: readonly Flow[]): Flow[] {
  const keys = new Set(known.map(({ key }) => key))
  return candidates.filter(({ key }) => !keys.has(key))
}
