import { expect, test } from 'vitest'
import type { Hex } from '../domain/primitives.js'
import { changedAccounts, type StateDifference } from './state-changes.js'

const account: Hex = '0x00000000000000000000000000000000000000Aa'
const named = '0x00000000000000000000000000000000000000aa'
const word = (digit: string): Hex => `0x${'0'.repeat(63)}${digit}`

const storage = (before: Record<Hex, Hex>, after: Record<Hex, Hex>): StateDifference => ({
  pre: { [account]: { balance: '0x1', storage: before } },
  post: { [account]: { storage: after } },
})

test('later transactions win, and a slot that is not told any more is zero', () => {
  const changed = changedAccounts([
    storage({}, { [word('1')]: word('5'), [word('2')]: word('6') }),
    { pre: { [account]: { balance: '0x1', nonce: 1 } }, post: { [account]: { balance: '0x2' } } },
    storage({ [word('1')]: word('5') }, {}),
  ])
  expect(changed).toEqual({
    [named]: { balance: 2n, stateDiff: { [word('1')]: word('0'), [word('2')]: word('6') } },
  })
})

test('an account that is only read is not changed, one that is made has code, one that is gone nothing', () => {
  expect(
    changedAccounts([{ pre: { [account]: { balance: '0x1' } }, post: { [account]: {} } }]),
  ).toEqual({})
  const made = { pre: {}, post: { [account]: { nonce: 1, code: '0xfe' as const } } }
  expect(changedAccounts([made])).toEqual({ [named]: { nonce: 1, code: '0xfe' } })
  const gone = { pre: { [account]: { balance: '0x1' as const } }, post: {} }
  const empty = { balance: 0n, nonce: 0, code: '0x', state: {} }
  expect(changedAccounts([gone])).toEqual({ [named]: empty })
  expect(changedAccounts([gone, storage({}, { [word('1')]: word('5') })])).toEqual({
    [named]: { ...empty, state: { [word('1')]: word('5') } },
  })
})
