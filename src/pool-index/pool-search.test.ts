import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Address, BlockPin } from '../domain/primitives.js'
import { type IndexDatabase, openIndexDatabase } from './database.js'
import { IndexReader } from './lookup.js'
import { poolsFor } from './pool-search.js'
import type { IndexedPool } from './sources.js'
import { openIndexStore } from './store.js'
import { TokenLinks } from './token-links.js'

const token = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [a, x, b] = [token(1), token(2), token(3)]

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

function databaseWith(pools: readonly IndexedPool[]): IndexDatabase {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-index-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = openIndexStore(dataDir)
  store.add({ chainId: 1, sources: [{ key: 'v2' }], from: 0n, to: 100n, pools, checkpoints: [] })
  store.close()
  const db = openIndexDatabase(dataDir, 'read')
  if (!db) throw new Error('the store made no file')
  cleanups.unshift(() => db.close())
  return db
}

function pool(block: number, tokens: readonly [Address, Address]): IndexedPool {
  const address = token(0x100 + block)
  const parameters = { feeBps: 30 }
  const record = { protocol: 'uniswap-v2', id: address, address, tokens, parameters }
  return { ...record, block: BigInt(block), gate: null }
}

test('names six pools of a token in between with an end, the oldest ones', () => {
  const between = Array.from({ length: 8 }, (_, k) => pool(k, [a, x]))
  const onward = pool(9, [x, b])
  const { pools: found } = poolsFor(new TokenLinks(databaseWith([...between, onward])), {
    chainId: 1,
    upTo: 100,
    tokensIn: [[a]],
    tokensOut: [[b]],
    connectors: [],
    maxHops: 2,
    gates: [],
    runsHooks: false,
  })
  expect(found.map(({ id }) => id)).toEqual([...between.slice(0, 6), onward].map(({ id }) => id))
})

test('names pools with hooks beside the others and within the same block, where hooks are run', () => {
  const hooks = token(0xd07)
  const hooked = [3, 8].map((block) => ({ ...pool(block, [a, b]), gate: hooks }))
  const links = new TokenLinks(databaseWith([pool(1, [a, b]), ...hooked]))
  const question = { chainId: 1, upTo: 5, tokensIn: [[a]], tokensOut: [[b]], connectors: [] }
  const found = (gates: readonly string[], runsHooks: boolean) => {
    const { pools, hooked } = poolsFor(links, { ...question, maxHops: 2, gates, runsHooks })
    return [pools.map(({ id }) => id), hooked.map(({ id }) => id)]
  }
  const [plain, one] = [token(0x101), token(0x103)]
  expect(found([], true)).toEqual([[plain], [one]])
  expect(found([], false)).toEqual([[plain], []])
  expect(found([hooks], true)).toEqual([[plain, one], []])
})

test('names the pools of a factory of one protocol that there are at the block, the oldest first', () => {
  const factory = token(0xfac)
  const made = (block: number, protocol: string, by: Address) => ({
    ...pool(block, [a, x]),
    protocol,
    parameters: { factory: by },
  })
  const db = databaseWith([
    ...[made(7, 'erc-4626', factory), made(3, 'erc-4626', factory)],
    ...[made(4, 'erc-4626', token(0xbad)), made(5, 'other', factory), pool(6, [a, x])],
    made(40, 'erc-4626', factory),
  ])
  const reader = new IndexReader(db)
  const pin = { chainId: 1, number: 9n, hash: token(1) } as unknown as BlockPin
  const wanted = { protocol: 'erc-4626', factories: [factory] }
  const found = reader.madeBy(pin, ['v2'], wanted)
  expect(found.map(({ id }) => id)).toEqual([token(0x103), token(0x107)])
  expect(reader.madeBy(pin, ['unknown'], wanted)).toEqual([])
})
