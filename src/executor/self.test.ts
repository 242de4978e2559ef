import { encodeFunctionData, parseAbi, slice } from 'viem'
import { describe, expect, test } from 'vitest'
import type { ExecutorStep } from '../domain/order.js'
import type { Address } from '../domain/primitives.js'
import { prepareSteps } from './prepare-steps.js'
import { selfAddress, selfStep, throughSelf } from './self.js'

const [pay] = parseAbi(['function pay(address to, uint256 amount, bytes data)'])
const token: Address = '0x00000000000000000000000000000000000000aa'

function payStep(to: Address, data: `0x${string}` = '0x'): ExecutorStep {
  return { kind: 'call', target: token, abi: pay, args: [to, 7n, data] }
}

describe('throughSelf', () => {
  test('writes what the first step reports wherever call data names it, also inside of bytes', () => {
    const inner = encodeFunctionData({ abi: [pay], args: [selfAddress, 1n, '0x'] })
    const [first, step] = throughSelf(prepareSteps([selfStep, payStep(selfAddress, inner)]))
    expect(first).toEqual(prepareSteps([selfStep])[0])
    if (step?.kind !== 'call') throw new Error('no call')
    expect(step.data).not.toContain(selfAddress.slice(2))
    expect(step.patches.map(({ offset }) => offset)).toEqual([4, 4 + 4 * 32 + 4])
    for (const { offset, ref } of step.patches) {
      expect(ref).toEqual({ ref: 'output', step: 0 })
      expect(BigInt(slice(step.data, offset, offset + 32))).toBe(0n)
    }
  })

  test('leaves orders that do not name it as they are', () => {
    const prepared = prepareSteps([payStep(token)])
    expect(throughSelf(prepared)).toEqual(prepared)
  })

  test('refuses an order whose first step does not tell it', () => {
    const prepared = prepareSteps([payStep(token), payStep(selfAddress)])
    expect(() => throughSelf(prepared)).toThrow('nothing before it tells the address')
  })

  test('refuses it in a form that is no word', () => {
    const prepared = prepareSteps([selfStep, payStep(token, `0x01${selfAddress.slice(2)}`)])
    expect(() => throughSelf(prepared)).toThrow('not as a word')
  })

  test.each([
    { kind: 'transfer', token, to: selfAddress, amount: 1n },
    { kind: 'approve', token, spender: selfAddress, amount: 1n },
    { ...selfStep, target: selfAddress },
  ] satisfies ExecutorStep[])('refuses it as the target of a $kind', (step) => {
    expect(() => throughSelf(prepareSteps([selfStep, step]))).toThrow('as its target')
  })
})
