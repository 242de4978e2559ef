import { concatHex, encodePacked, size } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  composeGasOption,
  composeOptionOf,
  encodeOptions,
  nativeDropOption,
  receiveGasOption,
} from './options.js'

describe('encodeOptions', () => {
  test('known vectors: 200,000 gas of a receipt and 500,000 of a compose, as LayerZero’s OptionsBuilder writes them', () => {
    expect(encodeOptions([receiveGasOption(200_000n)])).toBe(
      '0x00030100110100000000000000000000000000030d40',
    )
    expect(encodeOptions([composeGasOption({ gas: 500_000n, value: 0n })])).toBe(
      '0x00030100130300000000000000000000000000000007a120',
    )
    expect(encodeOptions([composeGasOption({ gas: 500_000n, value: 10n ** 18n })])).toBe(
      '0x00030100230300000000000000000000000000000007a12000000000000000000de0b6b3a7640000',
    )
  })
})

describe('nativeDropOption', () => {
  test('known vector: one ether of wei for an account, of worker 1, type 2, 49 bytes', () => {
    const receiver = '0x00000000000000000000000000000000000a11ce'
    expect(encodeOptions([nativeDropOption({ receiver, amount: 10n ** 18n })])).toBe(
      '0x00030100310200000000000000000de0b6b3a7640000' +
        '00000000000000000000000000000000000000000000000000000000000a11ce',
    )
  })
})

describe('composeOptionOf', () => {
  test('adds up what stands for the first compose, gas and value, and nothing else', () => {
    const valued = encodePacked(
      ['uint8', 'uint16', 'uint8', 'uint16', 'uint128', 'uint128'],
      [1, 35, 3, 0, 7n, 11n],
    )
    const second = encodePacked(
      ['uint8', 'uint16', 'uint8', 'uint16', 'uint128'],
      [1, 19, 3, 1, 1_000n],
    )
    const verifier = encodePacked(['uint8', 'uint16', 'uint8', 'uint8'], [2, 2, 0, 1])
    const options = encodeOptions([
      ...[receiveGasOption(1n), composeGasOption({ gas: 5n, value: 0n }), second],
      ...[verifier, valued],
    ])
    expect(composeOptionOf(options)).toEqual({ gas: 12n, value: 11n })
  })

  test('of none, of another type and of torn ones: zero', () => {
    const none = { gas: 0n, value: 0n }
    expect(composeOptionOf('0x')).toEqual(none)
    expect(composeOptionOf(encodeOptions([]))).toEqual(none)
    expect(composeOptionOf(encodePacked(['uint16', 'uint256'], [1, 200_000n]))).toEqual(none)
    const whole = encodeOptions([composeGasOption({ gas: 5n, value: 0n })])
    for (let end = 2; end < size(whole); end += 1) {
      const torn = whole.slice(0, 2 + 2 * end) as `0x${string}`
      expect(() => composeOptionOf(torn)).not.toThrow()
    }
    expect(composeOptionOf(concatHex([whole, '0x010000']))).toEqual({ gas: 5n, value: 0n })
  })
})
