import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Catalog, openCatalog } from '../../../src/catalog/store.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { importedIntermediates } from '../../../src/routing/market/intermediates.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'f'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const pool = (id: string, tokens: readonly Address[] = [a, b]): Pool => ({
  protocol: 'uniswap-v2',
  id,
  address: a,
  tokens,
  parameters: { feeBps: 30 },
})
const ids = (pools: readonly Pool[]) => pools.map(({ id }) => id)

let folder: string
let catalog: Catalog

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-catalog-'))
})
afterEach(async () => {
  catalog.close()
  await rm(folder, { recursive: true })
})

test('routing sees what was imported, not what earlier requests discovered', () => {
  catalog = openCatalog(folder)
  catalog.rememberPools(1, [pool('discovered')], 100n)
  catalog.importPools(1, [pool('imported')])
  const reader = openCatalog(folder, { readonly: true })
  expect(ids(reader.importedAmong(1, new Set([a, b])))).toEqual(['imported'])
  expect(reader.importedAmong(1, new Set([a]))).toEqual([])
  expect(ids(reader.listPools(1))).toEqual(['discovered', 'imported'])
  reader.close()
})

test('of a pair with very many imported pools the first are read', () => {
  catalog = openCatalog(folder)
  const many = Array.from({ length: 70 }, (_, index) => pool(`p${100 + index}`))
  catalog.importPools(1, many)
  expect(catalog.importedAmong(1, new Set([b, a]))).toHaveLength(64)
  expect(ids(catalog.importedWith(1, b, new Set([a, c])))).toEqual(['p100', 'p101'])
})

test('a pool of several tokens is listed once, and under its new tokens after it was imported again', () => {
  catalog = openCatalog(folder)
  catalog.importPools(1, [pool('trio', [a, b, c]), pool('other', [a, d])])
  expect(ids(catalog.importedAmong(1, new Set([a, b, c])))).toEqual(['trio'])
  catalog.importPools(1, [pool('trio', [a, d, e])])
  expect(catalog.importedAmong(1, new Set([b, c]))).toEqual([])
  expect(ids(catalog.importedAmong(1, new Set([a, d, e])))).toEqual(['other', 'trio'])
  expect(catalog.importedAmong(10, new Set([a, d, e]))).toEqual([])
})

test('a catalog of the first version keeps its pools and knows their links', () => {
  const old = openSqlite(join(folder, 'catalog.sqlite'))
  old.exec(`CREATE TABLE pools (
    chain_id INTEGER NOT NULL, protocol TEXT NOT NULL, id TEXT NOT NULL, address TEXT NOT NULL,
    tokens TEXT NOT NULL, parameters TEXT NOT NULL, source TEXT NOT NULL, first_seen_block TEXT,
    PRIMARY KEY (chain_id, protocol, id)) WITHOUT ROWID`)
  const insert = old.prepare('INSERT INTO pools VALUES (1, ?, ?, ?, ?, ?, ?, NULL)')
  insert.run('uniswap-v2', 'one', a, JSON.stringify([a, b]), '{}', 'imported')
  insert.run('uniswap-v2', 'two', a, JSON.stringify([b, c]), '{}', 'imported')
  insert.run('uniswap-v2', 'found', a, JSON.stringify([a, d]), '{}', 'discovered')
  old.pragma('user_version = 1')
  old.close()
  catalog = openCatalog(folder)
  expect(ids(catalog.importedAmong(1, new Set([a, b, c, d])))).toEqual(['one', 'two'])
  expect(catalog.importedBetween(1, a, c, 10)).toEqual([b])
  expect(catalog.importedLinks(1, a, 10)).toEqual([b])
})

describe('importedIntermediates', () => {
  const weth = ethereum.wrappedNative
  const [, usdc] = ethereum.connectorTokens as [Address, Address]
  const between = (maxHops: number, from = a, to = b) =>
    importedIntermediates(catalog, ethereum, { tokensIn: [from], tokensOut: [to] }, maxHops)

  test('tokens that imported pools join on both sides, as far as the hops reach', () => {
    catalog = openCatalog(folder)
    catalog.rememberPools(1, [pool('found1', [a, e]), pool('found2', [e, b])], 1n)
    catalog.importPools(1, [pool('ac', [a, c]), pool('cb', [c, b]), pool('ad', [a, d])])
    expect(between(3)).toEqual([c])
    expect(between(2)).toEqual([c])
    expect(between(1)).toEqual([])
    catalog.importPools(1, [pool('d-weth', [d, weth])])
    expect(between(2)).toEqual([c])
    expect(between(3)).toEqual([c, d])
    expect(between(3, a, weth)).toEqual([d])
    expect(between(3, a, nativeToken)).toEqual([d])
  })

  test('two such tokens after each other, and between connectors with four hops', () => {
    catalog = openCatalog(folder)
    catalog.importPools(1, [pool('ac', [a, c]), pool('cd', [c, d]), pool('db', [d, b])])
    expect(between(2)).toEqual([])
    expect(between(3)).toEqual([d, c])
    catalog.importPools(1, [pool('we', [weth, e]), pool('eu', [e, usdc])])
    expect(between(3)).toEqual([d, c])
    expect(between(4)).toEqual([d, c, e])
  })

  test('of very many the best connected, and always the same', () => {
    catalog = openCatalog(folder)
    const many = Array.from({ length: 60 }, (_, index): Address => {
      return `0x${index.toString(16).padStart(40, '0')}`
    })
    const joined = many.flatMap((each) => [
      pool(`a${each}`, [a, each]),
      pool(`b${each}`, [each, b]),
    ])
    catalog.importPools(1, [...joined, pool('extra', [many[59] ?? c, c])])
    const found = between(3)
    expect(found).toEqual([many[59], ...many.slice(0, 15)])
    expect(between(3)).toEqual(found)
  })
})
