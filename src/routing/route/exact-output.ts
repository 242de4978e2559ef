/**
 * From candidates that were proven with about the right input to the answer: which of them gives the stated output for
 * the least, and its very transaction with that input.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, compareAmounts } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { SimulationSuccess } from '../../domain/state.js'
import type { Task } from '../block/task.js'
import type { PricedToken } from '../market/valuation.js'
import { leastInput, outputOf } from '../search/exact-output.js'
import { type Attempt, build, describe, through } from './built.js'
import { asFinal, type Failure, failsAsFinal, finalAttempts, rankProven } from './choose.js'
import type { ExactOutput } from './find-flows.js'
import { lendersOff } from './lenders.js'
import { grossInput } from './prepare.js'
import type { ProofArgs } from './prove.js'
import { checkFunds, fundSender, senderState } from './sender-state.js'

/** Simulations of one candidate, each with an input corrected by what the one before gave. */
const maxCorrections = 5
/** Candidates that may be worth most, or give most before gas, with an input that differs by some percent. */
const bestKept = 6
const largestKept = 3
/** An output this close above the stated one, as a part of it, needs no smaller input: a tenth of a basis point. */
const closeEnough = 100_000n

/**
 * A candidate as a curve: what it gives for other inputs, by its math, in proportion to what it gave in simulation.
 */
interface Curve {
  readonly one: Attempt<SimulationSuccess>
  readonly native: (amountIn: bigint) => bigint
  /** Simulated and native output for the same input. */
  readonly ratio: { readonly measured: bigint; readonly native: bigint }
}

interface LeastInput {
  readonly curve: Curve
  readonly amountIn: bigint
}

/**
 * The route that the search prefers at the least input with which the one that it prefers gives the output: as if
 * amounts were tried until a quote gives enough.
 *
 * @param proven - all candidates that worked, best first.
 * @throws ForkrouteError SIMULATION_REVERTED, INSUFFICIENT_BALANCE, INSUFFICIENT_ALLOWANCE.
 */
export async function answerExactly(
  task: Task,
  args: ProofArgs,
  exact: ExactOutput,
  proven: readonly Attempt<SimulationSuccess>[],
): Promise<Attempt<SimulationSuccess>> {
  const failed: Failure[] = []
  const inputs = chosen(task, exact, proven, args.priced)
  for (const least of inputs.slice(0, finalAttempts)) {
    const done = await approach(task, args, exact, least)
    if ('outputs' in done) {
      if (args.sender.isChecked) await checkFunds(task, args.sender, done.built.taken)
      return done
    }
    failed.push(done)
  }
  if (failed.length) throw failsAsFinal(failed)
  throw new ForkrouteError(
    'SIMULATION_REVERTED',
    `No candidate gives ${exact.output.amount} of ${exact.output.token} in simulation. Ask for a smaller amountOut.`,
    {
      candidates: proven.map(({ built }) => describe(built.candidate, tooLittle)),
      next: [{ parameter: 'amountOut' }],
    },
  )
}

const tooLittle = 'less than amountOut, whatever the input'

function chosen(
  task: Task,
  { output, provenWith }: ExactOutput,
  proven: readonly Attempt<SimulationSuccess>[],
  priced: ReadonlyMap<Address, PricedToken>,
): LeastInput[] {
  const gives = (one: Attempt<SimulationSuccess>) => at(one.outputs, 0).amount
  const byOutput = proven.toSorted((a, b) => compareAmounts(gives(b), gives(a)))
  const largest = byOutput.slice(0, largestKept)
  const inputs = [...new Set([...proven.slice(0, bestKept), ...largest])]
    .flatMap((one): LeastInput[] => {
      const curve = toCurve(one)
      const amountIn = leastOf(curve, output.amount, provenWith)
      return amountIn === null ? [] : [{ curve, amountIn }]
    })
    .sort((a, b) => compareAmounts(a.amountIn, b.amountIn))
  for (const { amountIn } of inputs) {
    const byKey = new Map(inputs.map((each) => [each.curve.one.built.candidate.key, each]))
    const promises = inputs.flatMap(({ curve }) => {
      const amount = promised(curve, amountIn)
      return amount > 0n ? [{ ...curve.one, outputs: [{ ...output, amount }] }] : []
    })
    const ranked = rankProven(task, promises, priced)
    if ((ranked[0]?.outputs[0]?.amount ?? 0n) < output.amount) continue
    return ranked.flatMap(({ built }) => byKey.get(built.candidate.key) ?? [])
  }
  return inputs
}

function toCurve(one: Attempt<SimulationSuccess>): Curve {
  const { candidate, taken } = one.built
  const [tokenIn, tokenOut] = [at(taken, 0).token, at(one.outputs, 0).token]
  return {
    one,
    native: outputOf(candidate, tokenIn, tokenOut),
    ratio: { measured: at(one.outputs, 0).amount, native: candidate.amountOut },
  }
}

/** Raw units of tokenOut; exact where the math of the candidate is. */
function promised({ native, ratio }: Curve, amountIn: bigint): bigint {
  return (native(amountIn) * ratio.measured) / ratio.native
}

function leastOf({ native, ratio }: Curve, target: bigint, start: bigint): bigint | null {
  const wanted = (target * ratio.native + ratio.measured - 1n) / ratio.measured
  return leastInput(native, wanted, start)
}

/** One candidate as the final transaction, with inputs that approach the least one. */
async function approach(
  task: Task,
  args: ProofArgs,
  { output }: ExactOutput,
  { curve: first, amountIn: start }: LeastInput,
): Promise<Attempt<SimulationSuccess> | Failure> {
  const simulated = (amountIn: bigint, amount: bigint) =>
    withInput(task, args, first.one, { amountIn, expected: { ...output, amount } })
  let curve = first
  let amountIn = start
  let best: {
    readonly answer: Attempt<SimulationSuccess>
    readonly amountIn: bigint
    isExpected: boolean
  } | null = null
  const tried = new Set<bigint>()
  while (tried.size < maxCorrections && !tried.has(amountIn) && !(best && task.clock.isLate())) {
    tried.add(amountIn)
    const expected = promised(curve, amountIn)
    const answer = await simulated(amountIn, expected)
    if (!('outputs' in answer)) return best?.answer ?? answer
    const got = at(answer.outputs, 0).amount
    const isEnough = got >= output.amount
    const isExpected = got === expected
    if (isEnough && (!best || amountIn < best.amountIn)) best = { answer, amountIn, isExpected }
    if (isEnough && (isExpected || (got - output.amount) * closeEnough <= got)) break
    curve = { ...curve, ratio: { measured: got, native: curve.native(amountIn) } }
    const next: bigint | null = got > 0n ? leastOf(curve, output.amount, amountIn) : null
    if (next === null) break
    amountIn = next
  }
  if (!best) return describe(first.one.built.candidate, tooLittle)
  if (best.isExpected) return best.answer
  // The minimum is that of what the transaction gives, not of what was expected of it.
  return simulated(best.amountIn, at(best.answer.outputs, 0).amount)
}

/** The same candidate as the final transaction with another input, whose minimum is that of the expected output. */
async function withInput(
  task: Task,
  args: ProofArgs,
  one: Attempt<SimulationSuccess>,
  { amountIn, expected }: { readonly amountIn: bigint; readonly expected: TokenAmount },
): Promise<Attempt<SimulationSuccess> | Failure> {
  const [asked] = args.request.inputs
  const inputs = [grossInput(asked?.token ?? expected.token, amountIn, asked?.feeBps)]
  const request: RouteRequest = { ...args.request, inputs }
  const { candidate, entryPoint, prepaysInput } = one.built
  const funded = await fundSender(task, args.funded.sender, inputs)
  const state = await senderState(task, funded, async () => ({
    pools: lendersOff(candidate, args.all.pools),
    unreadable: [],
  }))
  const same = build(task, { ...args, inputs, prepaysInput }, candidate, state)
  const built = through(same, request, entryPoint)
  return asFinal(task, request, { ...one, built, outputs: [expected] })
}
