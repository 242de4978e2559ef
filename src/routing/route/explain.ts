/**
 * The record of a search for a route: filled while it runs, with what was found, proven and left out. Nothing is
 * calculated for it a second time.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import {
  type CandidateHop,
  type CandidateRecord,
  distinct,
  type Explanation,
  explanationFields,
  mostCandidates,
  mostRefused,
  type RefusedPool,
} from '../../domain/explanation.js'
import { at } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import { wrappedNativeSlug } from '../../domain/route-step.js'
import type { SimulationSuccess } from '../../domain/state.js'
import { poolKey, poolName } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { gasInToken, type PricedToken } from '../market/valuation.js'
import { type Flow, sharesOf } from '../search/flow.js'
import { type Attempt, type Built, costOf, needsNoTrust, unreadableReason } from './built.js'

interface LeftOut {
  readonly flow: Flow
  readonly step: NonNullable<CandidateRecord['step']>
  readonly reason: string
}

export class RouteLog {
  readonly #attempts: Attempt[] = []
  readonly #left = new Map<string, LeftOut>()
  readonly #failed = new Map<Flow, string>()
  readonly #refused: RefusedPool[] = []
  readonly #considered = new Set<string>()
  #priced: ReadonlyMap<Address, PricedToken> = new Map()
  #found: {
    readonly proven: readonly Attempt<SimulationSuccess>[]
    readonly answer: Attempt<SimulationSuccess>
  } | null = null

  constructor(private readonly task: Task) {}

  /** Takes the prices that value gas in tokenOut. */
  pricedBy(priced: ReadonlyMap<Address, PricedToken>): void {
    this.#priced = priced
  }

  /** Candidates that were simulated. */
  attempted(attempts: readonly Attempt[]): void {
    this.#attempts.push(...attempts)
  }

  /** Forgets what a search left out that is made again with more state of the pools. */
  restart(): void {
    this.#left.clear()
  }

  /** @param proven - best first. */
  chose(answer: Attempt<SimulationSuccess>, proven: readonly Attempt<SimulationSuccess>[]): void {
    this.#found = { answer, proven }
  }

  /** A candidate that is not simulated. Of several reasons the first counts. */
  leftOut(flow: Flow, step: LeftOut['step'], reason: string): void {
    if (!this.#left.has(flow.key)) this.#left.set(flow.key, { flow, step, reason })
  }

  /** A candidate that works and fails as the final transaction. */
  failed(flow: Flow, reason: string): void {
    this.#failed.set(flow, reason)
  }

  refused(pools: readonly RefusedPool[]): void {
    this.#refused.push(...pools)
  }

  considered(pools: readonly MarketPool[]): void {
    for (const { loaded } of pools) this.#considered.add(poolKey(loaded.pool))
  }

  /** What is known so far: also of a search that ended with an error. */
  explain(): Explanation {
    const { answer, proven = [] } = this.#found ?? {}
    const worthOf: WorthOf = (built, outputs, gasUsed) =>
      valueAfterGas(this.task, this.#priced, outputs, costOf(this.task, built, gasUsed))
    const chosen = proven.find(({ built }) => built.candidate === answer?.built.candidate)
    const bar = chosen ? worthOf(chosen.built, chosen.outputs, chosen.result.gasUsed) : null
    const ranks = new Map(proven.map(({ built }, index) => [built.candidate, index]))
    const placed = this.#attempts.map((attempt) => {
      const { candidate } = attempt.built
      const record =
        answer && candidate === answer.built.candidate
          ? {
              ...measured(answer.built, answer.outputs, answer.result.gasUsed, worthOf),
              status: 'chosen' as const,
            }
          : this.#tried(attempt, worthOf, bar)
      const rank = ranks.get(candidate) ?? proven.length
      return { record, place: [order.indexOf(record.status), rank] as const }
    })
    placed.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1])
    const tried = new Set(this.#attempts.map(({ built }) => built.candidate.key))
    const left = [...this.#left.values()].filter(({ flow }) => !tried.has(flow.key))
    const candidates = [
      ...placed.map(({ record }) => record),
      ...left.map(({ flow, step, reason }) => skipped(flow, step, reason)),
    ]
    const refused = distinct(this.#refused)
    return {
      candidates: candidates.slice(0, mostCandidates),
      omittedCandidates: Math.max(0, candidates.length - mostCandidates),
      pools: {
        considered: [...this.#considered].sort(),
        refused: refused.slice(0, mostRefused),
        omitted: Math.max(0, refused.length - mostRefused),
      },
    }
  }

  /** @param bar - what the chosen candidate was worth when it was compared. */
  #tried(
    { built, result, outputs: paid }: Attempt,
    worthOf: WorthOf,
    bar: bigint | null,
  ): CandidateRecord {
    const {
      candidate,
      order: { inputs, outputs },
    } = built
    if (result === null) return skipped(candidate, 'simulate', 'the deadline was reached')
    if (result.status === 'unreadable') {
      return { ...unmeasured(candidate), status: 'unreadable', reason: unreadableReason }
    }
    const { gasUsed } = result
    if (result.status === 'reverted') {
      const { reason } = result
      return { ...unmeasured(candidate), gas: gasUsed, status: 'reverted', reason }
    }
    const record = measured(built, paid, gasUsed, worthOf)
    const failure = this.#failed.get(candidate)
    if (failure !== undefined) {
      const reason = `as the final transaction: ${failure}`
      return { ...record, status: 'reverted', reason }
    }
    if (paid.some(({ amount }) => amount <= 0n)) {
      return { ...record, reason: 'it pays nothing of an output' }
    }
    const isBetter = bar !== null && record.valueAfterGas !== null && record.valueAfterGas > bar
    const named = new Set([...inputs, ...outputs].map(({ token }) => token))
    return isBetter && !needsNoTrust(candidate, named)
      ? { ...record, reason: 'it leads through a pool whose code nobody vouches for' }
      : record
  }
}

/** With what the stages of the task took so far, in milliseconds, where the request asks for that. */
export function asAsked(
  explanation: Explanation,
  { explain }: Pick<RouteRequest, 'explain'>,
  { clock }: Pick<Task, 'clock'>,
): Explanation {
  if (explain !== 'timed') return explanation
  const inMilliseconds = ([stage, seconds]: [string, number]) => [
    stage,
    Math.round(seconds * 1e5) / 100,
  ]
  return {
    ...explanation,
    times: Object.fromEntries(Object.entries(clock.stages).map(inMilliseconds)),
  }
}

/** The error with what is known of the search that it ended; as it is where nothing was searched. */
export function withExplanation(error: unknown, explanation: Explanation | undefined): unknown {
  if (!(error instanceof ForkrouteError) || !explanation) return error
  const { candidates, pools } = explanation
  if (!candidates.length && !pools.considered.length && !pools.refused.length) return error
  const details = { ...error.details, explanation: explanationFields(explanation) }
  return new ForkrouteError(error.code, error.messages ?? error.message, details)
}

type WorthOf = (built: Built, outputs: readonly TokenAmount[], gasUsed: bigint) => bigint | null

const order: readonly CandidateRecord['status'][] = [
  'chosen',
  'measured',
  'reverted',
  'unreadable',
  'skipped',
]

/**
 * Null without prices, and with several outputs.
 * @param costWei - of gas, and of the bytes on L1.
 */
export function valueAfterGas(
  task: Task,
  priced: ReadonlyMap<Address, PricedToken>,
  outputs: readonly TokenAmount[],
  costWei: bigint,
): bigint | null {
  if (outputs.length > 1) return null
  const { token, amount } = at(outputs, 0)
  const gas = gasInToken(task.chain, priced, token, costWei)
  return gas === null ? null : amount - gas
}

function unmeasured(flow: Flow) {
  return {
    path: pathOf(flow),
    estimatedAmountOut: flow.amountOut,
    amountsOut: null,
    gas: null,
    valueAfterGas: null,
  }
}

function measured(
  built: Built,
  paid: readonly TokenAmount[],
  gas: bigint,
  worthOf: WorthOf,
): CandidateRecord {
  return {
    ...unmeasured(built.candidate),
    amountsOut: paid.map(({ amount }) => amount),
    gas,
    valueAfterGas: worthOf(built, paid, gas),
    status: 'measured',
  }
}

function skipped(flow: Flow, step: LeftOut['step'], reason: string): CandidateRecord {
  return { ...unmeasured(flow), status: 'skipped', step, reason }
}

function pathOf({ edges }: Flow): CandidateHop[] {
  const shares = sharesOf(edges)
  return edges.map(({ hop }, index) => ({
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    ...(hop.kind === 'swap'
      ? { protocol: hop.market.adapter.slug, pool: poolName(hop.market.loaded.pool) }
      : { protocol: wrappedNativeSlug }),
    share: shares[index] ?? 0,
  }))
}
