/** The least input whose output is what is wanted, where only an attempt tells what comes out of an amount. Pure. */

import { at, compareAmounts } from '../../domain/lists.js'
import { ceilDiv } from '../../domain/primitives.js'

/** An output this close above the wanted one, as a part of it, needs no smaller input: a tenth of a basis point. */
const closeEnough = 100_000n
/** What attempts aim at beyond the wanted output, as a part of it: what is found is off by less. */
const aimedBeyond = 400_000n
/** How much larger an amount may get in one step. */
const growth = 4n

export interface Attempt<T> {
  /** Raw units. */
  readonly output: bigint
  readonly value: T
}

interface Tried {
  readonly amountIn: bigint
  readonly output: bigint
}

/**
 * Outputs grow with amounts, in steps and with a cost taken off them, so amounts are taken from the line through two of
 * them.
 *
 * @param start - raw units, > 0, near the expected result.
 * @param attempt - null: no other amount is to be tried.
 * @param most - attempts.
 * @returns what the least amount tried gives that is enough; null where none of them was.
 */
export async function approach<T>(
  { wanted, start, most }: Record<'wanted' | 'start', bigint> & { readonly most: number },
  attempt: (amountIn: bigint) => Promise<Attempt<T> | null>,
): Promise<T | null> {
  const tried: Tried[] = []
  let best: { readonly amountIn: bigint; readonly value: T } | null = null
  let amountIn: bigint | null = start
  while (amountIn !== null && tried.length < most) {
    const made = await attempt(amountIn)
    if (!made) break
    const { output, value } = made
    const isEnough = output >= wanted
    if (isEnough && (best === null || amountIn < best.amountIn)) best = { amountIn, value }
    if (isEnough && (output - wanted) * closeEnough <= output) break
    tried.push({ amountIn, output })
    amountIn = nextAmount(tried, wanted)
  }
  return best?.value ?? null
}

/** Null where no other amount is known to be better. */
function nextAmount(tried: readonly Tried[], wanted: bigint): bigint | null {
  const aim = wanted + wanted / aimedBeyond
  const sorted = tried.toSorted((a, b) => compareAmounts(a.amountIn, b.amountIn))
  const low = sorted.findLast(({ output }) => output < wanted)
  const [high, higher] = sorted.filter(({ output }) => output >= wanted)
  const [last, before] = [at(tried, tried.length - 1), tried.at(-2)]
  const isFlat = before?.output === last.output
  if (low && high) {
    if (low.amountIn + 1n >= high.amountIn) return null
    // Outputs in steps leave the line on one side of what is wanted.
    const isStalled = before && before.output < wanted === last.output < wanted
    const guess = () => {
      if (isStalled) return (low.amountIn + high.amountIn) / 2n
      if (low.output > 0n) return onLine(low, high, aim)
      return higher ? onLine(high, higher, aim) : (low.amountIn + high.amountIn) / 2n
    }
    return within(guess(), low.amountIn + 1n, high.amountIn - 1n)
  }
  const next = before && !isFlat ? onLine(before, last, aim) : inProportion(last, aim)
  if (high) return high.amountIn > 1n ? within(next, 1n, high.amountIn - 1n) : null
  // On a step the amount grows by more each time.
  const least = isFlat && before ? last.amountIn + growth * (last.amountIn - before.amountIn) : 1n
  return within(least > next ? least : next, last.amountIn + 1n, last.amountIn * growth)
}

/** Rounded up. */
function onLine(a: Tried, b: Tried, aim: bigint): bigint {
  const [from, to] = a.amountIn < b.amountIn ? [a, b] : [b, a]
  const rise = to.output - from.output
  if (rise <= 0n) return inProportion(to, aim)
  return from.amountIn + divided((aim - from.output) * (to.amountIn - from.amountIn), rise)
}

function inProportion({ amountIn, output }: Tried, aim: bigint): bigint {
  return output > 0n ? ceilDiv(amountIn * aim, output) : amountIn * growth
}

/** Rounded up. */
function divided(value: bigint, by: bigint): bigint {
  return value > 0n ? ceilDiv(value, by) : value / by
}

function within(amount: bigint, least: bigint, most: bigint): bigint {
  return amount < least ? least : amount > most ? most : amount
}
