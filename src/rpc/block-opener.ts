/**
 * A block that was not met yet: its header and what recent blocks were asked for, read in one round. By hash where
 * the head's chain tells it, by number where no reorg reaches; of other blocks the header comes first.
 */
import { LRUCache } from 'lru-cache'
import type { Hex } from '../domain/primitives.js'
import type { BlockBook } from './block-book.js'
import type { VerifiedBlock } from './block-check.js'
import type { HeadTracker } from './heads.js'
import type { ItemKey } from './state-item.js'
import type { Answer, BlockRef, Upstream } from './upstream.js'

export interface BlockOpener {
  /** `hasState`: some state of the block was read, so a node has it. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  open(
    number: bigint,
  ): Promise<{ readonly found: Answer<VerifiedBlock>; readonly hasState: boolean }>
  /** The reads that began with the block's header, true where they found something; null when none did. */
  readsOf(hash: Hex): readonly Promise<boolean>[] | null
  /** A read of the block that is under way by its number. */
  pending(key: ItemKey, hash: Hex): Promise<Answer<Hex>> | null
}

/** Blocks whose reads are remembered. */
const maxBlocks = 64

export function createBlockOpener(parts: {
  readonly blocks: BlockBook
  readonly tracker: HeadTracker
  readonly upstream: Pick<Upstream, 'finalState' | 'isFinal'>
  /** What is worth reading of a block with this number. */
  readonly keys: (number: bigint) => readonly ItemKey[]
  readonly isHeld: (key: ItemKey, at: BlockRef) => boolean
  /** Reads and keeps; asks `pending` first. */
  readonly fetch: (key: ItemKey, at: BlockRef) => Promise<Answer<Hex>>
}): BlockOpener {
  const { blocks, tracker, upstream } = parts
  const reads = new LRUCache<Hex, readonly Promise<boolean>[]>({ max: maxBlocks })
  const early = new Map<string, Promise<Answer<Hex>>>()

  function fetchAll(keys: readonly ItemKey[], at: BlockRef): void {
    const all = keys.map((key) =>
      parts.fetch(key, at).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    reads.set(at.hash, all)
  }

  async function openByNumber(number: bigint): Promise<Answer<VerifiedBlock>> {
    const finding = blocks.find(number)
    const keys = parts.keys(number)
    const values = keys.map((key) => upstream.finalState(key, number))
    for (const value of values) value.catch(() => undefined)
    const found = await finding
    if (!found.ok) return found
    const { hash } = found.value.pin
    for (const [index, value] of values.entries()) early.set(`${hash}${keys[index]}`, value)
    fetchAll(keys, { number, hash })
    void Promise.allSettled(values).then(() => {
      for (const key of keys) early.delete(`${hash}${key}`)
    })
    return found
  }

  async function openByHash(number: bigint, hash: Hex): Promise<Answer<VerifiedBlock>> {
    blocks.adopt({ number, hash })
    const at = { number, hash }
    // What was read of a block is kept with its header: without one there is nothing to look for.
    const isNew = blocks.held(hash, false) === null
    const finding = blocks.find(number)
    const keys = parts.keys(number)
    fetchAll(isNew ? keys : keys.filter((key) => !parts.isHeld(key, at)), at)
    const found = await finding
    if (found.ok) tracker.learnParent(found.value.pin)
    return found
  }

  function find(number: bigint): Promise<Answer<VerifiedBlock>> {
    if (blocks.knows(number)) return blocks.find(number)
    const hash = tracker.hashOf(number)
    if (hash !== null) return openByHash(number, hash)
    return upstream.isFinal(number) ? openByNumber(number) : blocks.find(number)
  }

  return {
    async open(number) {
      const found = await find(number)
      const begun = found.ok ? reads.get(found.value.pin.hash) : undefined
      return { found, hasState: begun !== undefined && (await anyFound(begun)) }
    },
    readsOf: (hash) => reads.get(hash) ?? null,
    pending: (key, hash) => early.get(`${hash}${key}`) ?? null,
  }
}

/** As soon as one of the reads found something. */
function anyFound(reads: readonly Promise<boolean>[]): Promise<boolean> {
  const found = reads.map((read) => read.then((ok) => ok || Promise.reject()))
  return Promise.any(found).catch(() => false)
}
