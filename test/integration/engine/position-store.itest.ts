import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openPositionStore,
  type PositionSnapshot,
  type PositionStore,
} from '../../../src/catalog/position-store.js'
import { openCatalog } from '../../../src/catalog/store.js'
import type { Address } from '../../../src/domain/primitives.js'

const token: Address = `0x${'a'.repeat(40)}`

let folder: string
let store: PositionStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-positions-'))
  store = openPositionStore(folder)
})
afterEach(async () => {
  store.close()
  await rm(folder, { recursive: true })
})

const keys = (...names: string[]) => names.map((key) => ({ protocol: 'vaults', key }))

describe('idsOf', () => {
  test('ids are given in the order asked, and kept for ever', () => {
    expect(store.idsOf(1, keys('b', 'a'))).toEqual([1, 2])
    expect(store.idsOf(1, keys('c', 'a', 'b'))).toEqual([3, 2, 1])
    store.close()
    store = openPositionStore(folder)
    expect(store.idsOf(1, keys('a', 'd'))).toEqual([2, 4])
  })

  test('chains and protocols have keys of their own', () => {
    store.idsOf(1, keys('a'))
    expect(store.idsOf(10, keys('a'))).toEqual([2])
    expect(store.idsOf(1, [{ protocol: '', key: 'a' }])).toEqual([3])
  })
})

test('the last snapshot of a chain outlives the process, beside the pools of the catalog', () => {
  const catalog = openCatalog(folder)
  const snapshot: PositionSnapshot = {
    chainId: 1,
    blockNumber: 2n ** 60n,
    blockHash: `0x${'1'.repeat(64)}`,
    takenAt: 1_750_000_000,
    positions: [
      {
        position: {
          protocol: 'vaults',
          key: token,
          token,
          primaryAddress: token,
          poolAddress: token,
          name: 'Vault',
          subtitle: 'A',
          underlyingTokens: [token],
          rewardTokens: [],
          parameters: { fee: 3, ids: ['x'] },
        },
        token: { chainId: 1, address: token, symbol: 'A', name: 'A', decimals: 18, logoUri: null },
        underlyingTokens: [],
        tvl: 12.5,
        apy: null,
        apyBase: null,
        apyReward: null,
      },
    ],
  }
  expect(store.load(1)).toBeNull()
  store.save({ ...snapshot, positions: [] })
  store.save(snapshot)
  store.close()
  store = openPositionStore(folder)
  expect(store.load(1)).toEqual(snapshot)
  expect(store.load(10)).toBeNull()
  expect(catalog.listPools(1)).toEqual([])
  catalog.close()
})
