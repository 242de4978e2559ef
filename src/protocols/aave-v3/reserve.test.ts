import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import { explain } from './errors.js'
import { decodeConfiguration, decodeReserve } from './reserve.js'

const asset: Address = '0x00000000000000000000000000000000000000a5'
const aToken: Address = '0x00000000000000000000000000000000000000a7'
const debtToken: Address = '0x00000000000000000000000000000000000000de'
const zero: Address = '0x0000000000000000000000000000000000000000'
/** Decimals 6, active, borrowable, reserve factor 1000, supply cap 3,000,000. */
const bits = (6n << 48n) | (1n << 56n) | (1n << 58n) | (1_000n << 64n) | (3_000_000n << 116n)

const types = parseAbiParameters(
  'uint256, uint128, uint128, uint128, uint128, uint128, uint40, uint16, address, address, address, address, uint128, uint128, uint128',
)
const encode = (aTokenAddress: Address) =>
  encodeAbiParameters(types, [
    ...([bits, 11n, 12n, 13n, 14n, 15n, 16, 17] as const),
    ...([aTokenAddress, zero, debtToken, zero, 20n, 21n, 22n] as const),
  ])

describe('decodeConfiguration', () => {
  test('known vector: a reserve of six decimals with a cap', () => {
    expect(decodeConfiguration(bits)).toEqual({
      decimals: 6,
      isActive: true,
      isFrozen: false,
      isPaused: false,
      isBorrowable: true,
      reserveFactor: 1_000n,
      supplyCap: 3_000_000n,
    })
  })
  test('frozen and paused are bits of their own', () => {
    expect(decodeConfiguration(bits | (1n << 57n)).isFrozen).toBe(true)
    expect(decodeConfiguration(bits | (1n << 60n)).isPaused).toBe(true)
  })
})

describe('decodeReserve', () => {
  test('takes the words that all versions fill', () => {
    expect(decodeReserve(asset, encode(aToken))).toMatchObject({
      asset,
      aToken,
      variableDebtToken: debtToken,
      id: 17,
      liquidityIndex: 11n,
      liquidityRate: 12n,
      accruedToTreasury: 20n,
    })
  })
  test('null for an asset that is not listed, and for an answer of another shape', () => {
    expect(decodeReserve(asset, encode(zero))).toBeNull()
    expect(decodeReserve(asset, '0x')).toBeNull()
  })
})

describe('explain', () => {
  test.each([
    ['Error(35)', 'health factor'],
    ['Error(51)', 'supply cap'],
    ['51', 'supply cap'],
    ['Panic(0x11): arithmetic overflow or underflow', 'has less left'],
  ])('%s in words', (reason, words) => {
    expect(explain(reason)).toContain(words)
  })
  test.each(['Error(999)', 'ReserveFrozen()', 'Error(35 apples)', 'BelowMinimum(35, 36)'])(
    '%s says it itself',
    (reason) => {
      expect(explain(reason)).toBeNull()
    },
  )
})
