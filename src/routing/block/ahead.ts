/** What requests at a block had the archive read ahead. What is forgotten is read ahead once more, from memory. */
import { LRUCache } from 'lru-cache'

export interface Ahead {
  /** Accounts, slots and topics: requests run at the same time, and share most of them. */
  readonly keys: LRUCache<string, Promise<unknown>>
  /** Pools all of which was read, with those who trade there. */
  readonly pools: LRUCache<string, true>
}

export function createAhead(): Ahead {
  return { keys: new LRUCache({ max: 20_000 }), pools: new LRUCache({ max: 5_000 }) }
}
