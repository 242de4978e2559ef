import { concatHex, encodePacked, type Hex, padHex, slice } from 'viem'
import { describe, expect, test } from 'vitest'
import { readTaxi } from '../stargate/pools.js'
import { messageOf, readPacket, readTransfer, toComposeMessage } from './packet.js'

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

describe('readPacket', () => {
  test('every field', () => {
    const payload = taxi('0x')
    expect(readPacket(packet(payload))).toEqual({
      nonce: 7n,
      srcEid: 30_101,
      sender: `0x${sender.slice(-40)}`,
      dstEid: 30_184,
      receiver: `0x${receiver.slice(-40)}`,
      guid,
      payload,
    })
  })

  test('another version and what is too short are none', () => {
    expect(readPacket(packet(taxi('0x'), 2))).toBeNull()
    expect(readPacket(packet('0x'))).toBeNull()
    expect(readPacket('0x')).toBeNull()
  })
})

describe('readTransfer', () => {
  const composed = encodePacked(['bytes32', 'bytes'], [sender, '0xabcdef'])
  const told = { paid: `0x${paid.slice(-40)}`, amountShared: 1_234_567n }

  test('of an OFT', () => {
    const bare = encodePacked(['bytes32', 'uint64'], [paid, 1_234_567n])
    expect(readTransfer(concatHex([bare, composed]))).toEqual({ ...told, composed })
    expect(readTransfer(bare)).toEqual({ ...told, composed: '0x' })
    expect(readTransfer(slice(bare, 0, 39))).toBeNull()
    expect(readTransfer('0x')).toBeNull()
  })

  test('of a taxi, which is a transfer behind three bytes; a bus and what is too short are none', () => {
    expect(readTaxi(taxi(composed))).toEqual({ ...told, composed })
    expect(readTaxi(taxi('0x'))).toEqual({ ...told, composed: '0x' })
    expect(readTaxi(taxi('0x', 2))).toBeNull()
    expect(readTaxi('0x01')).toBeNull()
    expect(readTaxi('0x')).toBeNull()
  })

  test('the message is what follows the caller', () => {
    expect(messageOf(composed)).toBe('0xabcdef')
    expect(messageOf('0x')).toBe('0x')
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
