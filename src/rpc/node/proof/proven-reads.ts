/**
 * Reads of which only what is proven counts (`VERIFY_STATE=all`): nodes tell which state a call touches, and its values are
 * read by proof. What a node says of a call that it has run itself is no answer.
 */
import { numberToHex } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { TickPlaces } from '../../../domain/state.js'
import type { AccountProof, Answer, BlockRef } from '../answer.js'
import type { VerifiedBlock } from '../block-check.js'
import type { MadeCall } from '../bulk/bulk-code.js'
import type { State } from '../bulk/prestate.js'
import type { ItemKey } from '../state-item.js'
import type { ProvenValues } from './proven-values.js'

/** As of `upstream.ts`. */
interface Reads {
  state(key: ItemKey, block: BlockRef): Promise<Answer<Hex>>
  finalState(key: ItemKey, number: bigint): Promise<Answer<Hex>>
  proof(address: Address, block: BlockRef | bigint): Promise<Answer<AccountProof>>
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  prestate(
    calls: readonly MadeCall[],
    block: BlockRef,
    from: Address | undefined,
  ): Promise<Answer<State>>
  ticks(pools: readonly TickPlaces[], block: BlockRef): Promise<Answer<State>>
  block(number: bigint): Promise<Answer<VerifiedBlock>>
}

export function provenReads(reads: Reads, proven: ProvenValues): Omit<Reads, 'block'> {
  async function refOf(number: bigint): Promise<Answer<BlockRef>> {
    const found = await reads.block(number)
    return found.ok ? { ok: true, value: { number, hash: found.value.pin.hash } } : found
  }

  /** What cannot be proven is left out: it is read again where it is needed. */
  async function provenState(told: Answer<State>, block: BlockRef): Promise<Answer<State>> {
    if (!told.ok) return told
    const values = await Promise.all(
      [...told.value.keys()].map(async (key): Promise<[ItemKey, Hex][]> => {
        const value = await proven.value(key, block)
        return value.ok ? [[key, value.value]] : []
      }),
    )
    return { ok: true, value: new Map(values.flat()) }
  }

  return {
    state: proven.value,
    async finalState(key, number) {
      const block = await refOf(number)
      return block.ok ? proven.value(key, block.value) : block
    },
    async proof(address, at): Promise<Answer<AccountProof>> {
      const block = typeof at === 'bigint' ? await refOf(at) : { ok: true as const, value: at }
      if (!block.ok) return block
      const found = await proven.account(address, block.value)
      if (!found.ok) return found
      const { storageRoot, balance, nonce } = found.value
      return {
        ok: true,
        value: {
          storageHash: storageRoot,
          balance: numberToHex(balance),
          nonce: numberToHex(nonce),
        },
      }
    },
    call: async () => ({ ok: false, message: 'what a node answers to a call is not proven' }),
    prestate: async (calls, block, from) =>
      provenState(await reads.prestate(calls, block, from), block),
    ticks: async (pools, block) => provenState(await reads.ticks(pools, block), block),
  }
}
