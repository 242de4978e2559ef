/**
 * Reads for work that walks through many blocks: first proofs of the accounts, then only the values of accounts that
 * changed since an earlier read.
 */

import type { Address, Hex } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { ItemKey } from '../node/state-item.js'
import type { Upstream } from '../node/upstream.js'
import type { ProvenState } from './proven-state.js'

export interface ProofParts {
  readonly upstream: Pick<
    Upstream,
    'state' | 'finalState' | 'proof' | 'givesProofs' | 'readsInBulk'
  >
  readonly proven: ProvenState
  /** The value, if it is known without asking a node. */
  readonly held: (key: ItemKey, at: BlockRef) => Hex | null
}

/** A block of which only the number is known so far. */
interface BlockToCome {
  readonly number: bigint
  readonly found: Promise<Answer<VerifiedBlock>>
}

/** An account, and the keys of it that are to be read. */
interface ReadAccount {
  readonly address: Address
  readonly keys: readonly ItemKey[]
}

/**
 * Reads the keys whose accounts are worth a proof at the block; none while nodes refuse proofs or read in bulk.
 *
 * @param last - the block that was opened before: its values are the likeliest to be the same.
 */
export function readByProof(
  keys: readonly ItemKey[],
  at: BlockToCome | BlockRef,
  last: BlockRef | null,
  parts: ProofParts,
): Map<ItemKey, Promise<Answer<Hex>>> {
  const { upstream, proven } = parts
  const reads = new Map<ItemKey, Promise<Answer<Hex>>>()
  // A proof is a call per account: more than all values cost where they are read in bulk.
  if (!upstream.givesProofs() || upstream.readsInBulk(at.number)) return reads
  for (const [address, own] of proven.worthProving(keys)) {
    const proof = prove({ address, keys: own }, at, last, parts)
    for (const key of own) {
      const value = proof.then((ref): Answer<Hex> | Promise<Answer<Hex>> => {
        const known = ref && proven.find(key, ref)
        if (known) return { ok: true, value: known }
        return ref ? upstream.state(key, ref) : upstream.finalState(key, at.number)
      })
      void quietly(value, 'A value that is read ahead is asked for again where it is needed.')
      reads.set(key, value)
    }
  }
  return reads
}

/** @returns the block, once its proof is known; null where there is no such block. */
async function prove(
  { address, keys }: ReadAccount,
  at: BlockToCome | BlockRef,
  last: BlockRef | null,
  parts: ProofParts,
): Promise<BlockRef | null> {
  const { upstream, proven } = parts
  const asked = upstream.proof(address, 'hash' in at ? at : at.number)
  // Values of the last block can be reused only when the account's root at that block is known.
  if (last && !proven.knowsRoot(address, last)) await learnBack({ address, keys }, last, parts)
  const [answer, ref] = await Promise.all([asked, 'hash' in at ? at : refOf(at)])
  if (ref) proven.learn(address, ref, answer)
  return ref
}

/** Reads the account's root at a block whose values are in memory, and files them under it. */
async function learnBack(
  { address, keys }: ReadAccount,
  at: BlockRef,
  { upstream, proven, held }: ProofParts,
): Promise<void> {
  const answer = await upstream.proof(address, at).catch(() => null)
  if (!answer?.ok) return
  proven.learn(address, at, answer)
  for (const key of keys) {
    const value = held(key, at)
    if (value !== null) proven.note(key, at, value)
  }
}

async function refOf({ number, found }: BlockToCome): Promise<BlockRef | null> {
  const block = await found
  return block.ok ? { number, hash: block.value.pin.hash } : null
}
