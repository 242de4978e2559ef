import { describe, expect, test } from 'vitest'
import type { BlockPin } from '../domain/primitives.js'
import { blockEnvironment, nextBaseFee } from './block-environment.js'

const pin: BlockPin = {
  chainId: 1,
  number: 100n,
  hash: `0x${'ab'.repeat(32)}`,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestamp: 1_700_000_000n,
  baseFeePerGas: 1_000_000_000n,
  gasUsed: 15_000_000n,
  gasLimit: 30_000_000n,
}

describe('nextBaseFee', () => {
  test('stays at the target, rises by an eighth on a full block, falls by an eighth on an empty one', () => {
    expect(nextBaseFee(pin)).toBe(1_000_000_000n)
    expect(nextBaseFee({ ...pin, gasUsed: 30_000_000n })).toBe(1_125_000_000n)
    expect(nextBaseFee({ ...pin, gasUsed: 0n })).toBe(875_000_000n)
  })

  test('known vectors of EIP-1559: 9 million of 20 million used, and one wei at least upwards', () => {
    const block = { ...pin, gasLimit: 20_000_000n }
    expect(nextBaseFee({ ...block, gasUsed: 9_000_000n })).toBe(987_500_000n)
    expect(nextBaseFee({ ...block, gasUsed: 11_000_000n })).toBe(1_012_500_000n)
    expect(nextBaseFee({ ...block, baseFeePerGas: 1n, gasUsed: 10_000_001n })).toBe(2n)
  })

  test('a chain without a base fee keeps none', () => {
    expect(nextBaseFee({ ...pin, baseFeePerGas: 0n, gasUsed: 30_000_000n })).toBe(0n)
    expect(nextBaseFee({ ...pin, gasLimit: 0n })).toBe(1_000_000_000n)
  })
})

describe('blockEnvironment', () => {
  test('is the block after the pinned one, with the time rounded up to whole seconds', () => {
    expect(blockEnvironment(pin, 12)).toMatchObject({ number: 101n, time: 1_700_000_012n })
    expect(blockEnvironment(pin, 0.25).time).toBe(1_700_000_001n)
    expect(blockEnvironment(pin, 12).prevRandao).toBe(pin.hash)
  })
})
