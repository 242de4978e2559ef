/** Counts of one chain; the thread adds them up. */
export interface ChainCounters {
  memoryHits: number
  sqliteHits: number
  codeHits: number
  emptyHits: number
  readonly provenHits: number
  misses: number
  unreadable: number
  prefetched: number
}

/** @param provenHits - the count of values known by proofs, which is kept elsewhere. */
export function createChainCounters(provenHits: () => number): ChainCounters {
  return {
    memoryHits: 0,
    sqliteHits: 0,
    codeHits: 0,
    emptyHits: 0,
    get provenHits() {
      return provenHits()
    },
    misses: 0,
    unreadable: 0,
    prefetched: 0,
  }
}
