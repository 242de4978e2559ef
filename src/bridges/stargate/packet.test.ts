import { encodePacked, type Hex, padHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { messageOf, readTaxiPacket, toComposeMessage } from './packet.js'

const sender = padHex('0x5e4de4', { size: 32 })
const receiver = padHex('0x4ece14e4', { size: 32 })
const guid = padHex('0x901d', { size: 32 })
const paid = padHex('0xcafe', { size: 32 })

function packet(payload: Hex, version = 1): Hex {
  return encodePacked(
    ['uint8', 'uint64', 'uint32', 'bytes32', 'uint32', 'bytes32', 'bytes32', 'bytes'],
    [version, 7n, 30_101, sender, 30_184, receiver, guid, payload],
  )
}

function taxi(composed: Hex, type = 1): Hex {
  return encodePacked(
    ['uint8', 'uint16', 'bytes32', 'uint64', 'bytes'],
    [type, 13, paid, 1_234_567n, composed],
  )
}

describe('readTaxiPacket', () => {
  test('every field, with a message', () => {
    const composed = encodePacked(['bytes32', 'bytes'], [sender, '0xabcdef'])
    const payload = taxi(composed)
    expect(readTaxiPacket(packet(payload))).toEqual({
      nonce: 7n,
      srcEid: 30_101,
      sender: `0x${sender.slice(-40)}`,
      dstEid: 30_184,
      receiver: `0x${receiver.slice(-40)}`,
      guid,
      payload,
      paid: `0x${paid.slice(-40)}`,
      amountShared: 1_234_567n,
      composed,
    })
    expect(messageOf(composed)).toBe('0xabcdef')
  })

  test('without a message nothing is composed', () => {
    expect(readTaxiPacket(packet(taxi('0x')))?.composed).toBe('0x')
    expect(messageOf('0x')).toBe('0x')
  })

  test('a bus, another version and what is too short are no transfers', () => {
    expect(readTaxiPacket(packet(taxi('0x', 2)))).toBeNull()
    expect(readTaxiPacket(packet(taxi('0x'), 2))).toBeNull()
    expect(readTaxiPacket(packet('0x01'))).toBeNull()
    expect(readTaxiPacket('0x')).toBeNull()
  })
})

describe('toComposeMessage', () => {
  test('nonce, source, amount, and what was sent', () => {
    const composed = encodePacked(['bytes32', 'bytes'], [sender, '0xabcdef'])
    const message = toComposeMessage({ nonce: 7n, srcEid: 30_101, amount: 5n, composed })
    const words = ['0000000000000007', '00007595', `${'0'.repeat(63)}5`, sender.slice(2), 'abcdef']
    expect(message).toBe(`0x${words.join('')}`)
  })
})
