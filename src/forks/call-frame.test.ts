import { encodeFunctionData, erc20Abi, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, nativeToken } from '../domain/primitives.js'
import { type CallFrame, movementsOf } from './call-frame.js'

const name = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, token] = ['a', 'b', 'c'].map(name) as [Address, Address, Address]
const word = (value: string): Hex => `0x${value.replace('0x', '').padStart(64, '0')}`
const transfer = (from: Address, to: Address, amount: number) => ({
  address: token,
  topics: [toEventSelector('event Transfer(address,address,uint256)'), word(from), word(to)],
  data: word(amount.toString(16)),
})
const call = (more: Partial<CallFrame>): CallFrame => {
  return { type: 'CALL', from: a, to: b, input: '0x', value: '0x0', ...more }
}

describe('movementsOf', () => {
  test('sums events of a token by its two parties, and counts native that calls carry', () => {
    const frame = call({
      value: '0x5',
      logs: [transfer(a, b, 7)],
      calls: [call({ logs: [transfer(a, b, 1), transfer(b, a, 2)] })],
    })
    expect(movementsOf(frame)).toEqual([
      { token: nativeToken, from: a, to: b, amount: 5n },
      { token, from: a, to: b, amount: 8n },
      { token, from: b, to: a, amount: 2n },
    ])
  })

  test('a call that failed alone moved nothing, and a delegatecall hands on no value', () => {
    const failed = call({
      error: 'execution reverted',
      value: '0x5',
      calls: [call({ value: '0x6' })],
    })
    const delegated = call({ type: 'DELEGATECALL', value: '0x5' })
    expect(movementsOf(call({ calls: [failed, delegated] }))).toEqual([])
  })

  test('within a transaction that failed, whose events are gone, the calls of tokens count', () => {
    const input = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [b, 9n] })
    const pull = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [b, a, 4n],
    })
    const calls = [call({ to: token, input }), call({ to: token, input: pull })]
    const frame = call({ error: 'execution reverted', calls })
    expect(movementsOf(frame)).toEqual([
      { token, from: a, to: b, amount: 9n },
      { token, from: b, to: a, amount: 4n },
    ])
    // Of one call within it that succeeded.
    expect(movementsOf(call({ calls }), true)).toEqual(movementsOf(frame))
    expect(movementsOf({ ...frame, error: undefined as never })).toEqual([])
  })
})
