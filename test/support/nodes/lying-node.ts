/** Nodes that lie about state, and tell everything else as it is. */
import { type Hex, keccak256, numberToHex } from 'viem'
import { type Behaviour, isWithOverrides, type NodeCall } from './rpc-node.js'

interface ProofAnswer {
  readonly storageProof: readonly {
    readonly key: Hex
    readonly value: Hex
    readonly proof: Hex[]
  }[]
}

/** One slot in so many, always the same ones: its lowest bit is the other one. Proofs are right, values next to them are not. */
export function lyingAboutSlots(oneIn: number): Behaviour {
  const isLie = (slot: Hex) => BigInt(keccak256(slot)) % BigInt(oneIn) === 0n
  return onlySingleReads((call, result) => {
    if (call.method === 'eth_getStorageAt' && isLie(call.params[1] as Hex)) {
      return numberToHex(BigInt(result as Hex) ^ 1n, { size: 32 })
    }
    if (call.method !== 'eth_getProof') return result
    const answer = result as ProofAnswer
    const storageProof = answer.storageProof.map((one) =>
      isLie(one.key) ? { ...one, value: numberToHex(BigInt(one.value) ^ 1n) } : one,
    )
    return { ...answer, storageProof }
  })
}

/** The last node of each proof of a slot is another one. */
export const forgingProofs: Behaviour = onlySingleReads((call, result) => {
  if (call.method !== 'eth_getProof') return result
  const answer = result as ProofAnswer
  const storageProof = answer.storageProof.map((one) => ({
    ...one,
    proof: one.proof.map((node, at) => (at === one.proof.length - 1 ? flipped(node) : node)),
  }))
  return { ...answer, storageProof }
})

/** Neither calls with other code, nor what calls touch: each value is asked for by itself. */
function onlySingleReads(told: (call: NodeCall, result: unknown) => unknown): Behaviour {
  return () => ({
    edit(call, reply) {
      const { id, method } = call
      const isLacking = method.startsWith('debug_') || method === 'eth_createAccessList'
      if (isLacking || isWithOverrides(call)) {
        return { id, error: { code: -32601, message: 'the method does not exist' } }
      }
      return 'result' in reply ? { ...reply, result: told(call, reply.result) } : reply
    },
  })
}

function flipped(node: Hex): Hex {
  const last = Number.parseInt(node.slice(-1), 16) ^ 1
  return `${node.slice(0, -1)}${last.toString(16)}` as Hex
}
