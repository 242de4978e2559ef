/**
 * The newest snapshot of positions per chain: kept in memory and in the catalog's file, renewed in the background
 * while the old one is served.
 */
import type { PositionSnapshot, PositionStore } from '../catalog/position-store.js'

/** After a failure the chain is not read again for this long, provided there is an older snapshot. */
const pauseSeconds = 30

export interface PositionCache {
  /** The snapshot, however old; waits for the first one. @throws what the first collection throws. */
  of(chainId: number): Promise<PositionSnapshot>
  /** The snapshot if there is one; never reads the chain. */
  known(chainId: number): Promise<PositionSnapshot | null>
}

export function createPositionCache(options: {
  readonly store: Pick<PositionStore, 'load' | 'save'>
  readonly maxAgeSeconds: number
  /** Reads the chain. @param previous - the snapshot that it replaces. */
  collect(chainId: number, previous: PositionSnapshot | null): Promise<PositionSnapshot>
  /** Whether the chain has the snapshot's block: on another chain or fork the same number is another block. */
  isOfChain(snapshot: PositionSnapshot): Promise<boolean>
  onProblem(error: unknown): void
  /** Unix seconds. */
  clock(): number
}): PositionCache {
  const { store, clock, onProblem } = options
  const newest = new Map<number, PositionSnapshot>()
  const collecting = new Map<number, Promise<PositionSnapshot>>()
  const loading = new Map<number, Promise<void>>()
  const pausedUntil = new Map<number, number>()

  /** Loads what an earlier run of the service stored; once per chain. */
  function load(chainId: number): Promise<void> {
    const known = loading.get(chainId)
    if (known) return known
    const work = (async () => {
      try {
        const stored = store.load(chainId)
        if (stored && (await options.isOfChain(stored))) newest.set(chainId, stored)
      } catch (error) {
        onProblem(error)
      }
    })()
    loading.set(chainId, work)
    return work
  }

  function collect(chainId: number): Promise<PositionSnapshot> {
    const running = collecting.get(chainId)
    if (running) return running
    const work = (async () => {
      const snapshot = await options.collect(chainId, newest.get(chainId) ?? null)
      newest.set(chainId, snapshot)
      try {
        store.save(snapshot)
      } catch (error) {
        onProblem(error)
      }
      return snapshot
    })().finally(() => collecting.delete(chainId))
    collecting.set(chainId, work)
    return work
  }

  return {
    async of(chainId) {
      await load(chainId)
      const snapshot = newest.get(chainId)
      if (!snapshot) return collect(chainId)
      const isOld = clock() - snapshot.takenAt >= options.maxAgeSeconds
      if (isOld && clock() >= (pausedUntil.get(chainId) ?? 0)) {
        collect(chainId).catch((error: unknown) => {
          pausedUntil.set(chainId, clock() + pauseSeconds)
          onProblem(error)
        })
      }
      return snapshot
    },
    async known(chainId) {
      await load(chainId)
      return newest.get(chainId) ?? null
    },
  }
}
