/**
 * Values of state by proof: eth_getProof against the state root of the block's header, whose hash is the block's. Reads of
 * one account that arrive together are one call. Code is what has the hash that the account is proven to have.
 */
import { LRUCache } from 'lru-cache'
import { keccak256, numberToHex } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { Answer, BlockRef } from '../answer.js'
import type { AskQueue } from '../ask-queue.js'
import type { VerifiedBlock } from '../block-check.js'
import { paramOf, stateRequest } from '../read-requests.js'
import {
  addressOf,
  codeKey,
  type ItemKey,
  isCode,
  isSlot,
  nonceKey,
  slotOf,
} from '../state-item.js'
import { type ProvenSlots, provenRequest } from './proof-request.js'
import { noCode, type ProvenAccount } from './trie.js'

export interface ProvenValues {
  /** A value in its stored form. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  value(key: ItemKey, block: BlockRef): Promise<Answer<Hex>>
  account(address: Address, block: BlockRef): Promise<Answer<ProvenAccount>>
}

interface Group {
  readonly slots: Set<Hex>
  readonly answer: Promise<Answer<ProvenSlots>>
}

/** Slots of one call: some nodes bound them. */
const mostSlots = 128
const maxAccounts = 20_000
const maxRoots = 1_000

export function createProvenValues(parts: {
  readonly ask: AskQueue['ask']
  readonly block: (hash: Hex) => Promise<Answer<VerifiedBlock>>
  /** Whether a proof that leads nowhere is a lie: nothing but proofs is read. */
  readonly isStrict: boolean
}): ProvenValues {
  const { ask, block: headerOf, isStrict } = parts
  /** State roots by hash of the block. */
  const roots = new LRUCache<Hex, Hex>({ max: maxRoots })
  /** `<block hash><address>` */
  const accounts = new LRUCache<string, ProvenAccount>({ max: maxAccounts })
  /** What goes out together, by `<block hash><address>`. */
  const groups = new Map<string, Group>()

  async function rootOf({ hash }: BlockRef): Promise<Answer<Hex>> {
    const known = roots.get(hash)
    if (known !== undefined) return { ok: true, value: known }
    const found = await headerOf(hash)
    if (!found.ok) return found
    const root = found.value.json.stateRoot
    if (typeof root !== 'string') return { ok: false, message: 'its header has no state root' }
    roots.set(hash, root as Hex)
    return { ok: true, value: root as Hex }
  }

  async function proven(
    address: Address,
    slots: readonly Hex[],
    block: BlockRef,
  ): Promise<Answer<ProvenSlots>> {
    const root = await rootOf(block)
    if (!root.ok) return root
    const at = { address, slots, number: block.number, stateRoot: root.value, isStrict }
    const id = `${block.hash} proven ${address} ${slots}`
    const answer = await ask<ProvenSlots>(id, block, (node) =>
      provenRequest(at, paramOf(node, block)),
    )
    if (answer.ok) accounts.set(`${block.hash}${address}`, answer.value.account)
    return answer
  }

  /** The account with the slot, in one call with what else is asked of it at the same time. */
  function grouped(
    address: Address,
    slot: Hex | null,
    block: BlockRef,
  ): Promise<Answer<ProvenSlots>> {
    const name = `${block.hash}${address}`
    const open = groups.get(name)
    if (open && open.slots.size < mostSlots) {
      if (slot) open.slots.add(slot)
      return open.answer
    }
    const slots = new Set(slot ? [slot] : [])
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (groups.get(name)?.slots === slots) groups.delete(name)
      return proven(address, [...slots].toSorted(), block)
    })
    groups.set(name, { slots, answer })
    return answer
  }

  async function account(address: Address, block: BlockRef): Promise<Answer<ProvenAccount>> {
    const known = accounts.get(`${block.hash}${address}`)
    if (known) return { ok: true, value: known }
    const found = await grouped(address, null, block)
    return found.ok ? { ok: true, value: found.value.account } : found
  }

  async function code(address: Address, block: BlockRef): Promise<Answer<Hex>> {
    const found = await account(address, block)
    if (!found.ok) return found
    const { codeHash } = found.value
    if (codeHash === noCode) return { ok: true, value: '0x' }
    return ask(`${block.hash} code ${address} ${codeHash}`, block, (node) => {
      const at = paramOf(node, block)
      const { call, judge } = stateRequest(codeKey(address), at, block.number)
      return {
        call,
        judge(answer) {
          const judged = judge(answer)
          if (judged.kind !== 'value' || keccak256(judged.value as Hex) === codeHash) return judged
          const message = `its code of ${address} has not the hash that block ${block.number} proves.`
          return { kind: isStrict && typeof at === 'object' ? 'lie' : 'odd', message }
        },
      }
    })
  }

  return {
    account,
    async value(key, block) {
      const address = addressOf(key)
      if (isCode(key)) return code(address, block)
      if (isSlot(key)) {
        const found = await grouped(address, slotOf(key), block)
        if (!found.ok) return found
        return { ok: true, value: found.value.slots.get(slotOf(key)) as Hex }
      }
      const found = await account(address, block)
      if (!found.ok) return found
      const { nonce, balance } = found.value
      return { ok: true, value: numberToHex(key === nonceKey(address) ? nonce : balance) }
    },
  }
}
