/**
 * Says of an input that is beyond what the pools hold how much less of it brings as much. Smaller inputs are searched and
 * proven as other requests are, since a split of less goes other ways than the answer does.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { larger } from '../../domain/lists.js'
import { isGreatImpact } from '../../domain/route-step.js'
import type { SimulationSuccess } from '../../domain/state.js'
import type { Task } from '../block/task.js'
import { rememberedCandidates } from '../search/remembered.js'
import { type Attempt, withoutFee } from './built.js'
import { rank } from './choose.js'
import { findFlows } from './find-flows.js'
import { type PreparedRoute, prepareRoute, withFee } from './prepare.js'
import { proveFlows } from './prove.js'

/** The last tenth of the input brings next to nothing where the rest brings this part of the output. */
const nearly = { of: 99n, whole: 100n } as const
/** After nine tenths of the input its half is tried, then the half of that, while they bring so much: so often at most. */
const mostHalvings = 4

/**
 * For one input and one output: a sentence where a tenth less of the input brings 99 % of the output or more. Only where the
 * price impact is great or not known: a trade that empties pools loses a tenth of its value at least.
 *
 * @param priceImpact - basis points; null where a price is missing.
 */
export async function excessWarnings(
  task: Task,
  prepared: PreparedRoute,
  { built: { taken, candidate }, outputs }: Attempt<SimulationSuccess>,
  priceImpact: number | null,
): Promise<string[]> {
  const [[input, ...others], [output, ...more]] = [taken, outputs]
  if (!input || others.length || !output || more.length) return []
  if (priceImpact !== null && !isGreatImpact(priceImpact)) return []
  const smallerBy = (amount: bigint) => requestFor(prepared.request, amount)
  const first = input.amount - input.amount / 10n
  // Most trades with a great impact still use all of their input, which math alone shows in a fraction of the time.
  if (!isNearly(estimate(prepared, smallerBy(first)), candidate.amountOut)) return []
  let least: { readonly amount: bigint; readonly brings: bigint } | null = null
  let amount = first
  for (let step = 0; step <= mostHalvings && amount > 0n && !task.clock.isLate(); step++) {
    const brings = await provenOutput(task, prepared, smallerBy(amount))
    if (!isNearly(brings, output.amount)) break
    least = { amount, brings }
    amount = input.amount >> BigInt(step + 1)
  }
  if (!least) return []
  const percent = Number((least.brings * 1_000n) / output.amount) / 10
  return [
    `The pools hold too little for this input: ${least.amount} of ${input.token} brings ${least.brings} of ${output.token}, ${percent} % of what this one does.`,
  ]
}

function isNearly(brings: bigint, all: bigint): boolean {
  return brings > 0n && brings * nearly.whole >= all * nearly.of
}

/** The same trade with this input, whoever has it. */
function requestFor({ amountOut, permit, ...request }: RouteRequest, amount: bigint): RouteRequest {
  const inputs = request.inputs.map((input) => ({ ...input, amount }))
  return { ...request, inputs, executionMode: 'backend' }
}

/** Raw units by native math; 0n where nothing takes the input. */
function estimate({ argsFor, usable }: PreparedRoute, { inputs }: RouteRequest): bigint {
  const { candidates } = rememberedCandidates({
    ...argsFor(usable.pools),
    inputs: inputs.map(withFee).map(withoutFee),
  })
  return candidates.map(({ amountOut }) => amountOut).reduce(larger, 0n)
}

/** Raw units in simulation; 0n where nothing works. */
async function provenOutput(
  task: Task,
  { accountId }: PreparedRoute,
  request: RouteRequest,
): Promise<bigint> {
  try {
    const prepared = await prepareRoute(task, { mode: 'quote', request, accountId }, undefined)
    const { funded, priced } = prepared
    if (!funded) return 0n
    const found = await findFlows(task, prepared)
    const attempts = await proveFlows(task, { ...prepared, inputs: found.inputs, funded }, found)
    const [best] = rank(task, attempts, priced)
    return best?.outputs[0]?.amount ?? 0n
  } catch (error) {
    if (error instanceof ForkrouteError) return 0n
    throw error
  }
}
