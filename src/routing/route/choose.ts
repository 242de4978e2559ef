/**
 * Chooses the answer among the proven candidates, and builds the final transaction with its real minimum.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, larger, zip } from '../../domain/lists.js'
import {
  type Address,
  type BlockPin,
  bpsDenominator,
  bpsOf,
  defaultCentiBps,
  lessSlippage,
  type TokenAmount,
} from '../../domain/primitives.js'
import type { SimulationRequest, SimulationSuccess } from '../../domain/state.js'
import { walletGas } from '../../forks/block-environment.js'
import type { Simulator } from '../block/simulator.js'
import type { Task } from '../block/task.js'
import { gasInToken, netValue, type PricedToken } from '../market/valuation.js'
import type { Flow } from '../search/flow.js'
import {
  type Attempt,
  costOf,
  describe,
  type EntryPoint,
  needsNoTrust,
  through,
  toSimulation,
  unreadableReason,
} from './built.js'

/** Steps may take this much more gas than plain swaps: the detour over an Executor, and its deployment. */
const otherWayGas = 200_000n

/** How many of the best candidates may fail as the final transaction before the request fails. */
export const finalAttempts = 3

/** A route that has to trust a stranger's code must be worth this much more than one that does not; see `rank`. */
const trustBps = 5n

/**
 * The best first, by what it is worth after gas and the L1 data fee; on equal values the fewest steps. A route through pools that are not
 * verified comes after those through verified ones, unless it is worth more than 5 bps more than the best of them.
 */
export function rank(
  task: Pick<Task, 'chain' | 'gasPrice'>,
  attempts: readonly Attempt[],
  priced: ReadonlyMap<Address, PricedToken>,
): Attempt<SimulationSuccess>[] {
  const proven = attempts.flatMap((attempt) => {
    const { result, outputs } = attempt
    const isPaid = outputs.every(({ amount }) => amount > 0n)
    return result?.status === 'success' && isPaid ? [{ ...attempt, result }] : []
  })
  return rankProven(task, proven, priced)
}

/**
 * How much more the best pays than the best single path, before gas, basis points; null where no single path was
 * proven, or there are several outputs.
 */
export function improvementBps(ranked: readonly Attempt<SimulationSuccess>[]): number | null {
  const [best] = ranked
  if (best?.outputs.length !== 1 || best.built.taken.length !== 1) return null
  const amountOf = ({ outputs: [output] }: Attempt<SimulationSuccess>) => output?.amount ?? 0n
  const [single] = ranked
    .filter(({ built }) => !built.candidate.isSplit)
    .map(amountOf)
    .sort((a, b) => (a > b ? -1 : 1))
  if (!single) return null
  return Math.max(0, bpsOf(amountOf(best) - single, single))
}

/** `rank` of what is known already. */
export function rankProven(
  task: Pick<Task, 'chain' | 'gasPrice'>,
  proven: readonly Attempt<SimulationSuccess>[],
  priced: ReadonlyMap<Address, PricedToken>,
): Attempt<SimulationSuccess>[] {
  const value = (one: Attempt<SimulationSuccess>) => {
    const cost = costOf(task, one.built, one.result.gasUsed)
    const gas = gasInToken(task.chain, priced, one.outputs[0]?.token, cost)
    return netValue(one.outputs, gas, priced)
  }
  const values = new Map(proven.map((one) => [one, value(one)]))
  const honest = new Set(
    proven.filter(({ built: { candidate, taken, order } }) =>
      needsNoTrust(candidate, new Set([...taken, ...order.outputs].map(({ token }) => token))),
    ),
  )
  const bar = enoughForTrust([...honest].map((one) => values.get(one) ?? 0n))
  const isLast = (one: Attempt<SimulationSuccess>) =>
    bar !== null && !honest.has(one) && (values.get(one) ?? 0n) <= bar
  return proven.toSorted((a, b) => {
    if (isLast(a) !== isLast(b)) return isLast(a) ? 1 : -1
    const [x = 0n, y = 0n] = [values.get(a), values.get(b)]
    if (x !== y) return x > y ? -1 : 1
    const steps = a.built.plan.steps.length - b.built.plan.steps.length
    if (steps !== 0) return steps
    return a.built.candidate.key < b.built.candidate.key ? -1 : 1
  })
}

/** The value that a route through unverified pools must exceed; null where there is no other. */
function enoughForTrust(honest: readonly bigint[]): bigint | null {
  const [best] = [...honest].sort((a, b) => (a > b ? -1 : 1))
  if (best === undefined) return null
  const size = best < 0n ? -best : best
  return best + (size * trustBps) / bpsDenominator
}

/** What a final transaction is simulated with. */
export interface FinalSimulation {
  readonly pin: BlockPin
  /** Wei per gas. */
  readonly gasPrice: bigint
  readonly simulator: Pick<Simulator, 'simulate'>
}

export async function finalise(
  task: FinalSimulation,
  args: {
    request: RouteRequest
    /** Told of each candidate that works and fails as the final transaction. */
    onFailed?: (candidate: Flow, reason: string) => void
  },
  proven: readonly Attempt<SimulationSuccess>[],
): Promise<Attempt<SimulationSuccess>> {
  const { request } = args
  const failed: Failure[] = []
  for (const best of meetingMinimums(request, proven).slice(0, finalAttempts)) {
    const done = await asPromised(task, request, best)
    if ('outputs' in done) return done
    args.onFailed?.(best.built.candidate, done.reason)
    failed.push(done)
  }
  throw belowMinimum(request, proven, failed) ?? failsAsFinal(failed)
}

export type Failure = ReturnType<typeof describe>

/**
 * As the final transaction whose minimum is that of what it gives itself. Code of others may give more with the gas of a wallet
 * than it gave before, and what was promised of that would be protected by the minimum of less.
 */
async function asPromised(
  task: FinalSimulation,
  request: RouteRequest,
  best: Attempt<SimulationSuccess>,
): Promise<Attempt<SimulationSuccess> | Failure> {
  const done = await asFinal(task, request, best)
  if (!('outputs' in done) || isProtected(request, done)) return done
  const again = await asFinal(task, request, { ...best, outputs: done.outputs })
  if (!('outputs' in again) || isProtected(request, again)) return again
  return describe(best.built.candidate, 'it gives another amount each time')
}

/** Whether the transaction gives no less than its outputs less the slippage. */
function isProtected(request: RouteRequest, { built, outputs }: Attempt): boolean {
  const minimums = minimumsOf(request, outputs)
  return zip(built.order.outputs, minimums).every(
    ([{ minAmountOut }, { amount }]) => minAmountOut >= amount,
  )
}

/**
 * The candidate as exactly the transaction that is returned, by the entry point that is cheapest after gas and the L1 data
 * fee; or why that fails.
 */
export async function asFinal(
  task: FinalSimulation,
  request: RouteRequest,
  best: Attempt<SimulationSuccess>,
): Promise<Attempt<SimulationSuccess> | Failure> {
  const minimums = minimumsOf(request, best.outputs)
  const order = {
    ...best.built.order,
    outputs: minimums.map(({ token, amount }) => ({ token, minAmountOut: amount })),
  }
  const measure = order.outputs.map(({ token }) => ({ token, owner: order.receiver }))
  // Which entry point is cheaper is measured, with the very transactions.
  const points = new Set<EntryPoint>([best.built.entryPoint, 'execute'])
  const ways = [...points].map((point) => through({ ...best.built, order }, request, point))
  const simulations = ways.map((one): SimulationRequest => {
    const more = one.entryPoint === best.built.entryPoint ? 0n : otherWayGas
    const gasLimit = walletGas(task.pin, best.result.gasUsed + more)
    return { ...toSimulation(one, request), measure, gasLimit, logsNative: true }
  })
  const results = await task.simulator.simulate(simulations)
  const done = ways.flatMap((built, index) => {
    const [result, simulation] = [results[index], at(simulations, index)]
    return result?.status === 'success' ? [{ built, result, simulation }] : []
  })
  const [chosen] = done.toSorted((a, b) => compare(task, a, b))
  if (chosen) {
    const outputs = chosen.result.deltas.map(({ token, amount }) => ({ token, amount }))
    return { ...chosen, outputs }
  }
  const [result] = results
  const reason = result?.status === 'reverted' ? result.reason : unreadableReason
  return describe(best.built.candidate, reason)
}

export function failsAsFinal(failed: readonly Failure[]): ForkrouteError {
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    `The best route found fails as the final transaction: ${failed[0]?.reason}.`,
    { candidates: failed, next: [{ parameter: 'explain', value: 'true' }] },
  )
}

/** Where the caller's minimum is more than any candidate gives; null where one gives it. */
function belowMinimum(
  { limit }: RouteRequest,
  proven: readonly Attempt<SimulationSuccess>[],
  failed: readonly Failure[],
): ForkrouteError | null {
  if (limit.kind === 'slippage') return null
  const most = limit.minimums.map(({ token, amount: minimum }, index) => {
    const amounts = proven.map(({ outputs }) => outputs[index]?.amount ?? 0n)
    return { token, minimum, amount: amounts.reduce(larger, 0n) }
  })
  const missed = most.find(({ amount, minimum }) => amount < minimum)
  if (!missed || !proven.length) return null
  const { token, amount, minimum } = missed
  const value = most.map((one) => lessSlippage(one.amount, defaultCentiBps)).join()
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    `The best route found gives ${amount} of ${token}, less than minAmountOut, ${minimum}. Ask for less, or give slippage in place of minAmountOut.`,
    {
      candidates: failed,
      token,
      amountOut: amount.toString(),
      minAmountOut: minimum.toString(),
      next: [
        { parameter: 'minAmountOut', value },
        { parameter: 'minAmountOut', value: null },
      ],
    },
  )
}

type Final = Pick<Attempt<SimulationSuccess>, 'built' | 'result'>

/** More of the first output, then the cheaper transaction, then less gas, which may cost nothing. */
function compare(task: FinalSimulation, a: Final, b: Final): number {
  const [x, y] = [a.result.deltas[0]?.amount ?? 0n, b.result.deltas[0]?.amount ?? 0n]
  if (x !== y) return x > y ? -1 : 1
  const [cost, other] = [a, b].map(({ built, result }) => costOf(task, built, result.gasUsed))
  return Number((cost ?? 0n) - (other ?? 0n) || a.result.gasUsed - b.result.gasUsed)
}

/** Candidates that reach the caller's minimums, even if others are worth more after gas; all when none does. */
function meetingMinimums(
  { limit }: RouteRequest,
  proven: readonly Attempt<SimulationSuccess>[],
): readonly Attempt<SimulationSuccess>[] {
  if (limit.kind === 'slippage') return proven
  const meeting = proven.filter(({ outputs }) =>
    zip(outputs, limit.minimums).every(([{ amount }, minimum]) => amount >= minimum.amount),
  )
  return meeting.length ? meeting : proven
}

/** The caller's minimums; else floor(amountOut * (10_000 - slippage) / 10_000), slippage with two decimals. */
function minimumsOf(
  { limit }: RouteRequest,
  outputs: readonly TokenAmount[],
): readonly TokenAmount[] {
  if (limit.kind === 'minimum') return limit.minimums
  const { centiBps } = limit
  return outputs.map(({ token, amount }) => ({ token, amount: lessSlippage(amount, centiBps) }))
}
