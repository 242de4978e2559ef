/**
 * The calls that read a chain, each with the check of its answer: a malformed answer is odd, never a value.
 * Blocks are given in the form that the node accepts: a number, or the EIP-1898 object. Pure.
 */
import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Address, Hex } from '../../domain/primitives.js'
import type { AccountProof, BlockRef } from './answer.js'
import { judgeBlock } from './block-check.js'
import type { NodeAbilities } from './learnt/node-probe.js'
import type { NodeRequest } from './node-request.js'
import { balanceKey, callOf, type ItemKey, nonceKey, toStored } from './state-item.js'

/** How blocks of the chain are checked (`block-check.ts`). */
export interface BlockRules {
  readonly chainId: number
  readonly verifyHeaderHash: boolean
}

/** The block parameter for this node: by hash if the node accepts that. */
export function paramOf(
  node: { abilities(): NodeAbilities | null },
  block: BlockRef,
): string | { blockHash: Hex } {
  return node.abilities()?.blockHash ? { blockHash: block.hash } : numberToHex(block.number)
}

/** The value is in its stored form (`state-item.ts`). @param block - as the node takes it. */
export function stateRequest(key: ItemKey, block: unknown, number: bigint): NodeRequest {
  return {
    call: callOf(key, block),
    read: { key, block, number },
    judge: (answer) => {
      const value = toStored(key, answer)
      return value === null
        ? { kind: 'odd', message: 'the answer of the node is not a value' }
        : { kind: 'value', value }
    },
  }
}

/** eth_call; the value is the data that it returns. */
export function callRequest(to: Address, data: Hex, block: unknown): NodeRequest {
  return {
    call: { method: 'eth_call', params: [{ to, data }, block] },
    judge: (answer) =>
      typeof answer === 'string' && /^0x([0-9a-f]{2})*$/i.test(answer)
        ? { kind: 'value', value: answer }
        : { kind: 'odd', message: 'the answer of the node is not a value' },
  }
}

/** eth_getProof without slots; the value is an AccountProof. */
export function proofRequest(address: Address, block: unknown): NodeRequest {
  return {
    call: { method: 'eth_getProof', params: [address, [], block] },
    judge: (answer) => {
      const value = toProof(address, answer)
      return value
        ? { kind: 'value', value }
        : { kind: 'odd', message: 'the answer of the node is not a proof' }
    },
  }
}

/** eth_getProof with slots; the value is the nodes of all its proofs, each once. */
export function proofNodesRequest(
  address: Address,
  slots: readonly Hex[],
  block: unknown,
): NodeRequest {
  return {
    call: { method: 'eth_getProof', params: [address, slots, block] },
    judge: (answer) => {
      const proofs = proofsForm.safeParse(answer)
      if (!proofs.success) return { kind: 'odd', message: 'the answer of the node is not a proof' }
      const { accountProof, storageProof } = proofs.data
      const nodes = [...accountProof, ...storageProof.flatMap(({ proof }) => proof)]
      return { kind: 'value', value: [...new Set(nodes)] }
    },
  }
}

const nodesForm = z.array(
  z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/i)
    .transform((node) => node.toLowerCase() as Hex),
)
const proofsForm = z.object({
  accountProof: nodesForm,
  storageProof: z.array(z.object({ proof: nodesForm })),
})

/** Asks for a block by number or hash; the value is a VerifiedBlock. @param full - with its transactions. */
export function blockRequest(rules: BlockRules, ref: bigint | Hex, full: boolean): NodeRequest {
  const isNumber = typeof ref === 'bigint'
  const method = isNumber ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
  const expected = isNumber ? { number: ref } : { hash: ref }
  return {
    call: { method, params: [isNumber ? numberToHex(ref) : ref, full] },
    judge: (value) => judgeBlock(value, { ...rules, ...expected }),
  }
}

/** The value is a number. */
export const chainIdRequest: NodeRequest = {
  call: { method: 'eth_chainId', params: [] },
  judge: (value) =>
    typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
      ? { kind: 'value', value: Number(value) }
      : { kind: 'odd', message: 'the answer of the node is no number' },
}

/** The newest block; the value is a VerifiedBlock. */
export function latestRequest(rules: BlockRules): NodeRequest {
  return {
    call: { method: 'eth_getBlockByNumber', params: ['latest', false] },
    judge: (value) => judgeBlock(value, rules),
  }
}

function toProof(address: Address, answer: unknown): AccountProof | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { address: of, storageHash, ...account } = answer as Record<string, unknown>
  if (String(of).toLowerCase() !== address) return null
  if (typeof storageHash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(storageHash)) return null
  const balance = toStored(balanceKey(address), account.balance)
  const nonce = toStored(nonceKey(address), account.nonce)
  if (balance === null || nonce === null) return null
  return { storageHash: storageHash.toLowerCase() as Hex, balance, nonce }
}
