/**
 * Chooses the answer among the proven candidates, and builds the final transaction with its real minimum.
 */
import type { TransactionOutput } from '../../domain/bundle.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import { type Address, lessSlippage, type TokenAmount } from '../../domain/primitives.js'
import { buildTransaction, decodeAmountsOut } from '../../executor/compile.js'
import { walletGas } from '../../forks/block-environment.js'
import type { TaskRun } from '../context/task-context.js'
import { gasInToken, netValue, type PricedToken } from '../market/valuation.js'
import { type Built, describe, toSimulation, unreadableReason } from './built.js'
import type { Attempt } from './prove.js'

/** How many of the best candidates may fail as the final transaction before the request fails. */
const finalAttempts = 3

export interface Proven extends Built {
  /** What the receiver gains of each tokenOut. */
  readonly outputs: readonly TokenAmount[]
  readonly gasUsed: bigint
}

/** With the minimums that its transaction enforces. */
export interface Answer extends Built {
  readonly outputs: readonly TransactionOutput[]
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
    const outputs = decodeAmountsOut(built.order, result.returnData)
    if (outputs.some(({ amount }) => amount <= 0n)) continue
    proven.push({ ...built, outputs, gasUsed: result.gasUsed })
  }
  const value = (one: Proven) => {
    const gas = gasInToken(
      run.block.chain,
      priced,
      one.outputs[0]?.token,
      one.gasUsed * run.gasPrice,
    )
    return netValue(one.outputs, gas, priced)
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
): Promise<Answer> {
  const { request } = args
  const failed: ReturnType<typeof describe>[] = []
  for (const best of meetingMinimums(request, proven).slice(0, finalAttempts)) {
    const minimums = minimumsOf(request, best.outputs)
    const order = {
      ...best.order,
      outputs: minimums.map(({ token, amount }) => ({ token, minAmountOut: amount })),
    }
    const tx = buildTransaction({ strategy: request.strategy, from: request.fromAddress, order })
    const measure = order.outputs.map(({ token }) => ({ token, owner: order.receiver }))
    const gasLimit = walletGas(run.pin, best.gasUsed)
    const [result] = await run.simulate([
      { ...toSimulation({ ...best, tx }, request), measure, gasLimit },
    ])
    if (result?.status === 'success') {
      const outputs = zip(result.deltas, minimums).map(([{ token, amount }, minimum]) => ({
        token,
        amountOut: amount,
        minAmountOut: minimum.amount,
      }))
      return { ...best, order, tx, outputs, gasUsed: result.gasUsed }
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

/** Candidates that reach the caller's minimums, even if others are worth more after gas; all when none does. */
function meetingMinimums({ limit }: RouteRequest, proven: readonly Proven[]): readonly Proven[] {
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
