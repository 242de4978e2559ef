import { describe, expect, test } from 'vitest'
import {
  accountKeys,
  addressOf,
  balanceKey,
  callOf,
  codeKey,
  describe as describeItem,
  emptyValue,
  fromStored,
  isCode,
  isItemKey,
  isSlot,
  nonceKey,
  storageKey,
  toStored,
  withAccounts,
} from './state-item.js'

const address = '0x00000000000000000000000000000000000000ab'
const word = (digits: string) => `0x${digits.padStart(64, '0')}`

describe('state items', () => {
  test('one slot has one key, however it is written', () => {
    const key = storageKey(address, '0xA')
    expect(storageKey(address, word('a'))).toBe(key)
    expect(storageKey(address, '0x0a')).toBe(key)
    expect(storageKey(address, '0x0')).toBe(storageKey(address, word('')))
    expect(addressOf(key)).toBe(address)
  })

  test('a key becomes the call that reads it', () => {
    expect(callOf(balanceKey(address), '0x1')).toEqual({
      method: 'eth_getBalance',
      params: [address, '0x1'],
    })
    expect(callOf(nonceKey(address), '0x1').method).toBe('eth_getTransactionCount')
    expect(callOf(codeKey(address), '0x1').method).toBe('eth_getCode')
    expect(callOf(storageKey(address, '0xa'), { blockHash: '0x2' })).toEqual({
      method: 'eth_getStorageAt',
      params: [address, word('a'), { blockHash: '0x2' }],
    })
  })

  test('messages name address and slot', () => {
    expect(describeItem(storageKey(address, word('1f')))).toBe(`${address} slot 0x1f`)
    expect(describeItem(nonceKey(address))).toBe(`${address} nonce`)
  })

  test('storage is kept without leading zeros and answered as a word', () => {
    const key = storageKey(address, '0x0')
    expect(toStored(key, word('00ff'))).toBe('0xff')
    expect(toStored(key, word(''))).toBe('0x0')
    expect(fromStored(key, '0xff')).toBe(word('ff'))
    expect(fromStored(balanceKey(address), '0xff')).toBe('0xff')
  })

  test('nothing malformed is taken for a value', () => {
    const bad = [null, undefined, 0, '', '0x', '0', '0xzz', {}, `0x${'1'.repeat(65)}`]
    for (const answer of bad) expect(toStored(storageKey(address, '0x0'), answer)).toBeNull()
    expect(toStored(codeKey(address), '0x')).toBe('0x')
    expect(toStored(codeKey(address), '0x123')).toBeNull()
  })

  test('a text around a value is no value', () => {
    const keys = [balanceKey(address), storageKey(address, '0x0'), codeKey(address)]
    for (const answer of ['-0x12', ' 0x12', '0x12 ', '0x1g', ['0x12'], 18]) {
      for (const key of keys) expect(toStored(key, answer)).toBeNull()
    }
  })

  test('digits are kept in lower case; zeros behind the first digit stay', () => {
    for (const answer of ['0x0A00B000', '0xa00b000'] as const) {
      expect(toStored(balanceKey(address), answer)).toBe('0xa00b000')
    }
    expect(toStored(codeKey(address), '0x00AB')).toBe('0x00ab')
    expect(storageKey(address, '0x0a00b000')).toBe(`s${address.slice(2)}a00b000`)
  })

  test('a key is one of four kinds with an address, and nothing around it', () => {
    const digits = address.slice(2)
    const slot = storageKey(address, word('f'.repeat(64)))
    for (const key of [...accountKeys(address), storageKey(address, '0x0'), slot]) {
      expect(isItemKey(key)).toBe(true)
      expect(isItemKey(` ${key}`)).toBe(false)
      expect(isItemKey(`x${key}`)).toBe(false)
    }
    const bad = [`b${digits}0`, `s${digits}`, `${slot}0`, `a${digits}`, 'b', '', null, 7]
    for (const key of [...bad, `n${digits}\n`, `s${digits}0x`]) expect(isItemKey(key)).toBe(false)
    expect(isItemKey([`b${digits}`])).toBe(false)
    expect(accountKeys(address).map((key) => [isSlot(key), isCode(key)])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ])
    expect([isSlot(slot), isCode(slot)]).toEqual([true, false])
  })

  test('an account that does not exist has no code and nothing of all else', () => {
    expect(accountKeys(address).map(emptyValue)).toEqual(['0x0', '0x0', '0x'])
    expect(emptyValue(storageKey(address, '0x0'))).toBe('0x0')
  })

  test('of some slots, those are read that are held, with balance, nonce and code of their accounts', () => {
    const other = `0x${'c'.repeat(40)}` as const
    const slots = ['0x0', '0x1'].flatMap((at) => [storageKey(address, at), storageKey(other, at)])
    const held = new Set([...slots.slice(0, 3), ...accountKeys(address), balanceKey(other)])
    const of = (keys: ReadonlySet<string>) => withAccounts(slots, (key) => keys.has(key))
    expect(of(held)).toEqual([slots[0], slots[2]])
    expect(of(new Set([...held, ...accountKeys(other)]))).toEqual(slots.slice(0, 3))
    expect(of(new Set(slots))).toEqual([])
  })
})
