/**
 * Addresses that follow from who creates a contract (CREATE2). Which pools there are, the factory says.
 * @see EIP-1014
 */
import { keccak256 } from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'

/** Who creates contracts, and the hash of the code that makes them. */
export interface Creator {
  readonly address: Address
  readonly initCodeHash: Hex
}

export function createdAddress({ address, initCodeHash }: Creator, salt: Hex): Address {
  const preimage = `0xff${address.slice(2)}${salt.slice(2)}${initCodeHash.slice(2)}` as const
  return toAddress(`0x${keccak256(preimage).slice(26)}`)
}
