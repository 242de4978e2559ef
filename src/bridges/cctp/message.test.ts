import { concatHex, numberToHex, padHex } from 'viem'
import { expect, test } from 'vitest'
import { readBurn, withBurn } from './message.js'

const word = (value: number) => numberToHex(value, { size: 32 })
const four = (value: number) => numberToHex(value, { size: 4 })
/** Each field has a value of its own. */
const head = concatHex([
  ...[four(1), four(2), four(3), word(4), word(5), word(6), word(7), four(8), four(9)],
  ...[four(10), word(11), word(12), word(13_000), word(14), word(150), word(16), word(17)],
])

test('a burn of other amounts is the same message but for them', () => {
  const told = readBurn(concatHex([head, '0xabcd']))
  expect(told).toMatchObject({ amount: 13_000n, maxFee: 150n, hook: '0xabcd', head })
  const other = withBurn(head, { amount: 2n ** 200n, maxFee: 0n })
  const amounts = { amount: 2n ** 200n, maxFee: 0n, head: other }
  expect(readBurn(concatHex([other, '0xabcd']))).toEqual({ ...told, ...amounts })
  expect(withBurn(other, { amount: 13_000n, maxFee: 150n })).toBe(head)
})

test('what is too short, or of another version, is no burn', () => {
  expect(readBurn(head.slice(0, -2) as `0x${string}`)).toBeNull()
  expect(readBurn(concatHex([padHex('0x', { size: 4 }), head]))).toBeNull()
})
