/**
 * The least input for a stated output, by native math: of one flow, and of the flows that a search finds. The amount
 * to search with is not known before the search, so both approach each other. Pure; the fork decides.
 */
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { CandidateSet } from './candidates.js'
import { type Flow, runFlow } from './flow.js'

/** A least input is known once it is between two amounts that differ by less than this part of it. */
const precision = 1_000_000_000n
/** Steps that grow until the output is reached, and steps that narrow the amount down. */
const growthSteps = 48
const narrowingSteps = 96
/** Searches at most, and those for an output that a flow can give: the others are for amounts near what pools hold. */
const maxSearches = 14
const usualSearches = 6
/** Where the first amount gives nothing, larger ones are looked at so often before smaller ones. */
const upLooks = 2
/** Searches for the best path alone, and by what part its input may differ from that of the search. */
const pathLooks = 4
const pathDiffers = 0.2
/** After so many steps an interval whose ends are this many times apart is halved by orders of magnitude. */
const farAfter = 4
const far = 8n
/**
 * What a search with another amount may lose, as a part of the input: 0.3 basis points. Where the output grows
 * by r times the part d by which an amount grows, shares that are right for another amount lose at most
 * d * d * (1 - r) / 2 of the output.
 */
const mayLose = 3e-5
/** The most by which the amount of the search may differ, as a part of it. */
const mayDiffer = 0.005
/** Splits of an amount that differs by no more than this part are adapted, not searched for anew. */
const isNear = 0.1
/** Growth of an amount that is not enough. */
const growth = 4n
/** Four times the input that gives less than one part in so many more: the pools are as good as empty. */
const leastGain = 10_000n
/** This part of the most that was found can be asked for with certainty: the amounts that are tried depend on the output. */
const certainPart = { of: 99n, whole: 100n } as const

/**
 * The least amount whose output is at least `target`, to within a billionth of it (to the unit below 10^9).
 *
 * @param outputOf - raw units; does not fall while the amount grows, but is 0n beyond what a pool can take.
 * @param start - raw units, > 0, near the expected result.
 * @returns null where no amount was found that gives so much.
 */
export function leastInput(
  outputOf: (amountIn: bigint) => bigint,
  target: bigint,
  start: bigint,
): bigint | null {
  let low = { amount: 0n, output: 0n }
  let high = { amount: start, output: outputOf(start) }
  let tooMuch: bigint | null = null
  for (let step = 0; high.output < target; step++) {
    if (step === growthSteps) return null
    if (high.output === 0n && low.output > 0n) tooMuch = high.amount
    else low = high
    const amount = tooMuch === null ? grown(low, target, step) : (low.amount + tooMuch) / 2n
    if (tooMuch !== null && (amount - low.amount) * precision <= amount) return null
    high = { amount, output: outputOf(amount) }
  }
  // Regula falsi after Illinois, for the middle of the step up to the target: outputs are whole numbers.
  const missing = (output: bigint) => 2n * (output - target) + 1n
  let [under, over] = [missing(low.output), missing(high.output)]
  let last: 'low' | 'high' | null = null
  for (let step = 0; step < narrowingSteps; step++) {
    const width = high.amount - low.amount
    if (width <= 1n || width * precision < high.amount) break
    const cut = (width * over) / (over - under)
    // Far beyond what pools hold, outputs say nothing about the way back.
    const isFar = step >= farAfter && low.amount * far < high.amount
    const amount = isFar
      ? between(low.amount, high.amount)
      : high.amount - (cut < 1n ? 1n : cut < width ? cut : width - 1n)
    const output = outputOf(amount)
    const side = output >= target ? 'high' : 'low'
    if (side === 'high') {
      high = { amount, output }
      over = missing(output)
      if (last === side) under /= 2n
    } else {
      low = { amount, output }
      under = missing(output)
      if (last === side) over = (over + 1n) / 2n
    }
    last = side
  }
  return high.amount
}

/** The amount in between whose output is the target, where outputs grow by a power of the amount. */
function interpolated(low: Searched, high: Searched, target: bigint): bigint | null {
  const log = (amount: bigint, from: bigint) => Math.log(Number(amount) / Number(from))
  const part = log(target, low.output) / log(high.output, low.output)
  const factor = Math.exp(part * log(high.amountIn, low.amountIn))
  if (!Number.isFinite(factor)) return null
  return (low.amountIn * BigInt(Math.round(factor * Number(precision)))) / precision
}

/** Whether flows of a search may be used for an amount that differs by such a part, and so does its output. */
function isClose(input: number, output: number): boolean {
  if (Math.abs(input) <= mayLose) return true
  const rate = Math.abs(output / input)
  return Math.abs(input) <= mayDiffer && input * input * (1 - rate) <= 2 * rate * mayLose
}

/** How much `amount` differs from `from`, as a part of it. */
function relative(amount: bigint, from: bigint): number {
  return Number(amount - from) / Number(from)
}

/** Along the line through zero, and further with every step that was not enough. */
function grown(low: { amount: bigint; output: bigint }, target: bigint, step: number): bigint {
  if (low.output === 0n) return low.amount << BigInt(step + 1)
  const wanted = (low.amount * target) / low.output + 1n
  return low.amount + ((wanted - low.amount) << BigInt(step))
}

/** The middle of two amounts, or of their orders of magnitude where they are far apart. */
function between(low: bigint, high: bigint): bigint {
  if (low * far >= high) return (low + high) / 2n
  const bits = (amount: bigint) => BigInt(amount.toString(2).length)
  const middle = 1n << ((bits(low) + bits(high)) / 2n)
  return middle > low && middle < high ? middle : (low + high) / 2n
}

/** Raw units that a flow yields for an amount of its one input. */
export function outputOf(
  { edges }: Pick<Flow, 'edges'>,
  tokenIn: Address,
  tokenOut: Address,
): (amountIn: bigint) => bigint {
  return (amount) => runFlow(edges, [{ token: tokenIn, amount }], tokenOut).amountOut
}

export interface ExactOutputArgs {
  readonly tokenIn: Address
  /** What is to be reached. */
  readonly output: TokenAmount
  /**
   * Candidates for an amount of tokenIn, fee already taken.
   * @param knownSplits - of nearly the same amount, in place of a search for splits.
   */
  search(amountIn: bigint, knownSplits?: readonly Flow[]): CandidateSet
  /** The best path alone, which takes a tenth of the time. */
  bestPath(tokenIn: Address, tokenOut: Address, amountIn: bigint): Flow | undefined
  /** Raw units of tokenOut that a million gas costs; undefined where no price is known. */
  readonly gasCostOut: bigint | undefined
}

/** Candidates, and the amount of tokenIn that they were searched with: about what the output takes. */
export interface FoundInput {
  readonly amountIn: bigint
  readonly found: CandidateSet
}

/** A search, and what its best flow gives. */
interface Searched extends FoundInput {
  readonly output: bigint
}

/** No amount gives the output; `most` raw units of it are certain to be found. */
export interface OutputTooLarge {
  readonly most: bigint
}

/**
 * Searches with amounts that approach the least one, each taken from the best flow of the search before. Where that flow
 * cannot give the output, however much it gets, larger amounts show flows through more pools.
 *
 * @returns a set without candidates where there is no path for any amount.
 */
export function findInput(args: ExactOutputArgs): FoundInput | OutputTooLarge {
  const { tokenIn, output } = args
  let amountIn = firstGuess(args)
  /** The most that gives too little, the least that gives enough, and the least that no path takes. */
  let low: Searched | null = null
  let high: Searched | null = null
  let tooMuch: bigint | null = null
  let reaching: Searched | null = null
  let known: readonly Flow[] | undefined
  for (let round = 0; round < maxSearches && amountIn > 0n; round++) {
    const found = args.search(amountIn, known)
    const best = bestOf(found, args.gasCostOut)
    if (found.wasCut) return reaching ?? { amountIn, found }
    if (!best) {
      // Too much for every path, or too little to give a unit.
      if (!low && tooMuch === null && round < upLooks) {
        amountIn *= growth
        continue
      }
      if (reaching) break
      tooMuch = amountIn
      amountIn = between(low?.amountIn ?? 0n, tooMuch)
      continue
    }
    const here: Searched = { amountIn, found, output: best.amountOut }
    const least = leastInput(outputOf(best, tokenIn, output.token), output.amount, amountIn)
    if (least !== null) {
      reaching = here
      const difference = relative(least, amountIn)
      if (isClose(difference, relative(output.amount, best.amountOut)) || round >= usualSearches)
        break
    }
    if (best.amountOut >= output.amount) high = here
    else {
      const isEmpty = low !== null && best.amountOut - low.output < best.amountOut / leastGain
      if (!low || amountIn > low.amountIn) low = here
      if (isEmpty && least === null && tooMuch === null) break
    }
    const guess = low && high ? interpolated(low, high, output.amount) : null
    const next: bigint | null = least === null || (guess && guess < least) ? guess : least
    known = undefined
    if (next !== null) {
      if (Math.abs(relative(next, amountIn)) <= isNear) known = found.candidates.filter(isSplit)
      amountIn = next
    } else amountIn = tooMuch === null ? amountIn * growth : between(low?.amountIn ?? 0n, tooMuch)
  }
  if (reaching) return reaching
  if (low) return { most: (low.output * certainPart.of) / certainPart.whole }
  return { amountIn, found: args.search(amountIn > 0n ? amountIn : 1n) }
}

function isSplit(flow: Flow): boolean {
  return flow.isSplit
}

/**
 * What the best path takes, or several such where one cannot give the output. The other way round it is known at once,
 * but too little by twice the fees and the impact.
 */
function firstGuess({ tokenIn, output, bestPath }: ExactOutputArgs): bigint {
  let amountIn = bestPath(output.token, tokenIn, output.amount)?.amountOut ?? output.amount
  let parts = 1n
  for (let look = 0; look < pathLooks; look++) {
    const part = amountIn / parts
    const path = part > 0n ? bestPath(tokenIn, output.token, part) : undefined
    if (!path) break
    const target = (output.amount + parts - 1n) / parts
    const least = leastInput(outputOf(path, tokenIn, output.token), target, part)
    if (least === null) {
      parts *= 2n
      continue
    }
    const isEnough = Math.abs(relative(least, part)) < pathDiffers
    amountIn = least * parts
    if (isEnough) break
  }
  return amountIn
}

/** The flow worth most after gas at the amount of the search. */
function bestOf({ candidates }: CandidateSet, gasCostOut = 0n): Flow | undefined {
  const net = ({ amountOut, gas }: Flow) => amountOut - (gas * gasCostOut) / 1_000_000n
  return candidates.reduce<Flow | undefined>(
    (best, flow) => (best && net(best) >= net(flow) ? best : flow),
    undefined,
  )
}
