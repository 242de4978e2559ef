/** The store of backtests on a real PostgreSQL. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { JobBlock } from '../../../src/domain/backtest.js'
import { account, blockOf, many, planOf } from '../../support/backtest/backtests.js'
import { withPostgres } from '../../support/backtest/company.js'
import { storeContract } from '../../support/backtest/store-contract.js'

const { open, opened, postgres } = withPostgres()

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres().url)
  await client.connect()
  onTestFinished(() => client.end())
  return (await client.query(text)).rows
}

storeContract('openPostgresStore', async () => open())

test('several that find no tables make them once, also in a schema that somebody made for them', async () => {
  await query('CREATE SCHEMA forkroute_fresh')
  const stores = Array.from({ length: 4 }, () => opened('fresh'))
  expect(await Promise.all(stores.map((store) => store.open()))).toEqual([[], [], [], []])
})

test('installations with different names do not see each other', async () => {
  const [one, other] = [opened('one'), opened('other')]
  const { id } = await one.add(planOf(), [1n], account, many)
  expect(await other.job(id)).toBeNull()
})

test('the tables can be read with SQL: amounts as numbers that lose nothing', async () => {
  const store = opened('sql')
  const { id } = await store.add(planOf(), [10n], account, many)
  await store.put(id, blockOf(10n))
  const [row] = await query(
    `SELECT (amounts_out[1] - 10 = 2::numeric ^ 200) AS is_exact, path->0->>'protocol' AS protocol
     FROM forkroute_sql.routes WHERE variant = 'default'`,
  )
  expect(row).toEqual({ is_exact: true, protocol: 'uniswap-v2' })
})

test('what Postgres takes for no text is stored with a replacement', async () => {
  const store = opened('text')
  const { id } = await store.add(planOf(), [10n], account, many)
  const [found, ...others] = blockOf(10n).rows
  if (!found) throw new Error('no row')
  const reverted = (reason: string) => ({
    ...blockOf(10n),
    rows: [
      { ...found, executions: [{ delay: 1, status: 'reverted' as const, reason, gas: 1n }] },
      ...others,
    ],
  })
  await store.put(id, reverted('a\0b\ud800c \ud83d\ude00'))
  const stored: JobBlock[] = []
  for await (const block of store.results(id)) stored.push(block)
  expect(stored).toEqual([reverted('a\ufffdb\ufffdc \ud83d\ude00')])
})

test('a later schema is left alone', async () => {
  await opened('later').open()
  await query('UPDATE forkroute_later.schema_version SET version = 9')
  await expect(opened('later').open()).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'The backtests in Postgres have schema version 9; this forkroute knows 5.',
  })
})

test('a wrong password is an error without it', async () => {
  const url = postgres().url.replace(postgres().password, 'wrong-and-secret')
  const problem = await opened('svc', url)
    .open()
    .catch((error: unknown) => error)
  expect(problem).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'The backtests in Postgres cannot be read or written (28P01).',
  })
  expect(JSON.stringify(problem)).not.toContain('secret')
})
