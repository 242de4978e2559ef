import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BlockPin, zeroAddress } from '../domain/primitives.js'
import { findBlockAtTime } from './block-at-time.js'

function pin(number: number, timestamp: number): BlockPin {
  return {
    chainId: 1,
    number: BigInt(number),
    timestamp: BigInt(timestamp),
    hash: zeroAddress,
    parentHash: zeroAddress,
    baseFeePerGas: 1n,
    gasUsed: 1n,
    gasLimit: 1n,
    miner: zeroAddress,
    extraData: '0x',
    difficulty: 0n,
    shownHardFork: 'prague',
  }
}

/** Asks for the block of a moment, of a chain with the timestamps that a function gives. */
async function ask(height: number, timeOf: (number: number) => number, timestamp: number) {
  let reads = 0
  const found = await findBlockAtTime({
    head: pin(height, timeOf(height)),
    timestamp: BigInt(timestamp),
    blockTimeSeconds: 12,
    async header(number) {
      reads += 1
      return pin(Number(number), timeOf(Number(number)))
    },
  })
  return { number: Number(found.number), reads }
}

/** As Ethereum's: 13 seconds and more at first, then 12 with slots left empty. */
const uneven = (number: number) => {
  const merge = 15_537_393
  const start = 1_438_269_988
  if (number < merge) return start + Math.floor(number * 14.5)
  const later = number - merge
  return start + Math.floor(merge * 14.5) + (later + Math.floor(later / 97)) * 12
}

describe('findBlockAtTime', () => {
  test('the very block, the one before its successor, the head for the future', async () => {
    const timeOf = (number: number) => 1_000 + number * 12
    expect((await ask(500, timeOf, 1_000 + 77 * 12)).number).toBe(77)
    expect((await ask(500, timeOf, 1_000 + 77 * 12 + 11)).number).toBe(77)
    expect(await ask(500, timeOf, 1_000 + 500 * 12)).toEqual({ number: 500, reads: 0 })
    expect(await ask(500, timeOf, 10 ** 10)).toEqual({ number: 500, reads: 0 })
    expect((await ask(500, timeOf, 1_000)).number).toBe(0)
  })

  test('before the first block: UNKNOWN_BLOCK', async () => {
    await expect(ask(500, (number) => 1_000 + number * 12, 999)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message: 'Chain 1 had no block at 999 (unix seconds): its first is of 1000.',
    })
  })

  test('of several blocks in one second, the last', async () => {
    const timeOf = (number: number) => 1_000 + Math.floor(number / 4)
    expect((await ask(5_000, timeOf, 1_100)).number).toBe(403)
  })

  test.each([1_438_300_000, 1_500_000_000, 1_650_000_000, 1_663_224_179, 1_725_000_000])(
    'at %s a chain of 21 million uneven blocks is asked for 20 headers at most',
    async (timestamp) => {
      const { number, reads } = await ask(21_000_000, uneven, timestamp)
      expect(uneven(number)).toBeLessThanOrEqual(timestamp)
      expect(uneven(number + 1)).toBeGreaterThan(timestamp)
      expect(reads).toBeLessThanOrEqual(20)
    },
  )

  test('property: right for any chain, with at most twice as many headers as halving takes', async () => {
    const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(1_000_000)), { minLength: 1, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(1_000_000), async (list, wanted) => {
        const times = [100]
        for (const gap of list) times.push((times.at(-1) ?? 0) + gap)
        const end = times.at(-1) ?? 0
        const timestamp = 100 + (wanted % (end - 99))
        const { number, reads } = await ask(list.length, (n) => times[n] ?? 0, timestamp)
        expect(number).toBe(times.findLastIndex((time) => time <= timestamp))
        expect(reads).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(times.length)) + 2)
      }),
    )
  })
})
