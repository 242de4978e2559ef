import { describe, expect, test } from 'vitest'
import type { ExecutorStep } from '../domain/order.js'
import { type Address, nativeToken } from '../domain/primitives.js'
import { contractAddress } from './deployments.js'
import { withTag } from './once.js'
import { prepareSteps } from './prepare-steps.js'

const token: Address = '0x00000000000000000000000000000000000000aa'
const target: Address = '0x00000000000000000000000000000000000000bb'
const tag = '0x0123456789abcdef0123456789abcdef'

const take = {
  type: 'function',
  name: 'take',
  stateMutability: 'payable',
  inputs: [{ name: 'amount', type: 'uint256' }],
  outputs: [{ name: '', type: 'uint256' }],
} as const

const steps: readonly ExecutorStep[] = [
  {
    kind: 'call',
    target,
    abi: take,
    args: [{ ref: 'balance', token }],
    output: { kind: 'word', index: 0 },
  },
  {
    kind: 'call',
    target,
    abi: take,
    args: [{ ref: 'output', step: 0 }],
    value: { ref: 'output', step: 0, bps: 5_000 },
    output: { kind: 'balance', token: nativeToken },
  },
  { kind: 'transfer', token, to: target, amount: { ref: 'output', step: 1 } },
  { kind: 'approve', token, spender: target, amount: 7n },
]

describe('withTag', () => {
  test('without a tag the very same steps come back', () => {
    const prepared = prepareSteps(steps)
    expect(withTag(prepared, undefined)).toBe(prepared)
  })

  test('the tag is used up first, and references to steps count one more', () => {
    const [use, first, second, third, fourth, ...others] = withTag(prepareSteps(steps), tag)
    expect(others).toEqual([])
    expect(use).toEqual({
      kind: 'call',
      target: contractAddress('UsedTags'),
      data: expect.stringMatching(new RegExp(`^0x[0-9a-f]{8}${tag.slice(2)}0{32}$`)),
      patches: [],
    })
    expect(first).toMatchObject({ patches: [{ offset: 4, ref: { ref: 'balance', token } }] })
    expect(second).toMatchObject({
      value: { ref: 'output', step: 1, bps: 5_000 },
      patches: [{ offset: 4, ref: { ref: 'output', step: 1 } }],
    })
    expect(third).toMatchObject({ amount: { ref: 'output', step: 2 } })
    expect(fourth).toMatchObject({ amount: 7n })
  })
})
