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
import type { PinOptions } from './archive-messages.js'
import type { BlockIndex } from './block-index.js'
import { type ProofParts, readByProof } from './read-by-proof.js'

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

export interface OpenedBlock {
  readonly found: Answer<VerifiedBlock>
  /** Whether some state of the block was read, so that a node has it; as soon as that is known. */
  hasState(): Promise<boolean>
}

export class BlockOpener {
  readonly #parts: BlockOpenerParts
  readonly #reads = new LRUCache<Hex, readonly Promise<boolean>[]>({ max: maxBlocks })
  /** Whether a node has state of a block that was opened without its hash. */
  readonly #seen = new LRUCache<Hex, Promise<boolean>>({ max: maxBlocks })
  readonly #early = new Map<string, Promise<Answer<Hex>>>()
  /** The block that was opened last: its values are the likeliest to be the same. */
  #before: BlockRef | null = null

  constructor(parts: BlockOpenerParts) {
    this.#parts = parts
  }

  /**
   * @param options.isBackground - proofs of accounts are read before their values.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  async open(number: bigint, options: PinOptions): Promise<OpenedBlock> {
    const found = await this.#find(number, options)
    const begun = found.ok
      ? [this.#seen, this.#reads].flatMap((of) => of.get(found.value.pin.hash) ?? [])
      : []
    return { found, hasState: () => anyFound(begun) }
  }

  /** The reads that started together with the block's header, each true if it found a value; null without any. */
  readsOf(hash: Hex): readonly Promise<boolean>[] | null {
    return this.#reads.get(hash) ?? null
  }

  /** A read of the block that is in flight by number. */
  pending(key: ItemKey, hash: Hex): Promise<Answer<Hex>> | null {
    return this.#early.get(`${hash}${key}`) ?? null
  }

  async #find(number: bigint, options: PinOptions): Promise<Answer<VerifiedBlock>> {
    const { blocks, tracker, upstream } = this.#parts
    if (!blocks.knows(number)) {
      const hash = tracker.hashOf(number)
      if (hash !== null) return this.#openByHash(number, hash, options)
      if (upstream.isFinal(number)) return this.#openByNumber(number, options)
      return this.#openUnseen(number, options)
    }
    const found = await blocks.find(number)
    if (options.isBackground && found.ok && !this.#reads.has(found.value.pin.hash)) {
      this.#begin({ number, hash: found.value.pin.hash }, false, options)
    }
    return found
  }

  async #openByNumber(number: bigint, options: PinOptions): Promise<Answer<VerifiedBlock>> {
    const { blocks, upstream } = this.#parts
    const finding = blocks.find(number)
    const keys = this.#keysAt(number, options)
    const byProof = options.isBackground
      ? readByProof(keys, { number, found: finding }, this.#before, this.#parts)
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
    this.#expect(values, at)
    this.#fetchAll(keys, at)
    this.#before = at
    return found
  }

  async #openByHash(
    number: bigint,
    hash: Hex,
    options: PinOptions,
  ): Promise<Answer<VerifiedBlock>> {
    const { blocks, tracker } = this.#parts
    blocks.adopt({ number, hash })
    const at = { number, hash }
    // Values of a block are stored together with its header: without the header there are none.
    const isNew = blocks.held(hash, false) === null
    const finding = blocks.find(number)
    this.#begin(at, isNew, options)
    const found = await finding
    if (found.ok) tracker.learnParent(found.value.pin)
    return found
  }

  /**
   * A block whose hash only its header says. Whether a node has its state is asked beside the header, by the number: any
   * account will do, and the head's fee recipient is one that nodes have.
   */
  async #openUnseen(number: bigint, options: PinOptions): Promise<Answer<VerifiedBlock>> {
    const { blocks, tracker, upstream } = this.#parts
    const finding = blocks.find(number)
    const head = tracker.head()
    const probe = head && isFound(upstream.finalState(balanceKey(head.miner), number))
    const found = await finding
    if (!found.ok) return found
    const { hash } = found.value.pin
    if (probe) this.#seen.set(hash, probe)
    this.#begin({ number, hash }, false, options)
    return found
  }

  #begin(at: BlockRef, isNew: boolean, options: PinOptions): void {
    const wanted = this.#keysAt(at.number, options)
    const keys = isNew ? wanted : wanted.filter((key) => this.#parts.held(key, at) === null)
    if (options.isBackground) {
      this.#expect(readByProof(keys, at, this.#before, this.#parts), at)
      this.#fetchAll(keys, at)
    } else this.#fetchBehind(keys, at)
    this.#before = at
  }

  #keysAt(number: bigint, { readsAhead = true }: PinOptions): readonly ItemKey[] {
    return readsAhead ? this.#parts.keys(number) : []
  }

  #fetchAll(keys: readonly ItemKey[], at: BlockRef): void {
    this.#reads.set(
      at.hash,
      keys.map((key) => isFound(this.#parts.fetch(key, at))),
    )
  }

  /**
   * The first one at once, which goes out with the header and shows that a node has the state; the others a turn of the
   * event loop later, since thousands of them take as long to ask for as a node to answer.
   */
  #fetchBehind([first, ...others]: readonly ItemKey[], at: BlockRef): void {
    const turn = nextTurn()
    this.#reads.set(at.hash, [
      ...(first ? [isFound(this.#parts.fetch(first, at))] : []),
      ...others.map((key) => isFound(turn.then(() => this.#parts.fetch(key, at)))),
    ])
  }

  /** From here on, every request for the key at the block shares this read. */
  #expect(values: ReadonlyMap<ItemKey, Promise<Answer<Hex>>>, { hash }: BlockRef): void {
    for (const [key, value] of values) this.#early.set(`${hash}${key}`, value)
    void Promise.allSettled(values.values()).then(() => {
      for (const key of values.keys()) this.#early.delete(`${hash}${key}`)
    })
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

/** Resolves as soon as one of the reads found something. */
function anyFound(reads: readonly Promise<boolean>[]): Promise<boolean> {
  const found = reads.map((read) => read.then((ok) => ok || Promise.reject()))
  return Promise.any(found).catch(() => false)
}
