/**
 * Says of an input that is beyond what the pools hold how much less of it brings as much: by the math of the answer's own
 * pools, which its simulation has confirmed, with shares that are right for the smaller input. Pure.
 */
import { larger } from '../../domain/lists.js'
import { isGreatImpact } from '../../domain/route-step.js'
import type { SimulationSuccess } from '../../domain/state.js'
import { findCandidates } from '../search/candidates.js'
import { swapsOf } from '../search/flow.js'
import { type Attempt, withoutFee } from './built.js'
import type { PreparedRoute } from './prepare.js'

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
export function excessWarnings(
  prepared: Pick<PreparedRoute, 'argsFor'>,
  { built, outputs }: Pick<Attempt<SimulationSuccess>, 'built' | 'outputs'>,
  priceImpact: number | null,
): string[] {
  const { taken, candidate } = built
  const [[input, ...others], [output, ...more]] = [taken, outputs]
  if (!input || others.length || !output || more.length) return []
  if (priceImpact !== null && !isGreatImpact(priceImpact)) return []
  const { amount: net } = withoutFee(input)
  let least: { readonly amount: bigint; readonly brings: bigint } | null = null
  for (let step = 0; step <= mostHalvings; step++) {
    const smaller = (all: bigint) => (step === 0 ? all - all / 10n : all >> BigInt(step))
    const brings = estimate(prepared, { ...input, amount: smaller(net) }, built)
    if (brings * nearly.whole < candidate.amountOut * nearly.of) break
    least = { amount: smaller(input.amount), brings }
  }
  if (!least) return []
  const { amount, brings } = least
  const percent = Number((brings * 1_000n) / candidate.amountOut) / 10
  const about = (output.amount * brings) / candidate.amountOut
  return [
    `The pools on the way hold too little for this input: ${amount} of ${input.token} would bring about ${about} of ${output.token}, ${percent} % of what this one does.`,
  ]
}

/** Raw units that the answer's own pools give for another input, by native math; 0n where they do not take it. */
function estimate(
  { argsFor }: Pick<PreparedRoute, 'argsFor'>,
  { token, amount }: Attempt['built']['taken'][number],
  { candidate }: Attempt['built'],
): bigint {
  if (amount <= 0n) return 0n
  const { candidates } = findCandidates({
    ...argsFor(swapsOf(candidate)),
    inputs: [{ token, amount }],
    mayBeSplit: candidate.isSplit,
    knownSplits: [candidate],
  })
  return candidates.map(({ amountOut }) => amountOut).reduce(larger, 0n)
}
