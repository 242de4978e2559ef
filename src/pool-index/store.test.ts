import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, zeroHash } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { IndexedPool, PoolSource } from './sources.js'
import { type IndexStore, openIndexStore } from './store.js'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

function open(): IndexStore {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-index-'))
  const store = openIndexStore(dataDir)
  cleanups.push(() => {
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return store
}

const token = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

function sourceOf(key: string, more: Partial<PoolSource> = {}): PoolSource {
  return {
    key,
    address: token(1),
    topic: zeroHash,
    protocol: 'declared',
    onlyListed: false,
    ...more,
  }
}

function poolOf(n: number, source: string): IndexedPool {
  const address = token(n)
  const parameters = { venue: 'made', factory: source, constants: [] }
  const record = {
    protocol: 'declared',
    id: address,
    address,
    tokens: [token(1), token(2)],
    parameters,
  }
  return { ...record, block: BigInt(n), gate: null, source }
}

const range = (from: bigint, to: bigint) => ({ chainId: 1, from, to, checkpoints: [] })
const idsOf = (store: IndexStore) => store.list(1).map(({ id }) => Number(id))

describe('IndexStore', () => {
  test('reads a source from the block at which it begins, and keeps as many pools as it may have', () => {
    const store = open()
    const source = sourceOf('declared:made:1', { fromBlock: 20n, mostPools: 2 })
    store.begin(1, [source])
    store.begin(1, [source])
    expect(store.cursors(1, [source.key]).get(source.key)).toBe(19n)
    const pools = [21, 22, 23].map((n) => poolOf(n, source.key))
    expect(store.add({ ...range(20n, 30n), sources: [source], pools })).toBe(true)
    expect(
      store.add({ ...range(31n, 40n), sources: [source], pools: [poolOf(35, source.key)] }),
    ).toBe(true)
    expect(idsOf(store)).toEqual([21, 22])
  })

  test('forgets pools of a factory of which the file says something else', () => {
    const store = open()
    const [old, other] = [sourceOf('declared:made:1'), sourceOf('declared:other:1')]
    store.begin(1, [old, other])
    const pools = [poolOf(5, old.key), poolOf(6, other.key)]
    store.add({ ...range(0n, 9n), sources: [old, other], pools })
    const changed = sourceOf('declared:made:2')
    store.begin(1, [changed, other])
    expect(idsOf(store)).toEqual([6])
    store.begin(1, [old, other])
    expect(store.cursors(1, [old.key, other.key])).toEqual(
      new Map([
        [old.key, -1n],
        [other.key, 9n],
      ]),
    )
  })
})
