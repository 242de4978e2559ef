/**
 * Facts about contracts of a chain that hold at any block, such as which slots the transfers of a token use: text by
 * topic, on disk and in memory. They are about code, not values, so they are kept for development nodes too.
 * A hint only: it decides what is read early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { DiskCache } from '../disk/disk-cache.js'

export interface Learned {
  get(topic: string): string | null
  put(topic: string, value: string): void
}

/** Topics of about a kilobyte each. The least recently used are dropped, also from disk. */
const maxTopics = 10_000

/** @param scope - of the rows on disk. */
export function createLearned(scope: string, disk: DiskCache, max = maxTopics): Learned {
  const values = new LRUCache<string, string>({
    max,
    dispose: (_value, item, reason) => {
      if (reason === 'evict') disk.remove(scope, item)
    },
  })
  for (const { item, value } of disk.all(scope)) values.set(item, value)
  return {
    get: (topic) => values.get(topic) ?? null,
    put(topic, value) {
      values.set(topic, value)
      disk.put({ scope, item: topic, value })
    },
  }
}
