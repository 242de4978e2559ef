/** Splits of one amount for another that is near: the same swaps, with shares that are right for it. Pure. */
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import type { Flow } from './flow.js'
import { hopKey } from './hop.js'
import { networkOf, type SplitArgs } from './split.js'
import { toFlow } from './split-flow.js'
import type { ArcAmounts } from './split-network.js'
import { improve } from './split-newton.js'

const steps = 12
const whole = Number(bpsDenominator)

/** In the order of the known ones, at a fraction of the work of a search. */
export function tuneSplits(args: SplitArgs, known: readonly Flow[]): Flow[] {
  const { shouldStop } = args
  return known.flatMap(({ edges, exact }) => {
    const network = networkOf(args, sharesOf(edges), exact)
    if (!network) return []
    const tuned = improve(network, args, { exactOnly: exact, steps, shouldStop })
    return toFlow(args, tuned, args) ?? []
  })
}

/** What each swap spends of its token, as a part of all of it; edges of a split state parts of what is left. */
function sharesOf(edges: Flow['edges']): ArcAmounts {
  const left = new Map<Address, number>()
  return new Map(
    edges.map(({ hop, spends }) => {
      const rest = left.get(hop.tokenIn) ?? 1
      const amount = (rest * Number(spends)) / whole
      left.set(hop.tokenIn, rest - amount)
      return [hopKey(hop), { hop, amount }]
    }),
  )
}
