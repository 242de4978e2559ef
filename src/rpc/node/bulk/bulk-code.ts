/**
 * EVM code that reads many values by one `eth_call`. A node runs it in place of the code of accounts (state overrides);
 * storage, nonce and balance stay those of the account. Uses opcodes that every block since Byzantium has. Pure.
 *
 * Readers and dispatchers return words of 32 bytes. The first one is a token that stands in the code alone: a node
 * that ran anything else cannot know it.
 */
import type { Address, Hex } from '../../../domain/primitives.js'

export interface Reader {
  readonly address: Address
  /** Slots without leading zeros and without 0x. */
  readonly slots: readonly string[]
  /** Also returns the address that a CREATE of the account gets, which its nonce decides. */
  readonly nonce: boolean
}

export const op = {
  add: '01',
  mul: '02',
  sub: '03',
  div: '04',
  sdiv: '05',
  smod: '07',
  signextend: '0b',
  lt: '10',
  slt: '12',
  iszero: '15',
  and: '16',
  not: '19',
  sha3: '20',
  balance: '31',
  calldataload: '35',
  calldatasize: '36',
  calldatacopy: '37',
  returndatasize: '3d',
  returndatacopy: '3e',
  extcodehash: '3f',
  number: '43',
  pop: '50',
  mload: '51',
  mstore: '52',
  sload: '54',
  jump: '56',
  jumpi: '57',
  gas: '5a',
  jumpdest: '5b',
  dup1: '80',
  dup3: '82',
  swap1: '90',
  swap2: '91',
  create: 'f0',
  call: 'f1',
  return: 'f3',
  delegatecall: 'f4',
}
/** Gas for one call of a reader: several times what it needs, and bounded, so that one that fails leaves the others theirs. */
const gasPerReader = 20_000
const gasPerSlot = 8_000
const gasPerNonce = 100_000

/** Words that the reader returns. */
export function wordsOf({ slots, nonce }: Reader): number {
  return 1 + slots.length + (nonce ? 1 : 0)
}

/** Returns the token, the created address if it is asked for, and the slots in their order. */
export function readerCode(token: string, { slots, nonce }: Reader): Hex {
  const values = [push(token)]
  // The created account is empty, and gone with the call.
  if (nonce) values.push(`${pushNumber(0)}${pushNumber(0)}${pushNumber(0)}${op.create}`)
  for (const slot of slots) values.push(`${push(slot)}${op.sload}`)
  return returning(values)
}

/**
 * Calls each reader. Returns the token, then what they return, one after the other, zeros for one that fails, then the
 * number of the block and the gas that is left.
 */
export function dispatcherCode(token: string, readers: readonly Reader[]): Hex {
  let end = 1
  const calls = readers.map((reader) => {
    const words = wordsOf(reader)
    const output = `${pushNumber(32 * words)}${pushNumber(32 * end)}`
    const noInput = `${pushNumber(0)}${pushNumber(0)}`
    end += words
    const target = `${push(reader.address.slice(2))}${pushNumber(gasOf(reader))}`
    return `${output}${noInput}${pushNumber(0)}${target}${op.call}${op.pop}`
  })
  const first = `${push(token)}${pushNumber(0)}${op.mstore}`
  const block = `${op.number}${pushNumber(32 * end)}${op.mstore}`
  const gas = `${op.gas}${pushNumber(32 * (end + 1))}${op.mstore}`
  const size = pushNumber(32 * (end + 2))
  return `0x${first}${calls.join('')}${block}${gas}${size}${pushNumber(0)}${op.return}`
}

/**
 * Returns the token, of each account the balance and the hash of the code, then the number of the block and the gas
 * that is left. Overrides none of the accounts.
 */
export function accountsCode(token: string, addresses: readonly Address[]): Hex {
  const values = addresses.flatMap((address) => {
    const pushed = push(address.slice(2))
    return [`${pushed}${op.balance}`, `${pushed}${op.extcodehash}`]
  })
  return returning([push(token), ...values, op.number, op.gas])
}

export interface MadeCall {
  readonly to: Address
  readonly data: Hex
}

/** Gas of each call: more than nearly every read takes. */
const gasPerCall = 3_000_000

/**
 * Makes the calls. Before them it loads two slots, which tell who looks at the state that is touched that this code ran,
 * and in which block: the token, and the number of the block.
 */
export function callsCode(token: string, calls: readonly MadeCall[]): Hex {
  const made = calls.map(({ to, data }) => {
    const digits = data.slice(2)
    const stores: string[] = []
    for (let at = 0; at < digits.length; at += 64) {
      const word = digits.slice(at, at + 64).padEnd(64, '0')
      stores.push(`${push(word)}${pushNumber(at / 2)}${op.mstore}`)
    }
    const nothing = pushNumber(0)
    const input = `${pushNumber(digits.length / 2)}${nothing}`
    const target = `${push(to.slice(2))}${pushNumber(gasPerCall)}`
    return `${stores.join('')}${nothing}${nothing}${input}${nothing}${target}${op.call}${op.pop}`
  })
  return `0x${push(token)}${op.sload}${op.pop}${op.number}${op.sload}${op.pop}${made.join('')}`
}

/** @param values - code of each of the words that are returned. */
function returning(values: readonly string[]): Hex {
  const stores = values.map((value, word) => `${value}${pushNumber(32 * word)}${op.mstore}`)
  return `0x${stores.join('')}${pushNumber(32 * values.length)}${pushNumber(0)}${op.return}`
}

function gasOf({ slots, nonce }: Reader): number {
  return gasPerReader + gasPerSlot * slots.length + (nonce ? gasPerNonce : 0)
}

export const pushNumber = (value: number): string => push(value.toString(16))

/** The shortest PUSH of the value, at least PUSH1. @param digits - hexadecimal, at most 32 bytes. */
export function push(digits: string): string {
  const short = digits.replace(/^0+(?=.)/, '')
  const bytes = short.length % 2 ? `0${short}` : short
  return `${(0x5f + bytes.length / 2).toString(16)}${bytes}`
}
