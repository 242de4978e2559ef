/** An account with some of its slots, read by eth_getProof and checked against the state root of its block. Pure. */
import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Address, Hex } from '../../../domain/primitives.js'
import {
  ProofError,
  type ProvenAccount,
  provenAccount,
  provenSlot,
  TrieNodes,
} from '../../../verify/trie.js'
import type { NodeRequest } from '../node-request.js'

export interface ProvenSlots {
  readonly account: ProvenAccount
  /** By slots of 32 bytes, in their stored form (`state-item.ts`). */
  readonly slots: ReadonlyMap<Hex, Hex>
}

const bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/i)
const proofAnswer = z.object({
  accountProof: z.array(bytes).max(70),
  storageProof: z.array(z.object({ proof: z.array(bytes).max(70) })),
})

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
  return {
    call: { method: 'eth_getProof', params: [address, slots, block] },
    judge(answer) {
      const parsed = proofAnswer.safeParse(answer)
      if (!parsed.success) {
        return { kind: 'odd', message: 'the answer of the node is not a proof' }
      }
      const { accountProof, storageProof } = parsed.data
      try {
        const nodes = new TrieNodes(
          [accountProof, ...storageProof.map(({ proof }) => proof)]
            .flat()
            .map((node) => node.toLowerCase() as Hex),
        )
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
