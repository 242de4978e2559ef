/**
 * Shares at which one more unit is worth the same on every way: Newton steps on the marginal outputs of a split
 * network. Pure.
 */
import { zip } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import { hopSwap, type PoolStates } from './flow.js'
import { equalised, type Slope, type Way } from './split-level.js'
import {
  type Arc,
  type Evaluation,
  evaluate,
  headroomPart,
  type Network,
  pruneArcs,
  type SplitTerms,
  statesAfter,
  withShare,
} from './split-network.js'

interface ArcSlope extends Way {
  readonly arc: Arc
}

/** Arcs between the same two tokens: moving amounts among them changes nothing downstream. */
interface Group extends Way {
  readonly arcs: readonly ArcSlope[]
}

/** Raw units that an arc takes at most, by its key, where that is known. */
type Caps = ReadonlyMap<string, number>

export interface Margins {
  readonly groups: readonly Group[]
  /** Worth of one more raw unit of a token, in raw units of the last token. */
  readonly values: ReadonlyMap<Address, number>
}

/** Derivatives are taken over this part of the amount, and over at least this many raw units of output. */
const differencePart = 32n
const differenceOutput = 2_000n
/** For an arc without curvature of its own (wraps, rounding), relative to its value per unit of amount. */
const leastCurvature = 1e-9
/** Smaller shares are not worth a swap. */
const leastShare = 1e-4
const halvings = 5
/** What a step of a single token must promise, as a part of the output. */
const promising = 1e-6
/** The most that a step is stretched, and the least change of its length that is tried, in multiples of the whole step. */
const maxStretch = 64
const leastStretch = 0.1
/** How often a step is recalculated because a pool on its way ends, and how exactly that end is located. */
const capLooks = 3
const capPart = 2_000n
/** Pools are not filled to the brim, see `evaluate`. */
const capMargin = 1 - 1 / Number(headroomPart)

/** What one more unit is worth on each arc and at each token, from the last token backwards. */
export function marginsOf(
  { flows }: Evaluation,
  tokenOut: Address,
  exactOnly: boolean,
  caps: Caps = new Map(),
): Margins {
  const values = new Map<Address, number>([[tokenOut, 1]])
  const curvatures = new Map<Address, number>([[tokenOut, 0]])
  /** Raw units of a token that all of its onward ways together can still take. */
  const rooms = new Map<Address, number>([[tokenOut, Number.POSITIVE_INFINITY]])
  const groups: Group[] = []
  for (const token of new Set(flows.map(({ arc }) => arc.hop.tokenIn).reverse())) {
    const own = flows.filter(({ arc }) => arc.hop.tokenIn === token)
    const heads = [...new Set(own.map(({ arc }) => arc.hop.tokenOut))]
    const found = heads.map((head) => {
      const value = values.get(head) ?? 0
      const arcs = own
        .filter(({ arc }) => arc.hop.tokenOut === head)
        .map((flow) => arcSlope(flow, value, exactOnly, caps))
      return groupSlope(arcs, value, curvatures.get(head) ?? 0, rooms.get(head) ?? 0)
    })
    const { value, curvature, most, amountIn } = settled(found)
    rooms.set(token, most - amountIn)
    values.set(token, value)
    curvatures.set(token, curvature)
    groups.push(...found)
  }
  return { groups, values }
}

/** What another path is compared with. */
export interface Margin {
  readonly network: Network
  /** What one more raw unit of a token is worth in raw units of tokenOut. */
  readonly values: ReadonlyMap<Address, number>
  /** Pools as the network leaves them. */
  readonly states: PoolStates
}

export function marginAt({ tokenOut }: SplitTerms, network: Network, exactOnly: boolean): Margin {
  const { values } = marginsOf(network.at, tokenOut, exactOnly)
  return { network, values, states: statesAfter(network.at) }
}

/**
 * What the network pays for more of a source: less than the margin says, above all where all of its ways share a pool that
 * is small for the amount, in which another way to it would lose as much.
 */
export function paidFor(
  { sources, tokenOut, margins }: SplitTerms,
  { network, values }: Margin,
  slice: TokenAmount,
  exactOnly: boolean,
): number {
  const atMargin = Number(slice.amount) * (values.get(slice.token) ?? 0)
  const larger = sources.map(({ token, amount }) => ({
    token,
    amount: token === slice.token ? amount + slice.amount : amount,
  }))
  const at = evaluate(network.arcs, { sources: larger, tokenOut, margins }, exactOnly)
  return at ? Math.min(Number(at.amountOut - network.at.amountOut), atMargin) : atMargin
}

/** What the network's swaps give for more of a source where they are made once more, after those of the network. */
export function paidApart(
  { tokenOut, margins }: SplitTerms,
  { network, states }: Margin,
  slice: TokenAmount,
): number {
  const at = evaluate(network.arcs, { sources: [slice], tokenOut, margins }, false, states)
  return Number(at?.amountOut ?? 0n)
}

/** @param next - value of one raw unit of the arc's output. */
function arcSlope(
  flow: Evaluation['flows'][number],
  next: number,
  exactOnly: boolean,
  caps: Caps,
): ArcSlope {
  const { value, curvature, ...slope } = slopeOf(flow, exactOnly)
  const most = Math.min(slope.most, caps.get(flow.arc.key) ?? slope.most)
  const amountIn = Number(flow.amountIn)
  const worth = value * next
  const least = (-worth / amountIn) * leastCurvature
  const bent = Math.min(curvature * next, least)
  return {
    arc: flow.arc,
    amountIn,
    value: worth,
    curvature: bent,
    most,
    highest: worth - bent * amountIn,
    amountAt: (level) => Math.min(Math.max(amountIn + (level - worth) / bent, 0), most),
  }
}

/** Parallel pools share additional inflow; what they yield together meets the curve downstream. */
function groupSlope(
  arcs: readonly ArcSlope[],
  next: number,
  nextCurvature: number,
  room: number,
): Group {
  const { amountIn, value, curvature, most } = settled(arcs)
  const rate = value / next
  const behind = rate ** 2 * nextCurvature
  const bound = Math.min(most, amountIn + room / rate)
  const knots = knotsOf(arcs, amountIn, behind)
  return {
    arcs,
    amountIn,
    value,
    curvature: curvature + behind,
    most: bound,
    highest: knots[0]?.level ?? value,
    amountAt(level) {
      let place = knots.length - 1
      while (place >= 0 && (knots[place] as Knot).level < level) place--
      const from = knots[place]
      const amount = from ? from.amount + (level - from.level) * from.slope : 0
      return Math.min(amount, bound)
    },
  }
}

/** Where arcs of a group begin or end: between two knots, amounts are linear in the worth of a unit. Highest first. */
interface Knot {
  readonly level: number
  readonly amount: number
  /** Raw units by worth, below the knot; negative. */
  readonly slope: number
}

/** @param behind - curvature downstream, which all arcs share. */
function knotsOf(arcs: readonly ArcSlope[], amountIn: number, behind: number): readonly Knot[] {
  const ranges = arcs.map(({ value, curvature, most, highest, amountIn: own }) => {
    return { highest, lowest: value + curvature * (most - own), slope: 1 / curvature }
  })
  const ends = ranges.flatMap(({ highest, lowest }) => [highest, lowest])
  return [...new Set(ends)]
    .filter((end) => end > Number.NEGATIVE_INFINITY)
    .sort((a, b) => b - a)
    .map((end) => {
      const amount = arcs.reduce((sum, arc) => sum + arc.amountAt(end), 0)
      const open = ranges.filter(({ highest, lowest }) => lowest < end && end <= highest)
      const slope = open.reduce((sum, range) => sum + range.slope, 0)
      return {
        level: end + behind * (amount - amountIn),
        amount,
        slope: slope / (1 + behind * slope),
      }
    })
}

/**
 * Several onward ways combined into one, as they behave near the present amount once their values are equal. A way that is
 * full takes no further unit, so what it pays does not tell what one more is worth, unless all are.
 */
function settled(ways: readonly Way[]): Omit<Way, 'highest' | 'amountAt'> {
  const amountIn = ways.reduce((sum, way) => sum + way.amountIn, 0)
  const used = zip(ways, equalised(ways, amountIn)).flatMap(([way, amount]) =>
    amount > 0 ? [{ way, amount, value: way.value + way.curvature * (amount - way.amountIn) }] : [],
  )
  const notFull = used.filter(({ way, amount }) => amount < way.most * capMargin)
  const open = notFull.length ? notFull : used
  const room = open.reduce((sum, { way }) => sum - 1 / way.curvature, 0)
  const value = open.reduce((sum, { way, value: own }) => sum - own / way.curvature, 0) / room
  const most = ways.reduce((sum, way) => sum + way.most, 0)
  return { amountIn, value, curvature: -1 / room, most }
}

function slopeOf(flow: Evaluation['flows'][number], exactOnly: boolean): Slope {
  const { arc, amountIn, swap } = flow
  if (arc.hop.kind !== 'swap') return { value: 1, curvature: 0, most: Number.POSITIVE_INFINITY }
  const fine = (differenceOutput * amountIn) / swap.amountOut
  let step = amountIn / differencePart
  if (step < fine) step = fine < amountIn ? fine : amountIn
  if (step === 0n) step = 1n
  const output = (amount: bigint) => outputOf(flow, amount, exactOnly)
  const [h, here] = [Number(step), Number(swap.amountOut)]
  const below = amountIn > step ? (output(amountIn - step) ?? 0) : 0
  const above = output(amountIn + step)
  if (above !== null && above >= here) {
    return {
      value: (above - below) / (2 * h),
      curvature: (above - 2 * here + below) / (h * h),
      most: Number.POSITIVE_INFINITY,
    }
  }
  // The pool ends within the step: bisect for how much it still takes.
  let room = step / 2n
  while (room > 0n && (output(amountIn + room) ?? 0) < here) room /= 4n
  return { value: (here - below) / h, curvature: 0, most: Number(amountIn + room) }
}

/** Null where the pool ends before, or gives only an estimate where exact quotes are required. */
function outputOf(
  { arc, states }: Evaluation['flows'][number],
  amountIn: bigint,
  exactOnly: boolean,
): number | null {
  const quote = hopSwap(arc.hop, states, amountIn)
  return quote.amountOut <= 0n || (exactOnly && !quote.exact) ? null : Number(quote.amountOut)
}

/**
 * Locates the ends of pools whose arcs would get more than they take.
 * @returns whether a new end was found.
 */
function findCaps(
  { flows }: Evaluation,
  targets: ReadonlyMap<string, number>,
  exactOnly: boolean,
  caps: Map<string, number>,
): boolean {
  let found = false
  for (const flow of flows) {
    const { key } = flow.arc
    const target = targets.get(key) ?? 0
    if (target <= Number(flow.amountIn) || target > Number.MAX_SAFE_INTEGER ** 4) continue
    let [low, high] = [flow.amountIn, BigInt(Math.floor(target))]
    if (high <= low || outputOf(flow, high, exactOnly) !== null) continue
    while (high - low > low / capPart + 1n) {
      const middle = high > low * 2n ? low * 2n : (low + high) / 2n
      if (outputOf(flow, middle, exactOnly) === null) high = middle
      else low = middle
    }
    caps.set(key, Math.min(Number(low) * capMargin, caps.get(key) ?? Number.POSITIVE_INFINITY))
    found = true
  }
  return found
}

/**
 * Moves shares until no step improves the output.
 * @param steps - Newton steps at most.
 */
export function improve(
  start: Network,
  terms: SplitTerms,
  options: {
    readonly exactOnly: boolean
    readonly steps: number
    readonly shouldStop?: (() => boolean) | undefined
  },
): Network {
  const { exactOnly } = options
  const { tokenOut } = terms
  const caps = new Map<string, number>()
  let best = start
  for (let step = 0; step < options.steps; step++) {
    if (options.shouldStop?.()) break
    let margins = marginsOf(best.at, tokenOut, exactOnly, caps)
    let towards = newtonStep(margins)
    for (let look = 0; look < capLooks; look++) {
      if (!findCaps(best.at, towards.targets, exactOnly, caps)) break
      margins = marginsOf(best.at, tokenOut, exactOnly, caps)
      towards = newtonStep(margins)
    }
    const next =
      lineSearch(best, towards, terms, exactOnly) ?? singleStep(best, margins, terms, exactOnly)
    if (!next) break
    const gained = Number(next.at.amountOut - best.at.amountOut) / Number(best.at.amountOut)
    best = next
    if (gained < 1e-8) break
  }
  return best
}

/**
 * The best of the steps that move what leaves one token alone. Where a way is about to end, its token's worth of a unit
 * bends, and a step of all tokens together overshoots so far that what one of them gains is lost at the others.
 */
function singleStep(
  from: Network,
  margins: Margins,
  terms: SplitTerms,
  exactOnly: boolean,
): Network | null {
  const { groups } = margins
  let best: Network | null = null
  for (const token of new Set(groups.map(tokenOf))) {
    const step = newtonStep(margins, token)
    if (step.slope <= promising * Number(from.at.amountOut)) continue
    const next = lineSearch(from, step, terms, exactOnly)
    if (next && next.at.amountOut > (best ?? from).at.amountOut) best = next
  }
  return best
}

/** Where a step leads. */
interface Step {
  /** Raw units per arc key. */
  readonly targets: ReadonlyMap<string, number>
  /** Raw units of the last token that the whole step would gain, were no way curved. */
  readonly slope: number
}

/**
 * What each token passes on after the tokens before it have passed on more or less.
 * @param only - the one token that moves; absent: all do.
 */
function newtonStep({ groups, values }: Margins, only?: Address): Step {
  const targets = new Map<string, number>()
  /** Raw units that a token receives beyond its present amount. */
  const more = new Map<Address, number>()
  let slope = 0
  for (const token of new Set(groups.map(tokenOf).reverse())) {
    if (only !== undefined && token !== only) continue
    const own = groups.filter((group) => tokenOf(group) === token)
    const total = own.reduce((sum, { amountIn }) => sum + amountIn, more.get(token) ?? 0)
    for (const [{ arcs }, part] of zip(own, equalised(own, total))) {
      for (const [{ arc, amountIn, value }, amount] of zip(arcs, equalised(arcs, part))) {
        // Amounts beyond the range of doubles have no slope; such an arc stays as it is.
        if (Number.isFinite(amount)) targets.set(arc.key, amount)
        const { tokenOut } = arc.hop
        const rate = value / (values.get(tokenOut) ?? 1)
        more.set(tokenOut, (more.get(tokenOut) ?? 0) + rate * (amount - amountIn))
        // What a token receives is worth the same on each of its ways; only the difference is gained.
        slope += (value - (values.get(token) ?? 0)) * (amount - amountIn)
      }
    }
  }
  return { targets, slope }
}

export function tokenOf({ arcs }: Group): Address {
  return arcs[0]?.arc.hop.tokenIn as Address
}

/**
 * The best of the whole step and the one at the top of the parabola through both ends and the slope: ways that meet
 * again share the curve behind that point, so that whole steps are too short or too long. Halved while none gains.
 */
function lineSearch(
  from: Network,
  { targets, slope }: Step,
  terms: SplitTerms,
  exactOnly: boolean,
): Network | null {
  const { sources, tokenOut } = terms
  const present = new Map(from.at.flows.map(({ arc, amountIn }) => [arc.key, Number(amountIn)]))
  const at = (part: number): Network | null => {
    // Moves amounts, not shares: a full arc stays full when its token receives more or less.
    const moved = from.arcs.map((arc) => {
      const now = present.get(arc.key) ?? 0
      return withShare(arc, now + part * ((targets.get(arc.key) ?? now) - now))
    })
    const positive = moved.filter(({ share }) => share > 0)
    const large = pruneArcs(positive, sources, tokenOut).filter(({ share }) => share > leastShare)
    const arcs = pruneArcs(large, sources, tokenOut)
    const flows = evaluate(arcs, terms, exactOnly)
    return flows && { arcs, at: flows }
  }
  const gains = (network: Network | null, best: Network): network is Network =>
    network !== null && network.at.amountOut > best.at.amountOut
  const whole = at(1)
  let best = gains(whole, from) ? whole : from
  const top = whole ? topOf(slope, Number(whole.at.amountOut - from.at.amountOut)) : 1
  if (Math.abs(top - 1) > leastStretch) {
    const next = at(top)
    const isLess = top > 1 && next && whole && next.arcs.length < whole.arcs.length
    if (gains(next, best) && !isLess) best = next
  }
  for (let halving = 1; best === from && halving <= halvings; halving++) {
    const next = at(2 ** -halving)
    if (gains(next, best)) best = next
  }
  return best === from ? null : best
}

/** Where a parabola with this slope at 0, and this gain at 1, is highest; bounded. */
function topOf(slope: number, gain: number): number {
  const curve = slope - gain
  const top = curve > 0 ? slope / (2 * curve) : maxStretch
  return Math.min(Math.max(top, 2 ** -halvings), maxStretch)
}
