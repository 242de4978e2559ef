import { describe, expect, test } from 'vitest'
import type { PositionSnapshot } from '../catalog/position-store.js'
import { createPositionCache } from './position-cache.js'

function snapshot(takenAt: number): PositionSnapshot {
  return { chainId: 1, blockNumber: BigInt(takenAt), blockHash: '0x01', takenAt, positions: [] }
}

/** A book whose collections end when the test says so. */
function setup(
  options: { stored?: PositionSnapshot; isOfChain?: boolean; saveFails?: boolean } = {},
) {
  const pending: { resolve(value: PositionSnapshot): void; reject(error: unknown): void }[] = []
  const saved: PositionSnapshot[] = []
  const problems: unknown[] = []
  const previous: (PositionSnapshot | null)[] = []
  const time = { now: 1_000 }
  const cache = createPositionCache({
    store: {
      load: () => options.stored ?? null,
      save(one) {
        if (options.saveFails) throw new Error('disk full')
        saved.push(one)
      },
    },
    maxAgeSeconds: 300,
    collect(_chainId, before) {
      previous.push(before)
      return new Promise((resolve, reject) => pending.push({ resolve, reject }))
    },
    isOfChain: async () => options.isOfChain ?? true,
    onProblem: (error) => problems.push(error),
    clock: () => time.now,
  })
  return { cache, pending, saved, problems, previous, time }
}

/** Everything that is ready to run has run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('createPositionBook', () => {
  test('callers of the first snapshot wait for one collection together', async () => {
    const { cache, pending, saved } = setup()
    const both = Promise.all([cache.of(1), cache.of(1)])
    await settle()
    expect(pending).toHaveLength(1)
    const first = snapshot(1_000)
    pending[0]?.resolve(first)
    expect(await both).toEqual([first, first])
    expect(saved).toEqual([first])
  })

  test('an old snapshot is given out while one collection replaces it', async () => {
    const old = snapshot(600)
    const { cache, pending, previous, time } = setup({ stored: old })
    expect(await cache.of(1)).toBe(old)
    expect(await cache.of(1)).toBe(old)
    expect(pending).toHaveLength(1)
    expect(previous).toEqual([old])
    const renewed = snapshot(1_000)
    pending[0]?.resolve(renewed)
    await settle()
    expect(await cache.of(1)).toBe(renewed)
    time.now = 1_299
    await cache.of(1)
    expect(pending).toHaveLength(1)
    time.now = 1_300
    await cache.of(1)
    expect(pending).toHaveLength(2)
  })

  test('a collection that fails leaves the old snapshot and pauses', async () => {
    const old = snapshot(600)
    const { cache, pending, problems, time } = setup({ stored: old })
    await cache.of(1)
    pending[0]?.reject(new Error('node is down'))
    await settle()
    expect(problems).toHaveLength(1)
    expect(await cache.of(1)).toBe(old)
    expect(pending).toHaveLength(1)
    time.now += 30
    await cache.of(1)
    expect(pending).toHaveLength(2)
  })

  test('the first collection that fails is the caller’s error, and the next caller tries again', async () => {
    const { cache, pending } = setup()
    const failing = cache.of(1)
    await settle()
    pending[0]?.reject(new Error('node is down'))
    await expect(failing).rejects.toThrow('node is down')
    const next = cache.of(1)
    await settle()
    pending[1]?.resolve(snapshot(1_000))
    expect((await next).takenAt).toBe(1_000)
  })

  test('what is stored of another chain is not given out', async () => {
    const { cache, pending, previous } = setup({ stored: snapshot(990), isOfChain: false })
    const asked = cache.of(1)
    await settle()
    expect(previous).toEqual([null])
    pending[0]?.resolve(snapshot(1_000))
    expect((await asked).takenAt).toBe(1_000)
  })

  test('what is known is told without reading the chain', async () => {
    const fresh = setup()
    expect(await fresh.cache.known(1)).toBeNull()
    expect(fresh.pending).toHaveLength(0)
    const old = snapshot(600)
    const started = setup({ stored: old })
    expect(await started.cache.known(1)).toBe(old)
    expect(started.pending).toHaveLength(0)
  })

  test('a snapshot that cannot be stored is given out all the same', async () => {
    const { cache, pending, problems } = setup({ saveFails: true })
    const asked = cache.of(1)
    await settle()
    pending[0]?.resolve(snapshot(1_000))
    expect((await asked).takenAt).toBe(1_000)
    expect(problems).toHaveLength(1)
  })
})
