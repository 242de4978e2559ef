import { expect, test } from 'vitest'
import { defined } from './defined.js'

test('fields that are undefined are absent, all others stay in their order', () => {
  const fields = { last: undefined, zero: 0n, none: null, empty: '', first: undefined, no: false }
  const kept = defined<{ [K in keyof typeof fields]: (typeof fields)[K] }>(fields)
  expect(Object.entries(kept)).toEqual([
    ['zero', 0n],
    ['none', null],
    ['empty', ''],
    ['no', false],
  ])
})
