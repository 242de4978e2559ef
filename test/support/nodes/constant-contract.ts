/** A contract that gives the same answer to each question, whoever asks: what a liar needs to look like somebody. */

import type { AbiFunction } from 'viem'
import { concatHex, encodeAbiParameters, type Hex, pad, size, toFunctionSelector } from 'viem'

const push2 = (value: number): Hex =>
  concatHex(['0x61', pad(`0x${value.toString(16)}`, { size: 2 })])
const selectorOnStack: Hex = '0x60003560e01c'
const revert: Hex = '0x60006000fd'
/** DUP1 PUSH4 selector EQ PUSH2 place JUMPI */
const branchSize = 11

/** Code that answers these functions with these values, and reverts for any other. */
export function constantContract(
  answers: readonly { readonly abi: AbiFunction; readonly values: readonly unknown[] }[],
): Hex {
  let place = size(selectorOnStack) + branchSize * answers.length + size(revert)
  const branches: Hex[] = []
  const bodies: Hex[] = []
  for (const { abi, values } of answers) {
    const body = bodyOf(encodeAbiParameters(abi.outputs, values))
    branches.push(concatHex(['0x8063', toFunctionSelector(abi), '0x14', push2(place), '0x57']))
    bodies.push(body)
    place += size(body)
  }
  return concatHex([selectorOnStack, ...branches, revert, ...bodies])
}

function bodyOf(data: Hex): Hex {
  const words = data.slice(2).match(/.{64}/g) ?? []
  const stores = words.map((word, index) =>
    concatHex(['0x7f', `0x${word}`, push2(32 * index), '0x52']),
  )
  return concatHex(['0x5b', ...stores, push2(32 * words.length), '0x6000f3'])
}
