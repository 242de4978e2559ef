import { expect, test } from 'vitest'
import { readSubject } from './hindsight-question.js'

const hash = `0x${'Ab'.repeat(32)}`

test.each([
  [` ${hash} `, { kind: 'transaction', hash: hash.toLowerCase() }],
  ['17', { kind: 'blocks', fromBlock: 17, toBlock: 17, isJob: false }],
  ['17..36', { kind: 'blocks', fromBlock: 17, toBlock: 36, isJob: false }],
  ['17 .. 37', { kind: 'blocks', fromBlock: 17, toBlock: 37, isJob: true }],
])('%s is a question', (text, subject) => {
  expect(readSubject(text)).toEqual(subject)
})

test.each(['', 'latest', '0', '5..4', '5-6', '0x12', `${hash}00`, '1..2..3'])(
  '%o is none',
  (text) => {
    expect(readSubject(text)).toBeNull()
  },
)
