import fc from 'fast-check'
import { keccak256, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { arbitrum } from '../chains/arbitrum.js'
import { base } from '../chains/base.js'
import { ethereum } from '../chains/ethereum.js'
import type { BlockPin } from '../domain/primitives.js'
import {
  blockEnvironment,
  gasPriceAfter,
  maxTransactionGas,
  nextBaseFee,
  ordinaryGas,
  walletGas,
} from './block-environment.js'

const pin: BlockPin = {
  chainId: 1,
  number: 100n,
  hash: `0x${'ab'.repeat(32)}`,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestamp: 1_700_000_000n,
  baseFeePerGas: 1_000_000_000n,
  gasUsed: 15_000_000n,
  gasLimit: 30_000_000n,
  miner: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
  extraData: '0x546974616e',
  difficulty: 0n,
  shownHardFork: 'prague',
}
const rule = ethereum.baseFee

describe('nextBaseFee', () => {
  test('stays at the target, rises by an eighth on a full block, falls by an eighth on an empty one', () => {
    expect(nextBaseFee(pin, rule)).toBe(1_000_000_000n)
    expect(nextBaseFee({ ...pin, gasUsed: 30_000_000n }, rule)).toBe(1_125_000_000n)
    expect(nextBaseFee({ ...pin, gasUsed: 0n }, rule)).toBe(875_000_000n)
  })

  test('known vectors of EIP-1559: 9 million of 20 million used, and one wei at least upwards', () => {
    const block = { ...pin, gasLimit: 20_000_000n }
    expect(nextBaseFee({ ...block, gasUsed: 9_000_000n }, rule)).toBe(987_500_000n)
    expect(nextBaseFee({ ...block, gasUsed: 11_000_000n }, rule)).toBe(1_012_500_000n)
    expect(nextBaseFee({ ...block, baseFeePerGas: 1n, gasUsed: 10_000_001n }, rule)).toBe(2n)
  })

  test('a chain without a base fee keeps none', () => {
    expect(nextBaseFee({ ...pin, baseFeePerGas: 0n, gasUsed: 30_000_000n }, rule)).toBe(0n)
    expect(nextBaseFee({ ...pin, gasLimit: 0n }, rule)).toBe(1_000_000_000n)
  })
})

describe('before London', () => {
  const before = { ...pin, baseFeePerGas: 0n, shownHardFork: 'berlin' as const }

  test('no base fee, up to the block before the first that has one: there it is 1 gwei, however full', () => {
    expect(nextBaseFee(before, rule)).toBe(0n)
    expect(nextBaseFee({ ...before, number: 12_964_998n }, rule)).toBe(0n)
    const last = { ...before, number: 12_964_999n, gasUsed: 14_999_999n, gasLimit: 15_000_000n }
    expect(nextBaseFee(last, rule)).toBe(1_000_000_000n)
    expect(gasPriceAfter(last, ethereum)).toBe(1_000_000_000n + ethereum.priorityFeePerGas)
  })

  test('block 12,965,000 used 30,025,257 of 30,029,122 gas, and the next had 1,124,967,822 wei', () => {
    const first = { ...pin, shownHardFork: 'london' as const, number: 12_965_000n }
    const header = { baseFeePerGas: 1_000_000_000n, gasUsed: 30_025_257n, gasLimit: 30_029_122n }
    expect(nextBaseFee({ ...first, ...header }, rule)).toBe(1_124_967_822n)
  })
})

describe('blockEnvironment', () => {
  test('is the block after the pinned one, with the time rounded up to whole seconds', () => {
    expect(blockEnvironment(pin, ethereum)).toMatchObject({ number: 101n, time: 1_700_000_012n })
    expect(blockEnvironment(pin, { ...ethereum, blockTimeSeconds: 0.25 }).time).toBe(1_700_000_001n)
  })

  test('has a random value that no contract can read elsewhere, and the maker of the pinned block', () => {
    const { prevRandao, feeRecipient } = blockEnvironment(pin, ethereum)
    expect(prevRandao).toBe(keccak256(pin.hash))
    expect(feeRecipient).toBe(pin.miner)
  })

  test('before Paris the random value is the difficulty of the pinned block', () => {
    const difficulty = 7_742_494_487_798_040n
    const { prevRandao } = blockEnvironment({ ...pin, difficulty }, ethereum)
    expect(prevRandao).toBe(numberToHex(difficulty, { size: 32 }))
  })
})

describe('nextBaseFee by chain', () => {
  const full = { ...pin, gasUsed: 30_000_000n }

  test('Base before its headers said so: a sixth of the limit is the target, and a full block adds one fiftieth', () => {
    expect(nextBaseFee({ ...full, extraData: '0x' }, base.baseFee)).toBe(1_020_000_000n)
    expect(nextBaseFee({ ...pin, gasUsed: 5_000_000n }, base.baseFee)).toBe(1_000_000_000n)
  })

  test('Base since Holocene: a header with denominator 50 and elasticity 3 adds a twenty-fifth to a full block', () => {
    expect(nextBaseFee({ ...full, extraData: '0x000000003200000003' }, base.baseFee)).toBe(
      1_040_000_000n,
    )
    expect(nextBaseFee({ ...full, extraData: '0x000000000000000000' }, base.baseFee)).toBe(
      1_020_000_000n,
    )
  })

  test('Base since Jovian: the fee never falls below the lowest that the header states', () => {
    const empty = { ...pin, gasUsed: 0n }
    const extraData = '0x01000000fa000000060000000038800000' as const
    expect(nextBaseFee({ ...empty, extraData }, base.baseFee)).toBe(996_000_000n)
    const high = '0x01000000fa00000006000000003b9aca01' as const
    expect(nextBaseFee({ ...empty, extraData: high }, base.baseFee)).toBe(1_000_000_001n)
  })

  test('Ethereum reads nothing out of the extra data; Arbitrum keeps the fee, however full a block was', () => {
    expect(nextBaseFee({ ...full, extraData: '0x000000003200000003' }, rule)).toBe(1_125_000_000n)
    expect(nextBaseFee(full, arbitrum.baseFee)).toBe(1_000_000_000n)
    expect(gasPriceAfter(full, ethereum)).toBe(1_125_000_000n + ethereum.priorityFeePerGas)
  })
})

describe('gas limits', () => {
  test('property: each is fixed by the block, an ordinary one 2 to 3 million, a wallet leaves 45 to 75 percent', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(21_000n, 10n ** 7n), (word, used) => {
        const at = { ...pin, hash: numberToHex(word, { size: 32 }) }
        const ordinary = ordinaryGas(at)
        expect(ordinary).toBe(ordinaryGas({ ...at, gasUsed: 1n }))
        expect(ordinary).toBeGreaterThanOrEqual(2_000_000n)
        expect(ordinary).toBeLessThan(3_000_000n)
        expect(ordinary).toBeLessThan(maxTransactionGas)
        expect(walletGas(at, used)).toBeGreaterThanOrEqual((used * 145n) / 100n)
        expect(walletGas(at, used)).toBeLessThanOrEqual((used * 175n) / 100n)
      }),
    )
  })
})
