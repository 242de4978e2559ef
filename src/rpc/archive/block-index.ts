/**
 * Blocks of one chain: by hash from memory, SQLite or the nodes; by number until a reorg replaces them.
 */
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../domain/primitives.js'
import type { Recorder } from '../cassette/recorder.js'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { toPin } from '../node/header.js'
import type { Upstream } from '../node/upstream.js'

export interface BlockIndex {
  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  find(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /** Without asking a node. */
  held(hash: Hex, full: boolean): VerifiedBlock | null
  keep(block: VerifiedBlock): void
  /** Whether the hash of the number is known. */
  knows(number: bigint): boolean
  /** Records the block as the one that has its number. */
  adopt(pin: BlockRef): void
  /** Forgets the replaced blocks, and which hash belongs to recent numbers. */
  forget(head: bigint, replaced: readonly BlockRef[]): void
}

/** A block takes 30 kB, since it names its transactions. What is dropped here is still on disk. */
const maxBlocks = 128
const maxNumbers = 2_048
const maxFullBlocks = 16
/** Numbers this close to the head are looked up again after a reorg. */
const reorgWindow = 128n

export function createBlockIndex(parts: {
  readonly chainId: number
  readonly upstream: Pick<Upstream, 'block'>
  readonly disk: DiskCache
  readonly recorder: Recorder | null
  /** Called with each block that a node gives for its number. */
  readonly onNumber: (block: BlockRef) => void
}): BlockIndex {
  const { chainId, upstream, disk, recorder } = parts
  const blocks = new LRUCache<Hex, VerifiedBlock>({ max: maxBlocks })
  const fullBlocks = new LRUCache<Hex, VerifiedBlock>({ max: maxFullBlocks })
  const numbers = new LRUCache<bigint, Hex>({ max: maxNumbers })

  function keep(block: VerifiedBlock, full: boolean): void {
    const { hash } = block.pin
    if (full) fullBlocks.set(hash, block)
    else if (!blocks.has(hash)) {
      blocks.set(hash, block)
      const scope = layout.blockScope(chainId, hash)
      disk.put({ scope, item: layout.block, value: JSON.stringify(block.json) })
    }
  }

  function held(hash: Hex, full: boolean): VerifiedBlock | null {
    const block = (full ? fullBlocks : blocks).get(hash)
    if (block || full) return block ?? null
    const stored = disk.get(layout.blockScope(chainId, hash), layout.block)
    if (stored === null) return null
    const json = JSON.parse(stored) as VerifiedBlock['json']
    const pin = toPin(chainId, json)
    if (!pin) return null
    blocks.set(hash, { pin, json })
    return { pin, json }
  }

  return {
    held,
    async find(ref, { full = false } = {}) {
      const byNumber = typeof ref === 'bigint'
      const hash = byNumber ? numbers.get(ref) : ref
      let block = hash === undefined ? null : held(hash, full)
      if (!block) {
        const answer = await upstream.block(hash ?? ref, { full })
        if (!answer.ok) return answer
        block = answer.value
        keep(block, full)
        if (byNumber) parts.onNumber(block.pin)
      }
      recorder?.block(block)
      if (byNumber) {
        numbers.set(ref, block.pin.hash)
        recorder?.number(block.pin)
      }
      return { ok: true, value: block }
    },
    keep(block) {
      keep(block, false)
      recorder?.block(block)
    },
    knows: (number) => numbers.has(number),
    adopt: ({ number, hash }) => numbers.set(number, hash),
    forget(head, replaced) {
      for (const { hash } of replaced) {
        blocks.delete(hash)
        fullBlocks.delete(hash)
      }
      for (const number of numbers.keys()) {
        if (number + reorgWindow > head) numbers.delete(number)
      }
    },
  }
}
