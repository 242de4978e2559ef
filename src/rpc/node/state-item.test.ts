import { describe, expect, test } from 'vitest'
import {
  addressOf,
  balanceKey,
  callOf,
  codeKey,
  describe as describeItem,
  fromStored,
  nonceKey,
  storageKey,
  toStored,
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
})
