/**
 * Shares at which one more unit is worth the same on every way: Newton steps on the marginal outputs of a split
 * network. Used by `split.ts` alone. Pure.
 */
import type { Address } from '../domain/primitives.js'
import { hopOutput } from './flow.js'
import {
  type Arc,
  type Evaluation,
  evaluate,
  type Network,
  type Source,
  tidy,
} from './split-network.js'

/** First and second derivative of output by input, in units of the last token. */
interface Slope {
  readonly value: number
  /** Always negative. */
  readonly curvature: number
  /** Raw units beyond which the arc gives nothing more. */
  readonly most: number
}

interface ArcSlope extends Slope {
  readonly arc: Arc
  readonly amountIn: number
}

export interface Margins {
  readonly arcs: readonly ArcSlope[]
  /** Worth of one more raw unit of a token, in raw units of the last token. */
  readonly values: ReadonlyMap<Address, number>
}

/** Derivatives are taken over this part of the amount, and over at least this many raw units of output. */
const differencePart = 32n
const differenceOutput = 2_000n
/** Of an arc without own curvature (wraps, rounding), relative to its value per unit of amount. */
const leastCurvature = 1e-9
/** Shares below are not worth a swap. */
const leastShare = 1e-4
const halvings = 5

/** What one more unit is worth on each arc and at each token, from the last token backwards. */
export function marginsOf({ flows }: Evaluation, tokenOut: Address, exactOnly: boolean): Margins {
  const values = new Map<Address, number>([[tokenOut, 1]])
  const curvatures = new Map<Address, number>([[tokenOut, 0]])
  const arcs: ArcSlope[] = []
  let index = flows.length - 1
  while (index >= 0) {
    const token = flows[index]?.arc.hop.tokenIn as Address
    const own: ArcSlope[] = []
    for (; index >= 0 && flows[index]?.arc.hop.tokenIn === token; index--) {
      const flow = flows[index] as Evaluation['flows'][number]
      const next = values.get(flow.arc.hop.tokenOut) ?? 0
      const nextCurvature = curvatures.get(flow.arc.hop.tokenOut) ?? 0
      const { value, curvature, most } = slopeOf(flow, exactOnly)
      const amountIn = Number(flow.amountIn)
      const worth = value * next
      own.push({
        arc: flow.arc,
        amountIn,
        value: worth,
        curvature: Math.min(
          curvature * next + value * value * nextCurvature,
          (-worth / amountIn) * leastCurvature,
        ),
        most,
      })
    }
    const loosest = own.reduce((sum, { curvature }) => sum + 1 / curvature, 0)
    const amount = own.reduce((sum, { amountIn }) => sum + amountIn, 0)
    const average = own.reduce((sum, { value, amountIn }) => sum + value * amountIn, 0) / amount
    values.set(token, average)
    curvatures.set(token, 1 / loosest)
    arcs.push(...own.reverse())
  }
  return { arcs, values }
}

function slopeOf(flow: Evaluation['flows'][number], exactOnly: boolean): Slope {
  const { arc, amountIn, amountOut, states } = flow
  if (arc.hop.kind !== 'swap') return { value: 1, curvature: 0, most: Number.POSITIVE_INFINITY }
  const fine = (differenceOutput * amountIn) / amountOut
  let step = amountIn / differencePart
  if (step < fine) step = fine < amountIn ? fine : amountIn
  if (step === 0n) step = 1n
  const output = (amount: bigint) => {
    const quote = hopOutput(arc.hop, states, amount)
    return quote.amountOut <= 0n || (exactOnly && !quote.exact) ? null : Number(quote.amountOut)
  }
  const [h, here] = [Number(step), Number(amountOut)]
  const below = amountIn > step ? (output(amountIn - step) ?? 0) : 0
  const above = output(amountIn + step)
  if (above === null || above < here) {
    return { value: (here - below) / h, curvature: 0, most: Number(amountIn) }
  }
  return {
    value: (above - below) / (2 * h),
    curvature: (above - 2 * here + below) / (h * h),
    most: Number.POSITIVE_INFINITY,
  }
}

/** Amounts of one token's arcs at which their values are equal, each within its bounds. */
function equalised(own: readonly ArcSlope[], total: number): number[] {
  const at = (level: number) =>
    own.map(({ amountIn, value, curvature, most }) =>
      Math.min(Math.max(amountIn + (level - value) / curvature, 0), most),
    )
  let low = Math.min(...own.map((arc) => arc.value + arc.curvature * (total - arc.amountIn)))
  let high = Math.max(...own.map((arc) => arc.value - arc.curvature * arc.amountIn))
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2
    const sum = at(middle).reduce((a, b) => a + b, 0)
    if (sum > total) low = middle
    else high = middle
  }
  return at((low + high) / 2)
}

/**
 * Shares moved until no step helps any more.
 * @param steps - Newton steps at most.
 */
export function improve(
  start: Network,
  sources: readonly Source[],
  tokenOut: Address,
  options: {
    readonly exactOnly: boolean
    readonly steps: number
    readonly shouldStop?: (() => boolean) | undefined
  },
): Network {
  let best = start
  for (let step = 0; step < options.steps; step++) {
    if (options.shouldStop?.()) break
    const target = newtonShares(marginsOf(best.at, tokenOut, options.exactOnly))
    const next = lineSearch(best, target, sources, tokenOut, options.exactOnly)
    if (!next) break
    const gained = Number(next.at.amountOut - best.at.amountOut) / Number(best.at.amountOut)
    best = next
    if (gained < 1e-8) break
  }
  return best
}

/** Share per arc key. */
function newtonShares({ arcs }: Margins): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const token of new Set(arcs.map(({ arc }) => arc.hop.tokenIn))) {
    const own = arcs.filter(({ arc }) => arc.hop.tokenIn === token)
    const total = own.reduce((sum, { amountIn }) => sum + amountIn, 0)
    const amounts = own.length === 1 ? [total] : equalised(own, total)
    for (const [index, { arc }] of own.entries()) {
      const share = (amounts[index] ?? 0) / total
      // Amounts beyond what doubles hold have no slopes; such an arc stays as it is.
      if (Number.isFinite(share)) shares.set(arc.key, share)
    }
  }
  return shares
}

function lineSearch(
  from: Network,
  target: ReadonlyMap<string, number>,
  sources: readonly Source[],
  tokenOut: Address,
  exactOnly: boolean,
): Network | null {
  let part = 1
  for (let halving = 0; halving <= halvings; halving++, part /= 2) {
    const moved = from.arcs.map((arc) => ({
      ...arc,
      share: arc.share + part * ((target.get(arc.key) ?? arc.share) - arc.share),
    }))
    const arcs = tidy(
      moved.filter(({ share }) => share > leastShare),
      sources,
      tokenOut,
    )
    const at = evaluate(arcs, sources, tokenOut, exactOnly)
    if (at && at.amountOut > from.at.amountOut) return { arcs, at }
  }
  return null
}
