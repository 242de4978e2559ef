/** Whole numbers that look random and are the same in every build. */

/** The next number from 0 to below `limit`. */
export type SeededRandom = (limit: number) => number

/** A 64-bit splitmix generator. */
export function createSeededRandom(seed: bigint): SeededRandom {
  let state = seed
  return (limit) => {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn
    let z = state
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn
    z ^= z >> 31n
    return Number(z % BigInt(limit))
  }
}

/** @throws RangeError when there is nothing to pick from. */
export function pick<T>(items: readonly T[], random: SeededRandom): T {
  const item = items[random(items.length)]
  if (item === undefined) throw new RangeError('There is nothing to pick from.')
  return item
}
