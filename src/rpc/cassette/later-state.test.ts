import { encodeAbiParameters, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../domain/primitives.js'
import { balanceKey, codeKey, storageKey } from '../node/state-item.js'
import { createLaterState } from './later-state.js'

const account = (digit: string): Address => `0x${digit.repeat(40)}`
const [later, sender, venue, token] = ['a', 'b', 'c', 'd'].map(account) as [
  Address,
  Address,
  Address,
  Address,
]
const block: Hex = `0x${'1'.repeat(64)}`
const other: Hex = `0x${'2'.repeat(64)}`

const solidity = (key: Address, place: bigint): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, place])))
const vyper = (key: Address, place: bigint): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'address' }], [place, key])))
const slot = (place: bigint) => storageKey(token, `0x${place.toString(16)}`)

function stateOf() {
  const accounts = { blocks: [block], addresses: [later], senders: [sender] }
  return createLaterState(accounts, () => [venue])
}

describe('createLaterState', () => {
  test.each([
    ['the balance of the account', balanceKey(later)],
    ['its code', codeKey(later)],
    ['its own storage', storageKey(later, '0x0')],
    ['its balance of a token, at place 9', slot(solidity(later, 9n))],
    ['in an upgradeable token, at place 51', slot(solidity(later, 51n))],
    ['in a Vyper token, at place 3', slot(vyper(later, 3n))],
    ['what the sender allows it', slot(solidity(later, solidity(sender, 10n)))],
    ['what it allows a venue', slot(solidity(venue, solidity(later, 10n)))],
    ['what it allows itself', slot(solidity(later, solidity(later, 1n)))],
    ['what it allows a venue, in Vyper', slot(vyper(venue, vyper(later, 4n)))],
  ])('knows %s, in any order of questions', (_what, key) => {
    expect(stateOf().has(key, block)).toBe(true)
    const state = stateOf()
    expect(state.has(slot(1n), block)).toBe(false)
    expect(state.has(key, block)).toBe(true)
  })

  test.each([
    ['the account of the sender', balanceKey(sender)],
    ['the balance of the sender', slot(solidity(sender, 9n))],
    ['what the sender allows a venue', slot(solidity(venue, solidity(sender, 10n)))],
    ['a slot that is no hash', slot(8n)],
    ['a place of no usual layout', slot(solidity(later, 1_000n))],
  ])('does not know %s', (_what, key) => {
    expect(stateOf().has(key, block)).toBe(false)
  })

  test('knows nothing of blocks at which other software calculated, nor without later accounts', () => {
    expect(stateOf().has(balanceKey(later), other)).toBe(false)
    const none = { blocks: [block], addresses: [], senders: [sender] }
    const state = createLaterState(none, () => {
      throw new Error('contracts are asked for')
    })
    expect(state.has(slot(1n), block)).toBe(false)
  })
})
