/** A contract that a chain's definition names, and what tells that it is that one: asked by `forkroute doctor`. Pure. */
import { encodeFunctionData, hexToBigInt, padHex, parseAbi, size, slice } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'

/** One word that is this; an address that is not zero, more words may follow; one word, above zero or any; any text. */
export type Expected = Hex | 'address' | 'positive' | 'number' | 'text'

export interface Probe {
  /** For people: the contract and the call. */
  readonly title: string
  readonly to: Address
  readonly data: Hex
  readonly expected: Expected
}

/** A function without tuples, such as `feeAmountTickSpacing(uint24)`, and what it is asked with. */
export interface ProbeCall {
  readonly signature: string
  readonly args: readonly (bigint | Hex)[]
}

/**
 * @param name - of the contract.
 * @param call - the signature alone where the function takes no arguments.
 * @param expected - a number or an address stands for its word.
 */
export function probe(
  name: string,
  to: Address,
  call: string | ProbeCall,
  expected: Expected | bigint,
): Probe {
  const { signature, args } = typeof call === 'string' ? { signature: call, args: [] } : call
  const abi = parseAbi([`function ${signature} view`] as readonly string[])
  const [called = ''] = signature.split('(')
  const data = encodeFunctionData({ abi, functionName: called, args })
  return {
    title: `${name}, ${called}(${args.join(', ')})`,
    to,
    data,
    expected: typeof expected === 'bigint' || /^0x/.test(expected) ? wordOf(expected) : expected,
  }
}

function wordOf(value: Expected | bigint): Hex {
  const hex = typeof value === 'bigint' ? (`0x${value.toString(16)}` as Hex) : (value as Hex)
  return padHex(hex, { size: 32 })
}

/** Null where the answer is as it should be; else what it should be, in words. */
export function missed({ expected }: Probe, answer: Hex): string | null {
  if (expected.startsWith('0x')) return answer === expected ? null : expected
  if (expected === 'text') return size(answer) >= 64 ? null : 'a text'
  if (expected === 'address') {
    const value = size(answer) < 32 ? 0n : hexToBigInt(slice(answer, 0, 32))
    return value > 0n && value < 1n << 160n ? null : 'an address'
  }
  const isPositive = expected === 'positive'
  const isFit = size(answer) === 32 && (!isPositive || hexToBigInt(answer) > 0n)
  return isFit ? null : `a number${isPositive ? ' above zero' : ''}`
}
