/** Ways on from a token, and how an amount is divided over them so that one more unit is worth the same on each. Pure. */

/** Output by input near the present amount, in units of the last token. */
export interface Slope {
  /** Value of one more raw unit. */
  readonly value: number
  /** How the value falls with each unit; always negative. */
  readonly curvature: number
  /** Raw units beyond which the output does not grow. */
  readonly most: number
}

/** One way on from a token. */
export interface Way extends Slope {
  readonly amountIn: number
  /** The worth of a unit from which on the way takes nothing. */
  readonly highest: number
  /** Raw units at which one more is worth so much. */
  amountAt(level: number): number
}

/** How exactly the level is found at which amounts add up, and after how many steps the search for it ends. */
const levelPrecision = 1e-14
const levelRounds = 180

/** Amounts that add up to the total and at which all values are equal, each within its bounds. */
export function equalised(own: readonly Way[], total: number): number[] {
  if (own.length === 1) return [total]
  const excessAt = (level: number) => {
    let sum = -total
    for (const way of own) sum += way.amountAt(level)
    return sum
  }
  let low = Math.min(...own.map((arc) => arc.value + arc.curvature * (total - arc.amountIn)))
  let high = Math.max(...own.map((way) => way.highest))
  // Where some ways are full, the others absorb more.
  for (let round = 0; round < 10 && excessAt(low) < 0; round++) low -= 2 * (high - low)
  // Amounts are linear in the level, but for where ways begin and end: regula falsi after Illinois, and every third step
  // halves, since a way that is hardly curved begins and ends at nearly the same level.
  let [above, below] = [excessAt(low), excessAt(high)]
  let side = 0
  for (let round = 0; round < levelRounds && above > 0; round++) {
    const cut = low + ((high - low) * above) / (above - below)
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    const level = round % 3 < 2 && cut > low && cut < high ? cut : middle
    const excess = excessAt(level)
    if (Math.abs(excess) <= total * levelPrecision) return own.map((way) => way.amountAt(level))
    if (excess > 0) {
      if (side > 0) below /= 2
      ;[low, above, side] = [level, excess, 1]
    } else {
      if (side < 0) above /= 2
      ;[high, below, side] = [level, excess, -1]
    }
  }
  return own.map((way) => way.amountAt(above > 0 ? (low + high) / 2 : low))
}
