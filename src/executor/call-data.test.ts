import fc from 'fast-check'
import {
  type AbiFunction,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiItem,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { AmountRef } from '../domain/order.js'
import { encodeCall } from './call-data.js'

const ref: AmountRef = { ref: 'balance', token: '0x00000000000000000000000000000000000000aa' }
const owner = '0x00000000000000000000000000000000000000bb'

/** Writes `value` where the only patch goes. */
function patched(abi: AbiFunction, args: readonly unknown[], value: bigint): string {
  const { data, patches } = encodeCall(abi, args, 0)
  const [patch] = patches
  if (!patch || patches.length !== 1) throw new Error('one patch expected')
  const at = 2 + patch.offset * 2
  return data.slice(0, at) + value.toString(16).padStart(64, '0') + data.slice(at + 64)
}

/** The same call with the value known in advance. */
function direct(abi: AbiFunction, args: readonly unknown[]): string {
  return encodeFunctionData({ abi: [abi], functionName: abi.name, args })
}

describe('encodeCall', () => {
  test('a call without references is what viem encodes', () => {
    const abi = parseAbiItem('function f(uint256 a, string b, address[] c) payable')
    const args = [7n, 'seven', [owner]]
    expect(encodeCall(abi, args, 0)).toEqual({ data: direct(abi, args), patches: [] })
  })

  test('places a value inside a tuple, inside an array of tuples, behind dynamic data', () => {
    const abi = parseAbiItem([
      'function f(string note, Leg[] legs, (address to, uint256[2] amounts) last)',
      'struct Leg { bytes path; uint256 amount; }',
    ])
    const args = (a: unknown, b: unknown) => [
      'a note of more than thirty-two bytes, to shift what follows',
      [
        { path: '0x0102', amount: 1n },
        { path: '0x', amount: a },
      ],
      { to: owner, amounts: [5n, b] },
    ]
    expect(patched(abi, args(ref, 9n), 123n)).toBe(direct(abi, args(123n, 9n)))
    expect(patched(abi, args(9n, ref), 123n)).toBe(direct(abi, args(9n, 123n)))
  })

  test('tells two references apart, also where other words are equal', () => {
    const abi = parseAbiItem('function f(uint256 a, uint256 b, uint256 c, uint256 d)')
    const other: AmountRef = { ref: 'output', step: 0 }
    const { patches } = encodeCall(abi, [0n, ref, 2n ** 256n - 1n, other], 1)
    expect(patches).toEqual([
      { offset: 36, ref },
      { offset: 100, ref: other },
    ])
  })

  test('property: any width and sign, any neighbours', () => {
    const types = fc.tuple(fc.constantFrom('uint', 'int'), fc.integer({ min: 1, max: 32 }))
    fc.assert(
      fc.property(
        types,
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.uint8Array(),
        ([kind, width], near, tail) => {
          const abi = parseAbiItem(
            `function f(uint256 head, ${kind}${width * 8} value, bytes tail, uint8[] more)`,
          ) as AbiFunction
          const bytes = `0x${Buffer.from(tail).toString('hex')}`
          const args = (value: unknown) => [near, value, bytes, [...tail]]
          const value = 2n ** BigInt(width * 8 - 1) - 1n
          expect(patched(abi, args(ref), value)).toBe(direct(abi, args(value)))
        },
      ),
    )
  })

  test('a call with other references has theirs, and one with other arguments its own bytes', () => {
    const abi = parseAbiItem('function f(uint256 a, string b, uint256 c)')
    const other: AmountRef = { ref: 'output', step: 2, bps: 5_000 }
    const first = encodeCall(abi, [ref, '1', 7n], 0)
    expect(encodeCall(abi, [other, '1', 7n], 3)).toEqual({
      data: first.data,
      patches: first.patches.map(({ offset }) => ({ offset, ref: other })),
    })
    for (const args of [
      [7n, '1', 7n],
      [7n, 'r', 7n],
      [7n, 'n7', 7],
      [0, '1', 7n],
    ]) {
      expect(encodeCall(abi, args, 0)).toEqual({ data: direct(abi, args), patches: [] })
    }
    expect(encodeCall(abi, [7n, '1', ref], 0).patches).toEqual([{ offset: 68, ref }])
  })

  test('an argument that does not fit is refused after one like it was encoded', () => {
    const abi = parseAbiItem('function f(uint256 a)')
    encodeCall(abi, [ref], 0)
    for (const wrong of ['r', null, undefined]) {
      expect(() => encodeCall(abi, [wrong], 1)).toThrow(/do not fit its ABI/)
    }
  })

  test('references inside a tuple have their places, whatever the order of its fields', () => {
    const abi = parseAbiItem('function f((uint256 a, uint256 b) pair)')
    const other: AmountRef = { ref: 'output', step: 0 }
    const patches = [
      { offset: 4, ref },
      { offset: 36, ref: other },
    ]
    expect(encodeCall(abi, [{ a: ref, b: other }], 0).patches).toEqual(patches)
    expect(encodeCall(abi, [{ b: other, a: ref }], 0).patches).toEqual(patches)
  })

  test('a reference inside values encoded as bytes is found there', () => {
    const abi = parseAbiItem('function f(bytes data, uint256 tail)')
    const types = parseAbiParameters('uint256 kind, uint256[] amounts')
    const args = (value: unknown) => [{ types, values: [1n, [5n, value]] }, 9n]
    const plain = [encodeAbiParameters(types, [1n, [5n, 77n]]), 9n]
    expect(patched(abi, args(ref), 77n)).toBe(direct(abi, plain))
    expect(encodeCall(abi, args(77n), 0)).toEqual({ data: direct(abi, plain), patches: [] })
  })

  test('known vector: the selector comes first', () => {
    const abi = parseAbiItem('function transfer(address to, uint256 amount)')
    const { data } = encodeCall(abi, [owner, ref], 0)
    expect(data.slice(0, 10)).toBe(toFunctionSelector('transfer(address,uint256)'))
    expect(data).toHaveLength(2 + 2 * 68)
  })

  test.each([
    ['a reference where no integer goes', 'function f(address a)', [ref], /stand in for address/],
    ['too few arguments', 'function f(uint256 a)', [], /takes 1 arguments, not 0/],
    ['arguments that do not fit', 'function f(address a)', ['0x12'], /do not fit its ABI/],
  ])('rejects %s, naming the step', (_name, signature, args, message) => {
    const abi = parseAbiItem(signature as 'function f(uint256 a)')
    const encode = () => encodeCall(abi, args, 3)
    expect(encode).toThrow(message)
    expect(encode).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', details: { step: 3 } }),
    )
  })
})
