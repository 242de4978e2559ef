import { expect, test } from 'vitest'
import { parseFunction, wordOf } from './declared-venue.js'

test.each([
  ['uint256 a, uint256 b', [1], 1],
  ['uint256[2][3] a, uint8 b', [1], 6],
  ['uint256[2][3] a, uint8 b', [0, 2, 1], 5],
  ['(uint256 a, (uint128 b, uint64 c) d) e, uint256 f', [0, 1, 1], 2],
  ['(uint256 a, (uint128 b, uint64 c) d) e, uint256 f', [1], 3],
  // What has no fixed length takes one word, which says where it is.
  ['uint256[] a, string b, (bytes c, uint256 d) e, uint256 f', [3], 3],
  ['uint256[] a', [0, 1], null],
  ['(bytes c, uint256 d) e', [0, 1], null],
  ['address a', [0], null],
  ['uint256 a', [1], null],
  ['(uint256 a) b', [0], null],
])('of the results %s the number at %j is word %j', (outputs, path, word) => {
  const found = parseFunction(`function f() returns (${outputs})`)
  expect(wordOf(found?.outputs ?? [], path)).toBe(word)
})
