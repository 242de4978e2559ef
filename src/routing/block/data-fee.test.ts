import { brotliCompressSync, constants } from 'node:zlib'
import { hexToBytes } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  dataFeeOf,
  dataFeeOfBytes,
  dataFeeOfSwap,
  operatorFeeOf,
  priceOfMillionGas,
} from './data-fee.js'
import { fastLzLength } from './fast-lz.js'

const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
const tx = { from, to, data: '0x00ff', value: 0n } as const

describe('FastLZ', () => {
  // Figures of op-geth's own test, core/types/rollup_cost_test.go.
  test.each([
    ['nothing', new Uint8Array(), 0],
    ['a thousand equal bytes', new Uint8Array(1_000).fill(1), 21],
    ['a thousand zeros', new Uint8Array(1_000), 21],
    ['too few to match', new Uint8Array(12), 13],
  ])('%s', (_name, bytes, length) => {
    expect(fastLzLength(bytes)).toBe(length)
  })
})

describe('the L1 data fee', () => {
  const bytes = hexToBytes('0x00ff00ff')

  test('Bedrock and Ecotone charge for zeros a quarter of what they charge for other bytes', () => {
    const gas = 2n * 4n + 2n * 16n + 68n * 16n
    const bedrock = { kind: 'bedrock', l1BaseFee: 10n, overhead: 5n, scalar: 2_000_000n } as const
    expect(dataFeeOfBytes(bedrock, bytes)).toBe((gas + 5n) * 10n * 2n)
    const ecotone = { kind: 'ecotone', weightedPrice: 16_000_000n } as const
    expect(dataFeeOfBytes(ecotone, bytes)).toBe(gas)
    expect(dataFeeOfSwap(ecotone)).toBe(32n * 16n)
  })

  test('Fjord charges for a hundred bytes at least', () => {
    const fjord = { kind: 'fjord', weightedPrice: 1_000_000n } as const
    expect(dataFeeOfBytes(fjord, bytes)).toBe(100n)
    expect(dataFeeOfSwap(fjord)).toBe(26n)
  })

  test('Arbitrum charges for the signed transaction after Brotli, as it will be sent', () => {
    const model = { kind: 'arbitrum', pricePerUnit: 3n } as const
    const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 22 }
    const length = brotliCompressSync(bytes, { params }).length
    expect(dataFeeOfBytes(model, bytes)).toBe(BigInt(length) * 48n)
    const fee = dataFeeOf({ model, chainId: 42_161, gasPrice: 10n ** 7n, tip: 0n }, tx)
    // A signature, an address and the head of the transaction do not compress.
    expect(Number(fee) / 48).toBeGreaterThan(100)
    expect(Number(fee) / 48).toBeLessThan(140)
    expect(dataFeeOfSwap(model)).toBe(32n * 48n)
  })
})

describe('the operator fee', () => {
  const operator = { constant: 7n, perMillionGas: 3n * 10n ** 6n + 1n }

  test('has a constant part, and one that makes gas dearer', () => {
    const model = { kind: 'fjord', weightedPrice: 1n, operator } as const
    expect(operatorFeeOf(model, 200_000n)).toBe(7n + 600_000n)
    expect(priceOfMillionGas(5n, model)).toBe(8n * 10n ** 6n + 1n)
  })

  test.each([
    [null],
    [{ kind: 'fjord', weightedPrice: 1n } as const],
    [{ kind: 'arbitrum', pricePerUnit: 1n } as const],
  ])('is nothing with %o', (model) => {
    expect(operatorFeeOf(model, 200_000n)).toBe(0n)
    expect(priceOfMillionGas(5n, model)).toBe(5n * 10n ** 6n)
  })
})
