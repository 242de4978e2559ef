/**
 * Which of the proven candidates is the answer, and the final transaction with its real minimum.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { type Address, lessSlippage } from '../../domain/primitives.js'
import { buildTransaction, decodeAmountsOut } from '../../executor/compile.js'
import type { TaskRun } from '../context/task-context.js'
import { gasInToken, netValue, type PricedToken } from '../market/valuation.js'
import { type Built, describe, toSimulation, unreadableReason } from './built.js'
import type { Attempt } from './prove.js'

/** How many of the best candidates may fail as the final transaction before the answer is an error. */
const finalAttempts = 3

export interface Proven extends Built {
  readonly amountsOut: readonly bigint[]
  readonly gasUsed: bigint
}

export function rank(
  run: TaskRun,
  attempts: readonly Attempt[],
  priced: ReadonlyMap<Address, PricedToken>,
): Proven[] {
  const proven: Proven[] = []
  for (const { built, result } of attempts) {
    if (result?.status !== 'success') continue
    const amountsOut = decodeAmountsOut(result.returnData)
    if (amountsOut.some((amount) => amount <= 0n)) continue
    proven.push({ ...built, amountsOut, gasUsed: result.gasUsed })
  }
  const value = (one: Proven) => {
    const gas = gasInToken(
      run.block.chain,
      priced,
      one.order.outputs[0]?.token,
      one.gasUsed * run.gasPrice,
    )
    return netValue(one.order.outputs, one.amountsOut, gas, priced)
  }
  const values = new Map(proven.map((one) => [one, value(one)]))
  return proven.sort((a, b) => {
    const [x = 0n, y = 0n] = [values.get(a), values.get(b)]
    if (x !== y) return x > y ? -1 : 1
    if (a.plan.steps.length !== b.plan.steps.length)
      return a.plan.steps.length - b.plan.steps.length
    return a.candidate.key < b.candidate.key ? -1 : 1
  })
}

export async function finalise(
  run: TaskRun,
  args: { request: RouteRequest },
  proven: readonly Proven[],
): Promise<{ answer: Proven; minAmountsOut: readonly bigint[] }> {
  const { request } = args
  const failed: ReturnType<typeof describe>[] = []
  for (const best of meetingMinimums(request, proven).slice(0, finalAttempts)) {
    const minAmountsOut =
      request.limit.kind === 'minimum'
        ? request.limit.minAmountsOut
        : minimums(best.amountsOut, request.limit.centiBps)
    const order = {
      ...best.order,
      outputs: best.order.outputs.map(({ token }, index) => ({
        token,
        minAmountOut: minAmountsOut[index] ?? 0n,
      })),
    }
    const tx = buildTransaction({ strategy: request.strategy, from: request.fromAddress, order })
    const measure = order.outputs.map(({ token }) => ({ token, owner: order.receiver }))
    const [result] = await run.simulate([{ ...toSimulation({ ...best, tx }, request), measure }])
    if (result?.status === 'success') {
      const answer = { ...best, order, tx, amountsOut: result.deltas, gasUsed: result.gasUsed }
      return { answer, minAmountsOut }
    }
    const reason = result?.status === 'reverted' ? result.reason : unreadableReason
    failed.push(describe(best.candidate, reason))
  }
  throw new ForkrouteError(
    'SIMULATION_REVERTED',
    `The best route found fails as the final transaction: ${failed[0]?.reason}.`,
    { candidates: failed },
  )
}

/** Those that give the caller's minimums, though others may be worth more after gas; all when none does. */
function meetingMinimums({ limit }: RouteRequest, proven: readonly Proven[]): readonly Proven[] {
  if (limit.kind === 'slippage') return proven
  const meeting = proven.filter(({ amountsOut }) =>
    amountsOut.every((amount, index) => amount >= (limit.minAmountsOut[index] ?? 0n)),
  )
  return meeting.length ? meeting : proven
}

/** floor(amountOut * (10_000 - slippage) / 10_000), slippage with two decimals. */
function minimums(amountsOut: readonly bigint[], centiBps: bigint): bigint[] {
  return amountsOut.map((amount) => lessSlippage(amount, centiBps))
}
