/**
 * What a request asks to be different from the chain: accounts, and fields of the block in which transactions are
 * simulated. Pure.
 */
import type { Address, BlockPin, ChangedBlock, Hex, PinChanges } from '../primitives.js'

/** The fields of an account override in eth_simulateV1; those that are absent stay as they are on the chain. */
export interface ChangedAccount {
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: number
  readonly code?: Hex
  /** Words of 32 bytes by slot; other slots are as on the chain. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
  /** Words of 32 bytes by slot; other slots are zero. Not together with stateDiff. */
  readonly state?: Readonly<Record<Hex, Hex>>
}

export type ChangedAccounts = Readonly<Record<Address, ChangedAccount>>

export interface WhatIf {
  readonly accounts: ChangedAccounts
  readonly block: ChangedBlock
}

export function toPinChanges({ accounts, block }: WhatIf, stateId: string | null): PinChanges {
  const entries = Object.entries(accounts) as [Address, ChangedAccount][]
  return {
    ...block,
    stateId,
    hasCode: entries.some(([, { code }]) => code !== undefined),
    contracts: entries.flatMap(([address, { code, state, stateDiff }]) =>
      (code ?? state ?? stateDiff) ? [address] : [],
    ),
  }
}

/** Equal for two pins if and only if all state read there is the same. */
export function stateKey({ chainId, hash, changes }: BlockPin): string {
  return `${chainId}:${hash}${changes?.stateId ? `:${changes.stateId}` : ''}`
}

/** Unix seconds of the block after the pinned one. Block times below a second round up to one. */
export function nextBlockTime(
  { timestamp, changes }: Pick<BlockPin, 'timestamp' | 'changes'>,
  blockTimeSeconds: number,
): bigint {
  return changes?.timestamp ?? timestamp + BigInt(Math.max(1, Math.ceil(blockTimeSeconds)))
}
