import { expect, test } from 'vitest'
import type { Address, Hex } from '../../domain/primitives.js'
import { codeHashesOf, createHistory } from './history.js'

const token: Address = '0x00000000000000000000000000000000000000aa'
const holder: Address = '0x00000000000000000000000000000000000000bb'
const slot: Hex = `0x${'0'.repeat(63)}1`
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

// PUSH1 0x5b, JUMPDEST: the first 5b is data, only the second can be jumped to.
const code: Hex = '0x605b5b'

const base = { [token]: { nonce: 1, balance: '0x0', code, storage: { [slot]: word(5) } } } as const
const history = createHistory({
  firstBlock: 1,
  hashes: [word(100), word(101), word(102), word(103)],
  base,
  codeHashes: codeHashesOf(base),
  changes: [
    { [token]: { storage: { [slot]: word(6) } } },
    { [token]: { storage: { [slot]: word(0) } }, [holder]: { balance: '0x7', nonce: 2 } },
  ],
})

test('a block has the changes up to it and none after', () => {
  const values = [1, 2, 3].map((number) => history.accountsAt(number)[token]?.storage[slot])
  expect(values).toEqual([word(5), word(6), word(0)])
  expect(history.accountsAt(2)[holder]).toBeUndefined()
  expect(history.accountsAt(3)[holder]).toEqual({
    balance: '0x7',
    nonce: 2,
    code: '0x',
    storage: {},
  })
})

test('blocks are known by hash, and the last one by its number', () => {
  expect(history.numberOf(word(102))).toBe(2)
  expect(history.numberOf(word(999))).toBeUndefined()
  expect(history.lastBlock).toBe(3)
})

test('a jump table marks jump destinations outside of push data', () => {
  const state = history.loadableState(2) as {
    historical_states: [Hex, { accounts: Record<Address, { code: { LegacyAnalyzed: object } }> }][]
  }
  const [hash, snapshot] = state.historical_states[0] ?? []
  expect(hash).toBe(word(102))
  expect(snapshot?.accounts[token]?.code.LegacyAnalyzed).toMatchObject({
    original_len: 3,
    jump_table: { bits: 3, data: [0b100] },
  })
})
