import { describe, expect, test } from 'vitest'
import type { Hex } from '../../domain/primitives.js'
import { openDiskCache } from '../disk/disk-cache.js'
import { createCodeBook, createCodeStore } from './code-book.js'

const token: Hex = '0x00000000000000000000000000000000000000ab'
const at = (number: bigint) => ({ number, hash: `0x${number}` as Hex })

function bookWith(code: Hex, seenAt: bigint) {
  const disk = openDiskCache(
    null,
    () => false,
    () => undefined,
  )
  const codes = createCodeStore(disk)
  const book = createCodeBook(1, disk)
  book.learn(token, at(seenAt), code, codes.put(code))
  return { book, find: (number: bigint) => codes.get(book.find(token, at(number)) ?? '0x') }
}

describe('createCodeBook', () => {
  test('code holds from the block where it was seen, not before', () => {
    const { find } = bookWith('0x6001', 100n)
    expect([99n, 100n, 101n].map(find)).toEqual([null, '0x6001', '0x6001'])
  })

  test.each(['0x' as const, `0xef0100${'11'.repeat(20)}` as const])(
    '%s is asked for at every block',
    (code) => {
      expect(bookWith(code, 100n).find(100n)).toBeNull()
    },
  )

  test('a reorg forgets what was seen in replaced blocks', () => {
    const { book, find } = bookWith('0x6001', 100n)
    book.forgetFrom(101n)
    expect(find(100n)).toBe('0x6001')
    book.forgetFrom(100n)
    expect(find(100n)).toBeNull()
  })
})
