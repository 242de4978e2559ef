import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { type BalanceSource, bulkBalances } from './bulk-balances.js'

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
const owner: Address = '0x00000000000000000000000000000000000a11ce'
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
const tokenOf = (index: number): Address => `0x${(index + 1).toString(16).padStart(40, '0')}`
const tokens = Array.from({ length: 500 }, (_, index) => tokenOf(index))
const numberOf = (token: string) => Number(BigInt(token))

/** A node on which each token answers its number, but for those that fail, with all that come after them in a call. */
function sourceOf(fails: (token: string) => boolean, makesCalls = true) {
  const sizes: number[] = []
  const alone: Address[] = []
  const source: BalanceSource = {
    async callNode(_to, data) {
      if (!makesCalls) return null
      const [calls] = decodeFunctionData({ abi, data }).args
      sizes.push(calls.length)
      const first = calls.findIndex(({ target }) => fails(target.toLowerCase()))
      const result = calls.map(({ target }, index) => {
        const success = first < 0 || index < first
        return { success, returnData: success ? word(numberOf(target)) : ('0x' as const) }
      })
      return encodeFunctionResult({ abi, functionName: 'aggregate3', result })
    },
    reader: {
      block: {} as never,
      storage: () => Promise.reject(new Error('not asked')),
      async call(calls) {
        alone.push(...calls.map(({ to }) => to))
        return calls.map(
          ({ to }): ReadResult =>
            fails(to)
              ? { ok: false, reason: 'reverted', message: '' }
              : { ok: true, value: word(numberOf(to)) },
        )
      },
    },
  }
  return { source, sizes, alone }
}

describe('bulkBalances', () => {
  test('asks for 500 tokens in three calls', async () => {
    const { source, sizes, alone } = sourceOf(() => false)
    const balances = await bulkBalances(source, owner, tokens)
    expect(sizes).toEqual([200, 200, 100])
    expect(alone).toEqual([])
    expect([...balances]).toEqual(tokens.map((token) => [token, BigInt(token)]))
  })

  test('one that fails those after it costs nobody else the balance', async () => {
    const bad = tokenOf(210)
    const { source, sizes, alone } = sourceOf((token) => token === bad)
    const balances = await bulkBalances(source, owner, tokens)
    expect(balances.has(bad)).toBe(false)
    expect(balances.size).toBe(499)
    // 190 of the second call are asked again; of the first twenty of those all.
    expect(sizes).toEqual([200, 200, 100, ...Array.from({ length: 9 }, () => 20), 10])
    expect(alone).toEqual(tokens.slice(210, 230))
  })

  test('a node that makes no calls: each by itself', async () => {
    const { source, alone } = sourceOf(() => false, false)
    const balances = await bulkBalances(source, owner, tokens.slice(0, 30))
    expect(alone).toEqual(tokens.slice(0, 30))
    expect(balances.size).toBe(30)
  })
})
