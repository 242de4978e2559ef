import { beforeEach, describe, expect, test } from 'vitest'
import { openDiskCache } from '../disk/disk-cache.js'
import { codeKey, storageKey } from '../node/state-item.js'
import { createLearned, type Learned } from './learned.js'
import { createPoolSets } from './pool-sets.js'

const noDisk = () =>
  openDiskCache(
    null,
    () => false,
    () => undefined,
  )
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const [poolA, poolB, provider] = [address('a'), address('b'), address('c')]
const pools = [
  { topic: 'pool:0xa', address: poolA },
  { topic: 'pool:0xb', address: poolB },
]
let learned: Learned
beforeEach(() => {
  learned = createLearned('1/learned', noDisk())
})

describe('createPoolSets', () => {
  test("a pool's own leftovers are its own, those of other contracts are everyone's", () => {
    const sets = createPoolSets(learned)
    sets.miss(storageKey(poolA, '0x1'), '0x64')
    sets.watch('0x64')
    sets.miss(storageKey(poolA, '0x2'), '0x64')
    sets.miss(codeKey(provider), '0x64')
    sets.miss(storageKey(poolA, '0x3'), '0x65')
    sets.learn(pools, '0x64')
    expect(sets.keysOf('pool:0xa')).toEqual([storageKey(poolA, '0x2'), codeKey(provider)])
    expect(sets.keysOf('pool:0xb')).toEqual([codeKey(provider)])
  })

  test('a pool keeps 256 keys, the newest, and more than 512 leftovers are not learnt', () => {
    const sets = createPoolSets(learned)
    const missing = (from: number, count: number) => {
      sets.watch('0x64')
      for (let slot = from; slot < from + count; slot++) {
        sets.miss(storageKey(poolA, `0x${slot.toString(16)}`), '0x64')
      }
      sets.learn(pools, '0x64')
      return sets.keysOf('pool:0xa')
    }
    expect(missing(1, 200)).toHaveLength(200)
    const keys = missing(1_001, 200)
    expect(keys).toHaveLength(256)
    expect(keys.at(-1)).toBe(storageKey(poolA, '0x4b0'))
    expect(missing(5_001, 513)).toEqual(keys)
  })

  test.each(['', 'no JSON', '{}', '[1, null, "x", "sxyz"]'])('%j holds no keys', (text) => {
    learned.put('pool:0xa', text)
    expect(createPoolSets(learned).keysOf('pool:0xa')).toEqual([])
  })
})
