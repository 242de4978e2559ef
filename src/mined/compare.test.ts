import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'
import { shortfalls } from './compare.js'

const name = (digit: string): Address => `0x${digit.repeat(40)}`
const [runner, poolA, poolB, tokenX, tokenY, tokenZ] = ['1', 'a', 'b', '7', '8', '9'].map(name) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const own = new Set([runner])

const move = (token: Address, from: Address, to: Address, amount: bigint): Movement => {
  return { token, from, to, amount }
}
/** X for Y at the first pool, then Y for Z at the second. */
const swaps = (y: bigint, z: bigint) => [
  [move(tokenX, runner, poolA, 1_000n), move(tokenY, poolA, runner, y)],
  [move(tokenY, runner, poolB, y), move(tokenZ, poolB, runner, z)],
]
function compare(promised: Movement[][], happened: (Movement[] | null)[]) {
  const targets = [poolA, poolB]
  const steps = promised.map((one, index) => {
    return { target: targets[index] ?? poolA, promised: one, happened: happened[index] ?? null }
  })
  return shortfalls(steps, own)
}

describe('shortfalls', () => {
  test('equal movements, and more than promised, are no shortfall', () => {
    expect(compare(swaps(500n, 250n), swaps(500n, 250n))).toEqual([null, null])
    expect(compare(swaps(500n, 250n), swaps(501n, 251n))).toEqual([null, null])
  })

  test('who got a tenth less and gives a tenth less is not at fault; who gave it first is', () => {
    const short = { payer: poolA, token: tokenY, promised: 500n, expected: 500n, happened: 450n }
    expect(compare(swaps(500n, 250n), swaps(450n, 225n))).toEqual([{ ...short, bps: 1_000 }, null])
  })

  test('a second one that keeps more than its share is at fault, too, by the rest', () => {
    const [, second] = compare(swaps(500n, 250n), swaps(450n, 180n))
    expect(second).toMatchObject({ payer: poolB, promised: 250n, expected: 225n, bps: 2_000 })
  })

  test('less than a basis point is rounding', () => {
    expect(compare(swaps(100_000n, 9n), swaps(99_991n, 9n))).toEqual([null, null])
    expect(compare(swaps(100_000n, 9n), swaps(99_990n, 9n))[0]).toMatchObject({ bps: 1 })
  })

  test('a step that was not reached is nobody’s fault; one that gives nothing at all is', () => {
    expect(compare(swaps(500n, 250n), [null, null])).toEqual([null, null])
    const nothing = [move(tokenX, runner, poolA, 1_000n)]
    expect(compare(swaps(500n, 250n), [nothing, null])[0]).toMatchObject({
      happened: 0n,
      bps: 10_000,
    })
  })

  test('what was minted is owed by the target of the step', () => {
    const mint = (amount: bigint) => [[move(tokenY, name('0'), runner, amount)]]
    expect(compare(mint(10n), mint(5n))[0]).toMatchObject({ payer: poolA, bps: 5_000 })
  })
})
