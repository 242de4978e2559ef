import { describe, expect, test } from 'vitest'
import type { Hex } from '../../domain/primitives.js'
import { openDiskCache } from '../disk/disk-cache.js'
import { createCodeIndex, createCodeStore } from './code-index.js'

const token: Hex = '0x00000000000000000000000000000000000000ab'
const at = (number: bigint) => ({ number, hash: `0x${number}` as Hex })

function indexWith(code: Hex, seenAt: bigint) {
  const disk = openDiskCache(
    null,
    () => false,
    () => undefined,
  )
  const codes = createCodeStore(disk)
  const codeIndex = createCodeIndex(1, disk)
  codeIndex.learn(token, at(seenAt), code, codes.put(code))
  return {
    codeIndex,
    find: (number: bigint) => codes.get(codeIndex.find(token, at(number)) ?? '0x'),
  }
}

describe('createCodeBook', () => {
  test('code holds from the block where it was seen, not before', () => {
    const { find } = indexWith('0x6001', 100n)
    expect([99n, 100n, 101n].map(find)).toEqual([null, '0x6001', '0x6001'])
  })

  test.each(['0x' as const, `0xef0100${'11'.repeat(20)}` as const])(
    '%s is asked for at every block',
    (code) => {
      expect(indexWith(code, 100n).find(100n)).toBeNull()
    },
  )

  test('a reorg forgets what was seen in replaced blocks', () => {
    const { codeIndex, find } = indexWith('0x6001', 100n)
    codeIndex.forgetFrom(101n)
    expect(find(100n)).toBe('0x6001')
    codeIndex.forgetFrom(100n)
    expect(find(100n)).toBeNull()
  })
})
