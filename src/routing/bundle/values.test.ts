import { describe, expect, test } from 'vitest'
import { parseSignature, toCallArguments } from './call-arguments.js'
import { parseArgument } from './parse-argument.js'
import { BadArgument, parseAddress, parseAmount, referencesIn } from './values.js'

const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'

describe('parseAmount', () => {
  test('decimal strings, safe integers and references', () => {
    expect(parseAmount('12')).toBe(12n)
    expect(parseAmount(12)).toBe(12n)
    expect(parseAmount({ useOutputOfCallAt: 1 })).toEqual({ useOutputOfCallAt: 1, index: 0 })
    expect(parseAmount(String(2n ** 256n - 1n))).toBe(2n ** 256n - 1n)
  })
  test.each([['-1'], ['1.5'], ['0x1'], [''], [1.5], [2 ** 60], [String(2n ** 256n)], [null], [[]]])(
    'refuses %j',
    (value) => {
      expect(() => parseAmount(value)).toThrow(BadArgument)
    },
  )
  test.each([
    [{ useOutputOfCallAt: -1 }],
    [{ useOutputOfCallAt: '0' }],
    [{ useOutputOfCallAt: 0, index: 1.5 }],
  ])('refuses the reference %j', (value) => {
    expect(() => parseAmount(value)).toThrow(BadArgument)
  })
})

describe('parseAddress', () => {
  test('any single case, or mixed case with the right checksum', () => {
    expect(parseAddress(dai.replace('b1', 'B1').toLowerCase())).toBe(dai)
    expect(parseAddress('0x6B175474E89094C44Da98b954EedeAC495271d0F')).toBe(dai)
    expect(() => parseAddress('0x6b175474E89094C44Da98b954EedeAC495271d0F')).toThrow(/EIP-55/)
  })
})

describe('parseArgument', () => {
  test('a single value is a list of one', () => {
    expect(parseArgument('addresses', dai)).toEqual([dai])
    expect(parseArgument('amounts', ['1', { useOutputOfCallAt: 0 }])).toEqual([
      1n,
      { useOutputOfCallAt: 0, index: 0 },
    ])
  })
  test('integers may be negative, bytes come in pairs', () => {
    expect(parseArgument('integer', '-887220')).toBe(-887220)
    expect(() => parseArgument('integer', '1.0')).toThrow(BadArgument)
    expect(parseArgument('bytes', '0xAb')).toBe('0xAb')
    expect(() => parseArgument('bytes', '0xa')).toThrow(BadArgument)
  })
})

describe('referencesIn', () => {
  test('finds them at any depth, with their places', () => {
    const value = { a: [{ b: { useOutputOfCallAt: 3 } }], c: 1 }
    expect(referencesIn(value, 'args')).toEqual([
      { place: 'args.a[0].b', value: { useOutputOfCallAt: 3 } },
    ])
  })
})

describe('toCallArguments', () => {
  const resolve = ({ useOutputOfCallAt }: { useOutputOfCallAt: number }) =>
    ({ ref: 'output', step: useOutputOfCallAt * 10 }) as const

  test('tuples by name or by place, nested lists, references inside', () => {
    const signature = 'f((address to, (uint256 a, bool b)[2] parts, bytes data) x, int24[][] ticks)'
    const { inputs } = parseSignature(signature)
    const reference = { useOutputOfCallAt: 2 }
    const given = [
      { to: dai, parts: [[reference, true], { a: '7', b: 'false' }], data: '0x' },
      [['-1', 2], []],
    ]
    expect(toCallArguments(inputs, given, resolve)).toEqual([
      {
        to: dai,
        parts: [
          { a: { ref: 'output', step: 20 }, b: true },
          { a: 7n, b: false },
        ],
        data: '0x',
      },
      [[-1n, 2n], []],
    ])
  })
  test.each([
    ['f(uint256)', ['x'], /a decimal string for uint256 at \[0\]/],
    ['f(uint256)', [], /a list of 1 values/],
    ['f(uint8[2])', [[1]], /a list of 2 values at \[0\]/],
    ['f(bool)', ['yes'], /true or false at \[0\]/],
    ['f(bytes32)', [{ useOutputOfCallAt: 0 }], /a bytes32, not a reference, at \[0\]/],
    ['f((uint256 a) x)', [{ b: 1 }], /the field a of the tuple at \[0\]/],
  ])('%s with %j says what is wrong', (signature, values, message) => {
    const { inputs } = parseSignature(signature)
    expect(() => toCallArguments(inputs, values, resolve)).toThrow(message)
  })
})
