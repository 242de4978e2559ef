import { describe, expect, test } from 'vitest'
import { balanceKey, codeKey, nonceKey, storageKey } from '../node/state-item.js'
import {
  bytesOf,
  fromIdBytes,
  fromKeyBytes,
  fromQuantityBytes,
  hexOf,
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

  test.each([
    ['balance', balanceKey(address), `00${'0a'.repeat(20)}`],
    ['nonce', nonceKey(address), `01${'0a'.repeat(20)}`],
    ['code', codeKey(address), `02${'0a'.repeat(20)}`],
    ['slot 0', storageKey(address, '0x0'), `03${'0a'.repeat(20)}`],
    ['slot 0x100', storageKey(address, '0x100'), `03${'0a'.repeat(20)}0100`],
    ['slot 0x10203', storageKey(address, '0x10203'), `03${'0a'.repeat(20)}010203`],
  ])('known vector: %s', (_name, key, hex) => {
    expect(toKeyBytes(key).toString('hex')).toBe(hex)
    const unreadable = `${(Number(hex.slice(0, 2)) + 0x80).toString(16)}${hex.slice(2)}`
    expect(toKeyBytes(key, false).toString('hex')).toBe(unreadable)
    expect(fromKeyBytes(Buffer.from(hex, 'hex'))).toEqual({ key, isReadable: true })
  })

  test('bytes that are no key are null', () => {
    const zeros = (count: number) => '00'.repeat(count)
    const storage = [`03${zeros(19)}`, `03${zeros(53)}`, `83${zeros(53)}`]
    for (const bytes of ['', '00', `04${zeros(20)}`, `00${zeros(21)}`, ...storage]) {
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

test('zeros inside and behind a quantity stay, those in front do not', () => {
  expect(fromQuantityBytes(Buffer.from('00000a00b000', 'hex'))).toBe('0xa00b000')
  expect(fromQuantityBytes(Buffer.from('0000', 'hex'))).toBe('0x0')
  expect(toQuantityBytes('0xa00b000').toString('hex')).toBe('0a00b000')
})

test('row ids of codes come back', () => {
  for (const id of [1, 255, 256, 70_000]) expect(fromIdBytes(toIdBytes(id))).toBe(id)
})

test('a hash is kept as its bytes', () => {
  const hash = `0x00ab${'0c'.repeat(30)}` as const
  expect(bytesOf(hash)).toHaveLength(32)
  expect(bytesOf(hash)[1]).toBe(0xab)
  expect(hexOf(bytesOf(hash))).toBe(hash)
})
