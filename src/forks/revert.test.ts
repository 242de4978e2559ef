import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeRevert } from './revert.js'

const abi = parseAbi([
  'error Error(string message)',
  'error Panic(uint256 code)',
  'error TooLittle(uint256 wanted, (address token, uint256[] amounts) found)',
  'function unrelated()',
])
const token = '0x00000000000000000000000000000000000000AA'

describe('decodeRevert', () => {
  test('an Error carries its message', () => {
    const data = encodeErrorResult({ abi, errorName: 'Error', args: ['K'] })
    expect(decodeRevert(data)).toBe('Error(K)')
  })

  test('addresses are in lower case, also those of a text; other hexadecimal digits stay', () => {
    const digits = `0x${'AB'.repeat(32)}`
    const data = encodeErrorResult({ abi, errorName: 'Error', args: [`${token} not ${digits}`] })
    expect(decodeRevert(data)).toBe(`Error(${token.toLowerCase()} not ${digits})`)
  })

  test('a Panic carries its code and meaning', () => {
    const panic = (code: bigint) => encodeErrorResult({ abi, errorName: 'Panic', args: [code] })
    expect(decodeRevert(panic(0x11n))).toBe('Panic(0x11): arithmetic overflow or underflow')
    expect(decodeRevert(panic(1n))).toBe('Panic(0x01): assertion failed')
    expect(decodeRevert(panic(0x99n))).toBe('Panic(0x99): unknown code')
  })

  test('a custom error of the ABI carries its arguments, tuples included', () => {
    const args = [7n, { token, amounts: [1n, 2n] }] as const
    const data = encodeErrorResult({ abi, errorName: 'TooLittle', args })
    expect(decodeRevert(data, abi)).toBe(
      `TooLittle(7, {"token":"${token.toLowerCase()}","amounts":["1","2"]})`,
    )
    expect(decodeRevert(data)).toBe(`unknown error ${data.slice(0, 10)}`)
  })

  test('of megabytes, in one argument or within another reason, 500 characters are printed', () => {
    const long = encodeErrorResult({ abi, errorName: 'Error', args: ['x'.repeat(2 ** 20)] })
    expect(decodeRevert(long)).toBe(`Error(${'x'.repeat(500)}…)`)
    const failed = parseAbi(['error StepFailed(uint256 step, bytes reason)'])
    const outer = encodeErrorResult({ abi: failed, errorName: 'StepFailed', args: [3n, long] })
    expect(decodeRevert(outer, failed)).toBe(`StepFailed(3, ${long.slice(0, 500)}…)`)
    const short = encodeErrorResult({ abi, errorName: 'Error', args: ['K'] })
    const inner = encodeErrorResult({ abi: failed, errorName: 'StepFailed', args: [3n, short] })
    expect(decodeRevert(inner, failed)).toBe('StepFailed(3, Error(K))')
  })

  test('no data, a bare selector and broken data never throw', () => {
    expect(decodeRevert('0x')).toBe('reverted without a reason')
    expect(decodeRevert('0x0102')).toBe('reverted without a reason')
    expect(decodeRevert('0x12345678', abi)).toBe('unknown error 0x12345678')
    expect(decodeRevert('0x08c379a0ff', abi)).toBe('unknown error 0x08c379a0')
  })
})
