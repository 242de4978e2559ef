/** The SQLite store of backtests on a real file, shared by connections. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/backtest/stores/sqlite-store.js'
import type { JobBlock } from '../../../src/domain/backtest.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { account, blockOf, many, planOf } from '../../support/backtest/backtests.js'
import { storeContract } from '../../support/backtest/store-contract.js'

const folder = mkdtempSync(join(tmpdir(), 'forkroute-backtests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

storeContract('openSqliteStore', async () => openSqliteStore(folder))

test('the tables can be read with SQL: amounts as text, one row per route and per execution', async () => {
  const store = openSqliteStore(folder)
  onTestFinished(() => store.close())
  const { id } = await store.add(planOf(), [10n], account, many)
  await store.put(id, blockOf(10n))
  const db = openSqlite(join(folder, 'backtests.sqlite'), { readonly: true })
  onTestFinished(() => void db.close())
  const routes = db.prepare('SELECT * FROM routes WHERE job_id = ? ORDER BY position').all(id)
  expect(routes).toMatchObject([
    { request: 'one', variant: 'default', amounts_out: `${2n ** 200n + 10n},5`, gas: '123456' },
    { variant: 'short', amounts_out: null, error_code: 'NO_ROUTE' },
  ])
  const executions = db.prepare('SELECT * FROM executions WHERE job_id = ? ORDER BY delay').all(id)
  expect(executions).toMatchObject([
    { delay: 1, status: 'filled', amounts_out: '7,8' },
    { delay: 2, status: 'reverted', reason: 'too little' },
    { delay: 3, status: 'unknown', reason: 'no such block' },
  ])
})

test('results of a version that knew no warnings are read, and new ones are written beside them', async () => {
  const own = mkdtempSync(join(tmpdir(), 'forkroute-backtests-'))
  const old = openSqliteStore(own)
  const { id } = await old.add(planOf(), [10n, 11n], account, many)
  await old.put(id, blockOf(10n))
  await old.close()
  const db = openSqlite(join(own, 'backtests.sqlite'))
  for (const table of ['routes', 'executions']) {
    db.exec(`ALTER TABLE ${table} DROP COLUMN warnings`)
  }
  db.exec('ALTER TABLE routes DROP COLUMN crosschain')
  db.exec('ALTER TABLE jobs DROP COLUMN kind; ALTER TABLE blocks DROP COLUMN hindsight')
  db.exec(`DROP INDEX jobs_by_account; ALTER TABLE jobs DROP COLUMN account; DROP INDEX open_jobs;
    ALTER TABLE jobs ADD COLUMN plan TEXT NOT NULL DEFAULT '';
    UPDATE jobs SET plan = (SELECT plan FROM plans WHERE job_id = id); DROP TABLE plans`)
  db.pragma('user_version = 1')
  db.close()
  const store = openSqliteStore(own)
  onTestFinished(async () => {
    await store.close()
    rmSync(own, { recursive: true, force: true })
  })
  expect(await store.job(id)).toMatchObject({ plan: planOf(), accountId: null })
  await store.put(id, blockOf(11n))
  const blocks: JobBlock[] = []
  for await (const block of store.results(id)) blocks.push(block)
  expect(blocks[0]).toMatchObject({ rows: [{ outcome: { gas: 123_456n } }, {}] })
  expect(blocks[0]).not.toHaveProperty('rows.0.outcome.warnings')
  expect(blocks[1]).toEqual(blockOf(11n))
})

test('what a removed job took goes back to the disk', async () => {
  const own = mkdtempSync(join(tmpdir(), 'forkroute-backtests-'))
  const store = openSqliteStore(own)
  onTestFinished(async () => {
    await store.close()
    rmSync(own, { recursive: true, force: true })
  })
  const empty = await store.size()
  const blocks = Array.from({ length: 300 }, (_block, index) => BigInt(index))
  const { id } = await store.add(planOf(), blocks, account, many)
  for (const block of blocks) await store.put(id, blockOf(block))
  const full = await store.size()
  await store.remove(id)
  expect(full).toBeGreaterThan(empty + 200_000)
  expect(await store.size()).toBeLessThan(empty + 20_000)
})
