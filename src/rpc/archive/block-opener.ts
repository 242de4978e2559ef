/**
 * Opens a block that is new to the archive: reads its header and the state that recent blocks were asked for in one
 * round. State is read by hash where the head's chain gives it, or by number where no reorg reaches; for any other
 * block the header has to come first, and the state follows it at once.
 *
 * Background work goes through many blocks and saves calls rather than rounds: it asks for proofs of the accounts
 * first, and reads only the values of accounts that changed.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { HeadTracker } from '../node/heads.js'
import { balanceKey, type ItemKey } from '../node/state-item.js'
import type { Upstream } from '../node/upstream.js'
import type { BlockIndex } from './block-index.js'
import { type ProofParts, readByProof } from './read-by-proof.js'

export interface BlockOpener {
  /**
   * `hasState`: whether some state of the block was read, so that a node has it; as soon as that is known.
   * @param isBackground - proofs of accounts are read before their values.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  open(
    number: bigint,
    isBackground: boolean,
  ): Promise<{ readonly found: Answer<VerifiedBlock>; hasState(): Promise<boolean> }>
  /** The reads that started together with the block's header, each true if it found a value; null without any. */
  readsOf(hash: Hex): readonly Promise<boolean>[] | null
  /** A read of the block that is in flight by number. */
  pending(key: ItemKey, hash: Hex): Promise<Answer<Hex>> | null
}

/** Blocks whose reads are remembered. */
const maxBlocks = 64

export interface BlockOpenerParts extends ProofParts {
  readonly blocks: BlockIndex
  readonly tracker: HeadTracker
  readonly upstream: ProofParts['upstream'] & Pick<Upstream, 'isFinal'>
  /** The keys worth reading at a block with this number. */
  readonly keys: (number: bigint) => readonly ItemKey[]
  /** Reads and keeps; asks `pending` first. */
  readonly fetch: (key: ItemKey, at: BlockRef) => Promise<Answer<Hex>>
}

export function createBlockOpener(parts: BlockOpenerParts): BlockOpener {
  const { blocks, tracker, upstream } = parts
  const reads = new LRUCache<Hex, readonly Promise<boolean>[]>({ max: maxBlocks })
  /** Whether a node has state of a block that was opened without its hash. */
  const seen = new LRUCache<Hex, Promise<boolean>>({ max: maxBlocks })
  const early = new Map<string, Promise<Answer<Hex>>>()
  /** The block that was opened last: its values are the likeliest to be the same. */
  let before: BlockRef | null = null

  function fetchAll(keys: readonly ItemKey[], at: BlockRef): void {
    reads.set(
      at.hash,
      keys.map((key) => isFound(parts.fetch(key, at))),
    )
  }

  /**
   * The first one at once, which goes out with the header and shows that a node has the state; the others a turn of the
   * event loop later, since thousands of them take as long to ask for as a node to answer.
   */
  function fetchBehind([first, ...others]: readonly ItemKey[], at: BlockRef): void {
    const turn = nextTurn()
    reads.set(at.hash, [
      ...(first ? [isFound(parts.fetch(first, at))] : []),
      ...others.map((key) => isFound(turn.then(() => parts.fetch(key, at)))),
    ])
  }

  /** From here on, every request for the key at the block shares this read. */
  function expect(values: ReadonlyMap<ItemKey, Promise<Answer<Hex>>>, { hash }: BlockRef): void {
    for (const [key, value] of values) early.set(`${hash}${key}`, value)
    void Promise.allSettled(values.values()).then(() => {
      for (const key of values.keys()) early.delete(`${hash}${key}`)
    })
  }

  async function openByNumber(
    number: bigint,
    isBackground: boolean,
  ): Promise<Answer<VerifiedBlock>> {
    const finding = blocks.find(number)
    const keys = parts.keys(number)
    const byProof = isBackground
      ? readByProof(keys, { number, found: finding }, before, parts)
      : new Map<ItemKey, Promise<Answer<Hex>>>()
    const values = new Map(
      keys.map((key) => [key, byProof.get(key) ?? upstream.finalState(key, number)]),
    )
    for (const value of values.values()) {
      void quietly(value, 'A value that is read ahead is asked for again where it is needed.')
    }
    const found = await finding
    if (!found.ok) return found
    const at = { number, hash: found.value.pin.hash }
    expect(values, at)
    fetchAll(keys, at)
    before = at
    return found
  }

  async function openByHash(
    number: bigint,
    hash: Hex,
    isBackground: boolean,
  ): Promise<Answer<VerifiedBlock>> {
    blocks.adopt({ number, hash })
    const at = { number, hash }
    // Values of a block are stored together with its header: without the header there are none.
    const isNew = blocks.held(hash, false) === null
    const finding = blocks.find(number)
    begin(at, isNew, isBackground)
    const found = await finding
    if (found.ok) tracker.learnParent(found.value.pin)
    return found
  }

  function begin(at: BlockRef, isNew: boolean, isBackground: boolean): void {
    const wanted = parts.keys(at.number)
    const keys = isNew ? wanted : wanted.filter((key) => parts.held(key, at) === null)
    if (isBackground) expect(readByProof(keys, at, before, parts), at)
    const fetch = isBackground ? fetchAll : fetchBehind
    fetch(keys, at)
    before = at
  }

  /**
   * A block whose hash only its header says. Whether a node has its state is asked beside the header, by the number: any
   * account will do, and the head's fee recipient is one that nodes have.
   */
  async function openUnseen(number: bigint, isBackground: boolean): Promise<Answer<VerifiedBlock>> {
    const finding = blocks.find(number)
    const head = tracker.head()
    const probe = head && isFound(upstream.finalState(balanceKey(head.miner), number))
    const found = await finding
    if (!found.ok) return found
    const { hash } = found.value.pin
    if (probe) seen.set(hash, probe)
    begin({ number, hash }, false, isBackground)
    return found
  }

  async function find(number: bigint, isBackground: boolean): Promise<Answer<VerifiedBlock>> {
    if (!blocks.knows(number)) {
      const hash = tracker.hashOf(number)
      if (hash !== null) return openByHash(number, hash, isBackground)
      if (upstream.isFinal(number)) return openByNumber(number, isBackground)
      return openUnseen(number, isBackground)
    }
    const found = await blocks.find(number)
    if (isBackground && found.ok && !reads.has(found.value.pin.hash)) {
      begin({ number, hash: found.value.pin.hash }, false, isBackground)
    }
    return found
  }

  return {
    async open(number, isBackground) {
      const found = await find(number, isBackground)
      const begun = found.ok
        ? [seen, reads].flatMap((of) => of.get(found.value.pin.hash) ?? [])
        : []
      return { found, hasState: () => anyFound(begun) }
    },
    readsOf: (hash) => reads.get(hash) ?? null,
    pending: (key, hash) => early.get(`${hash}${key}`) ?? null,
  }
}

/** Whether the read found a value. */
async function isFound(read: Promise<Answer<Hex>>): Promise<boolean> {
  try {
    return (await read).ok
  } catch {
    return false
  }
}

/** As soon as one of the reads found something. */
function anyFound(reads: readonly Promise<boolean>[]): Promise<boolean> {
  const found = reads.map((read) => read.then((ok) => ok || Promise.reject()))
  return Promise.any(found).catch(() => false)
}
