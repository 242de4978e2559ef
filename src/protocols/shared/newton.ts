/** Newton's method as contracts run it: until two results are a unit apart, or so many rounds are over. Pure. */

const mostRounds = 255

export interface Iterated {
  /** After the last round. */
  readonly value: bigint
  /** False: no two results were a unit apart. */
  readonly isSettled: boolean
}

/**
 * The roundings of a nearly empty pool can lead in a circle. Once a value comes again, all rounds that bring the same
 * values are left out, so that the last one is what all 255 lead to.
 *
 * @param step - the next value; null ends the method.
 * @returns null where a step does.
 */
export function newton(start: bigint, step: (value: bigint) => bigint | null): Iterated | null {
  let value = start
  /** The value after a number of rounds that is a power of 2; null once a circle was found. */
  let mark: { readonly value: bigint; readonly round: number } | null = { value, round: 0 }
  for (let round = 1; round <= mostRounds; round++) {
    const next = step(value)
    if (next === null) return null
    const previous = value
    value = next
    if (value > previous ? value - previous <= 1n : previous - value <= 1n) {
      return { value, isSettled: true }
    }
    if (!mark) continue
    if (value === mark.value) {
      round = mostRounds - ((mostRounds - round) % (round - mark.round))
      mark = null
    } else if ((round & (round - 1)) === 0) {
      mark = { value, round }
    }
  }
  return { value, isSettled: false }
}
