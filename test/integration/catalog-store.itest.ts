import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/store.js'
import type { Address } from '../../src/domain/primitives.js'
import type { Pool } from '../../src/protocols/protocol.js'

const [a, b]: [Address, Address] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const pool = (id: string): Pool => ({
  protocol: 'uniswap-v2',
  id,
  address: a,
  tokens: [a, b],
  parameters: { feeBps: 30 },
})

test('routing sees what was imported, not what earlier requests discovered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-catalog-'))
  const catalog = openCatalog(folder)
  catalog.rememberPools(1, [pool('discovered')], 100n)
  catalog.importPools(1, [pool('imported')])
  const reader = openCatalog(folder, { readonly: true })
  const ids = (pools: readonly Pool[]) => pools.map(({ id }) => id)
  expect(ids(reader.importedAmong(1, new Set([a, b])))).toEqual(['imported'])
  expect(reader.importedAmong(1, new Set([a]))).toEqual([])
  expect(ids(reader.listPools(1))).toEqual(['discovered', 'imported'])
  reader.close()
  catalog.close()
  await rm(folder, { recursive: true })
})
