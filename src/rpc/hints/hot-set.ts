/**
 * The state that was read at recent blocks, so that it can be read in bulk for the next block.
 * A hint only: it decides what is read early, never what is answered.
 *
 * The folder owns what earlier blocks were asked for, by chain: values, slots that forks missed, pools, facts of
 * contracts. In: what is read now. Out: what to read next. It throws nothing, and nothing depends on it but speed.
 */
import { LRUCache } from 'lru-cache'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import type { ItemKey } from '../node/state-item.js'

export interface HotSet {
  touch(key: ItemKey): void
  /** Starts a new block. */
  next(): void
  /** The keys read at recent blocks, most recently used first. */
  keys(): ItemKey[]
  save(): void
}

const maxKeys = 20_000
/** Keys read for one block at most. */
const maxPerBlock = 6_000
/** Blocks without a use after which a key is forgotten: half an hour on Ethereum. */
const maxIdleBlocks = 150
const saveEvery = 20

export function createHotSet(chainId: number, disk: DiskCache): HotSet {
  const scope = layout.hotScope(chainId)
  // Key to the value of the block counter at its last use.
  const keys = new LRUCache<ItemKey, number>({ max: maxKeys })
  let blocks = 0
  const stored = disk.all(scope).sort((a, b) => Number(b.value) - Number(a.value))
  for (const { item } of stored) keys.set(item, 0)

  function save(): void {
    const rows = [...keys.keys()]
      .slice(0, maxPerBlock)
      .map((item, index) => ({ scope, item, value: String(index) }))
    disk.dropScope(scope)
    for (const row of rows) disk.put(row)
  }

  return {
    touch: (key) => keys.set(key, blocks),
    next() {
      blocks += 1
      if (blocks % saveEvery === 0) save()
    },
    keys() {
      const recent: ItemKey[] = []
      for (const [key, usedAt] of keys.entries()) {
        if (blocks - usedAt > maxIdleBlocks) keys.delete(key)
        else if (recent.length < maxPerBlock) recent.push(key)
      }
      return recent
    },
    save,
  }
}
