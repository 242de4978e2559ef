import { describe, expect, test } from 'vitest'
import { balanceKey, codeKey, nonceKey, storageKey } from '../node/state-item.js'
import {
  fromIdBytes,
  fromKeyBytes,
  fromQuantityBytes,
  toIdBytes,
  toKeyBytes,
  toQuantityBytes,
} from './cassette-codec.js'

const address = `0x${'0a'.repeat(20)}` as const

describe('toKeyBytes', () => {
  test.each([
    ['a balance', balanceKey(address), 21],
    ['a nonce', nonceKey(address), 21],
    ['code', codeKey(address), 21],
    ['slot 0', storageKey(address, '0x0'), 21],
    ['slot 5', storageKey(address, '0x05'), 22],
    ['a hashed slot', storageKey(address, `0x${'f'.repeat(64)}`), 53],
  ])('%s comes back, in %i bytes', (_name, key, length) => {
    expect(toKeyBytes(key)).toHaveLength(length)
    expect(fromKeyBytes(toKeyBytes(key))).toEqual({ key, isReadable: true })
    expect(fromKeyBytes(toKeyBytes(key, false))).toEqual({ key, isReadable: false })
  })

  test('bytes that are no key are null', () => {
    for (const bytes of ['', '00', `04${'00'.repeat(20)}`, `00${'00'.repeat(21)}`]) {
      expect(fromKeyBytes(Buffer.from(bytes, 'hex'))).toBeNull()
    }
  })
})

describe('toQuantityBytes', () => {
  test.each(['0x0', '0x7', '0xff', '0x100', `0x${'f'.repeat(64)}`] as const)(
    '%s comes back',
    (value) => {
      expect(fromQuantityBytes(toQuantityBytes(value))).toBe(value)
    },
  )

  test('zero takes no byte', () => expect(toQuantityBytes('0x0')).toHaveLength(0))
})

test('row ids of codes come back', () => {
  for (const id of [1, 255, 256, 70_000]) expect(fromIdBytes(toIdBytes(id))).toBe(id)
})
