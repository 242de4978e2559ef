/**
 * Proves as many candidates as it takes to know the best (`proof=adaptive`): first those that may be the best if all pay
 * what they promise, then of the others those that could still be worth more than the best of the proven ones. Native
 * math knows what an exact candidate pays, so its promise bounds it; as soon as one promise is broken, every candidate is
 * proven, as by default.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { compareAmounts } from '../../domain/lists.js'
import { bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { gasInToken, netValue } from '../market/valuation.js'
import type { Flow } from '../search/flow.js'
import { type Attempt, costOf, needsNoTrust } from './built.js'
import { finalAttempts } from './choose.js'
import type { PreparedRoute } from './prepare.js'

/** Proven at a time, at most, and at first at least: as many as may be tried as the final transaction. */
const round = 6
const least = finalAttempts

/** Rough gas is that of edges alone, and too high by less than this part where they find storage that is warm. */
const leastGasPart = { of: 4n, part: 3n }

/** Outputs may differ from a promise by this part: rounding of rebasing tokens. 0.01 bps. */
const tolerance = 100n * bpsDenominator

interface Known {
  readonly flow: Flow
  readonly worth: bigint
}

/**
 * @param prove - simulates candidates, in their order, without those that cannot be funded.
 * @returns the attempts, in the order of the candidates, and the candidates that could not become the answer.
 */
export async function proveAdaptively(
  task: Task,
  { request, priced, dataFee }: Pick<PreparedRoute, 'request' | 'priced' | 'dataFee'>,
  candidates: readonly Flow[],
  prove: (flows: readonly Flow[]) => Promise<Attempt[]>,
): Promise<{ readonly attempts: Attempt[]; readonly spared: readonly Flow[] }> {
  const { inputs, tokensOut, limit } = request
  const [tokenOut, ...others] = tokensOut
  // Promises are of the first output alone.
  if (tokenOut === undefined || others.length) {
    return { attempts: await prove(candidates), spared: [] }
  }
  const worthOf = (amount: bigint, cost: bigint) =>
    netValue([{ token: tokenOut, amount }], gasInToken(task.chain, priced, tokenOut, cost), priced)
  /** The fee for the bytes of its swaps is in its gas. */
  const promiseOf = (amount: bigint, gas: bigint) =>
    worthOf(amount, costOf(task, { dataFee: { terms: dataFee, wei: 0n } }, gas))
  const named = new Set([...inputs.map(({ token }) => token), tokenOut])
  const isTrusted = new Map(candidates.map((flow) => [flow, needsNoTrust(flow, named)]))
  const attempts: Attempt[] = []
  const known: Known[] = []
  const promised = candidates.map((flow) => ({ flow, worth: promiseOf(flow.amountOut, flow.gas) }))
  let left = promised.toSorted((a, b) => compareAmounts(b.worth, a.worth)).map(({ flow }) => flow)

  /**
   * Whether the estimate, at the least gas that it can take, beats every rival of equal trust; true where it is not
   * exact.
   */
  function mayWin(flow: Flow, among: readonly Known[]): boolean {
    if (!flow.exact) return true
    const rivals = among.filter((one) => isTrusted.get(one.flow) === isTrusted.get(flow))
    if (!rivals.length) return true
    const worth = promiseOf(flow.amountOut, (flow.gas * leastGasPart.part) / leastGasPart.of)
    return rivals.every((rival) => worth > rival.worth)
  }

  /** Flows that may still win if the most promising ones pay as much as they promise. */
  const first = (trusted: boolean) => left.find((flow) => isTrusted.get(flow) === trusted)
  const expected = [first(true), first(false)].flatMap((flow) =>
    flow ? { flow, worth: promiseOf(flow.amountOut, flow.gas) } : [],
  )
  let wanted = left.filter((flow, index) => index < least || mayWin(flow, expected)).slice(0, round)
  while (wanted.length && !task.clock.isLate()) {
    const chosen = new Set(wanted)
    left = left.filter((flow) => !chosen.has(flow))
    let isAsPromised = true
    for (const attempt of await prove(wanted)) {
      attempts.push(attempt)
      const outcome = outcomeOf(attempt, limit)
      isAsPromised &&= outcome?.isAsPromised ?? false
      if (!outcome) continue
      const { gasUsed, amount } = outcome
      const flow = attempt.built.candidate
      known.push({ flow, worth: worthOf(amount, costOf(task, attempt.built, gasUsed)) })
    }
    wanted = isAsPromised ? left.filter((flow) => mayWin(flow, known)).slice(0, round) : left
  }
  const places = new Map(candidates.map((flow, index) => [flow, index]))
  const placeOf = ({ built }: Attempt) => places.get(built.candidate) ?? 0
  return { attempts: attempts.toSorted((a, b) => placeOf(a) - placeOf(b)), spared: left }
}

/** Null where it pays nothing. */
function outcomeOf(
  { built, result, outputs }: Attempt,
  limit: RouteRequest['limit'],
): { readonly amount: bigint; readonly gasUsed: bigint; readonly isAsPromised: boolean } | null {
  if (result?.status !== 'success') return null
  const [paid] = outputs
  if (!paid || paid.amount <= 0n) return null
  const { candidate } = built
  return {
    amount: paid.amount,
    gasUsed: result.gasUsed,
    isAsPromised:
      meets(paid, limit) && (!candidate.exact || isNear(paid.amount, candidate.amountOut)),
  }
}

/** One that pays less than the caller's minimum gives way to any that pays it, whatever its gas. */
function meets({ amount }: TokenAmount, limit: RouteRequest['limit']): boolean {
  return limit.kind === 'slippage' || limit.minimums.every((minimum) => amount >= minimum.amount)
}

function isNear(amount: bigint, promised: bigint): boolean {
  const difference = amount > promised ? amount - promised : promised - amount
  return difference * tolerance <= promised
}
