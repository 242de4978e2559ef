/**
 * State that forks still had to read from a node when they ran swaps of a pool, although the slots of the adapter and
 * of the tokens were read ahead: remembered per pool and read ahead the next time. For pools whose slots only their own
 * code can find.
 * A hint only: it decides what is read early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import { addressOf, type ItemKey, isItemKey } from '../node/state-item.js'
import type { Learned } from './learned.js'

export interface SwappedPool {
  /** Names what was learnt: `pool:<id>`. */
  readonly topic: string
  readonly address: Address
}

export interface PoolSets {
  /** Keys learnt under a topic. */
  keysOf(topic: string): readonly ItemKey[]
  /** All known keys were read ahead at this block: any miss from here on is a leftover. */
  watch(hash: Hex): void
  /** Records a key that had to be read from a node. */
  miss(key: ItemKey, hash: Hex): void
  /** Adds the block's leftovers to the pools that were swapped in, and forgets them. */
  learn(pools: readonly SwappedPool[], hash: Hex): void
}

const maxBlocks = 16
/** More leftovers than this cannot come from a few pools, and are not learnt. */
const maxLeftovers = 512
/** Keys of one pool; the oldest are dropped first. */
const maxKeys = 256

export function createPoolSets(learned: Learned): PoolSets {
  const leftovers = new LRUCache<Hex, Set<ItemKey>>({ max: maxBlocks })

  function keysOf(topic: string): readonly ItemKey[] {
    const text = learned.get(topic)
    if (text === null) return []
    try {
      const keys: unknown = JSON.parse(text)
      return Array.isArray(keys) ? keys.filter(isItemKey).slice(0, maxKeys) : []
    } catch {
      return []
    }
  }

  return {
    keysOf,
    watch: (hash) => leftovers.set(hash, leftovers.get(hash) ?? new Set()),
    miss: (key, hash) => leftovers.get(hash)?.add(key),
    learn(pools, hash) {
      const missed = [...(leftovers.get(hash) ?? [])]
      leftovers.delete(hash)
      if (missed.length === 0 || missed.length > maxLeftovers) return
      const addresses = new Set(pools.map(({ address }) => address))
      for (const { topic, address } of pools) {
        // A contract that is not a pool, such as a rate provider, may belong to any of the pools.
        const own = missed.filter((key) => {
          const owner = addressOf(key)
          return owner === address || !addresses.has(owner)
        })
        if (own.length === 0) continue
        const keys = [...new Set([...keysOf(topic), ...own])].slice(-maxKeys)
        learned.put(topic, JSON.stringify(keys))
      }
    },
  }
}
