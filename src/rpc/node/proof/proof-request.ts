/** An account with some of its slots, read by eth_getProof and checked against the state root of its block. Pure. */
import { numberToHex } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { NodeRequest } from '../node-request.js'
import { proofNodesRequest } from '../read-requests.js'
import { ProofError, type ProvenAccount, provenAccount, provenSlot, TrieNodes } from './trie.js'

export interface ProvenSlots {
  readonly account: ProvenAccount
  /** By slots of 32 bytes, in their stored form (`state-item.ts`). */
  readonly slots: ReadonlyMap<Hex, Hex>
}

/**
 * The value is a ProvenSlots. What the node says of values next to its proof is not looked at. A proof that does not lead
 * from the state root to the account is a lie of a node that takes blocks by their hash, else perhaps of another block.
 *
 * @param at.slots - of 32 bytes.
 * @param at.isStrict - false: such a proof is none, and no lie.
 */
export function provenRequest(
  at: {
    readonly address: Address
    readonly slots: readonly Hex[]
    readonly number: bigint
    readonly stateRoot: Hex
    readonly isStrict: boolean
  },
  block: unknown,
): NodeRequest {
  const { address, slots, number, stateRoot, isStrict } = at
  const { call, judge } = proofNodesRequest(address, slots, block)
  return {
    call,
    judge(answer) {
      const told = judge(answer)
      if (told.kind !== 'value') return told
      try {
        const nodes = new TrieNodes(told.value as readonly Hex[])
        const account = provenAccount(stateRoot, address, nodes)
        const values = slots.map((slot): [Hex, Hex] => [
          slot,
          numberToHex(provenSlot(account.storageRoot, slot, nodes)),
        ])
        return { kind: 'value', value: { account, slots: new Map(values) } satisfies ProvenSlots }
      } catch (error) {
        if (!(error instanceof ProofError)) throw error
        const message = `its proof of ${address} does not lead to the state root of block ${number}: ${error.message}.`
        return { kind: isStrict && typeof block === 'object' ? 'lie' : 'odd', message }
      }
    },
  }
}
