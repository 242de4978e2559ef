/** The transaction that proves a withdrawal, of what a node of its chain proves. Pure. */
import { encodeAbiParameters, encodeFunctionData, keccak256, numberToHex, zeroHash } from 'viem'
import type { BridgeRetry, BridgeWithdrawal } from '../../domain/bridges/check.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { Delivery } from '../bridge.js'
import { withdrawalAbi } from './abi.js'
import { messagePasser } from './settlement.js'
import { withdrawalHash, withdrawalOf } from './withdrawals.js'

const words = [{ type: 'bytes32' }, { type: 'bytes32' }] as const

/** Where the message passer keeps that it was asked for the withdrawal: its first mapping. */
export function slotOfWithdrawal(delivery: Delivery): {
  readonly address: Address
  readonly slot: Hex
} {
  const key = [withdrawalHash(withdrawalOf(delivery)), zeroHash] as const
  return { address: messagePasser, slot: keccak256(encodeAbiParameters(words, key)) }
}

/** Of a block of the source. */
export interface ProvenBlock {
  readonly hash: Hex
  readonly stateRoot: Hex
  /** Root of the message passer's storage. */
  readonly storageHash: Hex
  /** Of the slot by that root. */
  readonly proof: readonly Hex[]
}

/** Null: the dispute game says something else of the block, so that the portal would refuse it. */
export function proveTransaction(
  delivery: Delivery,
  { disputeGameIndex = '0', outputRoot }: BridgeWithdrawal,
  { hash, stateRoot, storageHash, proof }: ProvenBlock,
): BridgeRetry | null {
  const output = {
    version: numberToHex(0, { size: 32 }),
    stateRoot,
    messagePasserStorageRoot: storageHash,
    latestBlockhash: hash,
  }
  const parts = [output.version, stateRoot, storageHash, hash] as const
  if (keccak256(encodeAbiParameters([...words, ...words], parts)) !== outputRoot) return null
  const data = encodeFunctionData({
    abi: withdrawalAbi,
    functionName: 'proveWithdrawalTransaction',
    args: [withdrawalOf(delivery), BigInt(disputeGameIndex), output, proof],
  })
  return { to: toAddress(String(delivery.details.portal)), data, value: 0n }
}
