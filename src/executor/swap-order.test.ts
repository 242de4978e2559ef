import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packedSwaps, swapCallData } from '../../test/support/packed-swaps.js'
import { ForkrouteError } from '../domain/errors.js'
import { type Address, type Hex, zeroAddress } from '../domain/primitives.js'
import { type PackedHop, type PackedSwap, packSwap, readSwap } from './swap-order.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const hop: PackedHop = {
  family: 'v3',
  zeroForOne: true,
  isLast: true,
  share: 0,
  target: token('b'),
  tokenIn: zeroAddress,
  tokenOut: zeroAddress,
  fee: 0,
  tickSpacing: 0,
}
const swap: PackedSwap = {
  deadline: null,
  amountIn: 1_000n,
  minimum: 990n,
  tokenIn: token('1'),
  tokenOut: token('2'),
  wraps: false,
  unwraps: false,
  tags: null,
  receiver: null,
  fee: null,
  hops: [hop],
}

function expectMalformed(data: Hex) {
  expect(() => readSwap(data)).toThrow(ForkrouteError)
}

describe('packSwap', () => {
  test('known bytes: one V3 hop, 1000 in, 990 at least', () => {
    expect(packSwap(swap)).toBe(
      `0x8119c06500${'3e8'.padStart(32, '0')}${'3de'.padStart(32, '0')}${'1'.repeat(40)}${'2'.repeat(40)}86${'b'.repeat(40)}`,
    )
  })

  test('known bytes: ether into a V4 pool, with everything an order may have', () => {
    const v4: PackedHop = { ...hop, family: 'v4', zeroForOne: false, fee: 500, tickSpacing: -10 }
    const data = packSwap({
      ...swap,
      deadline: 255n,
      amountIn: null,
      tokenIn: zeroAddress,
      unwraps: true,
      tags: { accountId: `0x${'aa'.repeat(32)}`, referralCode: `0x${'bb'.repeat(16)}` },
      receiver: token('3'),
      fee: { receiver: token('4'), amount: 1n },
      hops: [v4],
    })
    expect(data).toBe(
      [
        '0x8119c065',
        '7d000000ff',
        '3de'.padStart(32, '0'),
        '2'.repeat(40),
        'aa'.repeat(32),
        'bb'.repeat(16),
        '3'.repeat(40),
        '4'.repeat(40),
        '1'.padStart(32, '0'),
        '83',
        'b'.repeat(40),
        '0001f4',
        'fffff6',
      ].join(''),
    )
  })

  test('throws for numbers that do not fit', () => {
    expect(() => packSwap({ ...swap, amountIn: 2n ** 128n })).toThrow(RangeError)
    expect(() => packSwap({ ...swap, deadline: 2n ** 32n })).toThrow(RangeError)
    expect(() => packSwap({ ...swap, hops: [{ ...hop, family: 'v2', fee: 65_536 }] })).toThrow(
      RangeError,
    )
  })
})

describe('readSwap', () => {
  test('property: reads back what packSwap packs', () => {
    fc.assert(
      fc.property(packedSwaps, (packed) => {
        expect(readSwap(packSwap(packed))).toEqual(packed)
      }),
    )
  })

  test('property: what it reads of any bytes packs to the same bytes, or it refuses them', () => {
    fc.assert(
      fc.property(swapCallData, (data) => {
        try {
          expect(packSwap(readSwap(data))).toBe(data)
        } catch (error) {
          if (!(error instanceof ForkrouteError)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })

  test('refuses an order cut at any byte', () => {
    const first = { ...hop, share: 5_000 }
    const data = packSwap({
      ...swap,
      hops: [first, { ...hop, isLast: false }, { ...hop, tokenIn: token('5') }],
    })
    for (let end = 2; end < data.length; end += 2) expectMalformed(data.slice(0, end) as Hex)
    expect(readSwap(data).hops).toHaveLength(3)
    expectMalformed(`${data}00`)
  })

  test('refuses unknown flags and kinds, and ether beside wrapping', () => {
    const data = packSwap(swap)
    const rest = data.slice(12)
    expectMalformed(`0x8119c06580${rest}`)
    expectMalformed(`0x8119c06542${rest}`)
    for (const unknown of ['8e', '96', 'a6', '87'])
      expectMalformed(data.replace('86bb', `${unknown}bb`) as Hex)
    expectMalformed(`0x12345678${data.slice(10)}`)
  })

  test('refuses shares of 0 and of 10000, at the last leg, and none at another', () => {
    const shared = (share: number) => packSwap({ ...swap, hops: [{ ...hop, share }, hop] })
    expect(readSwap(shared(9_999)).hops[0]?.share).toBe(9_999)
    expectMalformed(shared(10_000))
    expectMalformed(shared(1).replace('c60001', 'c60000') as Hex)
    expectMalformed(packSwap({ ...swap, hops: [{ ...hop, share: 5_000 }] }))
    expectMalformed(packSwap({ ...swap, hops: [hop, hop] }))
  })

  test('refuses a receiver of zero', () => {
    expectMalformed(packSwap({ ...swap, receiver: zeroAddress }))
  })
})
