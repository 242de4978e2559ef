/**
 * What forks still had to ask a node for when they ran swaps of a pool, although the adapter's slots and the tokens'
 * were read ahead: kept per pool and read ahead the next time. For pools whose state only their own code finds.
 * A hint only: it decides what is read early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import { addressOf, type ItemKey, isItemKey } from '../node/state-item.js'
import type { Learned } from './learned.js'

export interface SwappedPool {
  /** Of what was learnt: `pool:<id>`. */
  readonly topic: string
  readonly address: Address
}

export interface PoolSets {
  /** Keys learnt under a topic. */
  keysOf(topic: string): readonly ItemKey[]
  /** Everything known of was read ahead at this block: from here on a miss is a leftover. */
  watch(hash: Hex): void
  /** A node had to be asked for this. */
  miss(key: ItemKey, hash: Hex): void
  /** Adds the block's leftovers to the pools that were swapped in, and forgets them. */
  learn(pools: readonly SwappedPool[], hash: Hex): void
}

const maxBlocks = 16
/** More leftovers than this are no detail of some pool. */
const maxLeftovers = 512
/** Of a pool; the oldest go first. */
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
        // A contract that is no pool, a rate provider for instance, may belong to any of them.
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
