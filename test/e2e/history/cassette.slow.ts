/** Each recording of the sandbox in a service of its own, and cassettes that were damaged or made smaller. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pruneCassette } from '../../../src/cassette/prune.js'
import { summarise } from '../../../src/cassette/summary.js'
import { verify } from '../../../src/cli/replay.js'
import type { Address } from '../../../src/domain/primitives.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { runCli } from '../../support/cli.js'
import {
  again,
  againAlone,
  expectedOf,
  from,
  open,
  type Recorded,
  uni,
  withCassette,
} from '../../support/service/cassette-context.js'
import {
  removeBalance,
  removeOwn,
  withOtherContracts,
} from '../../support/service/earlier-cassette.js'

const context = withCassette()

async function copyOf(name: string): Promise<string> {
  const copy = join(context().folder, name)
  const db = openSqlite(context().file, { readonly: true })
  await db.backup(copy)
  db.close()
  return copy
}

describe('a cassette of the sandbox', () => {
  test.each([1, 2, 3, 4])('request %i alone, in a fresh service of one thread', async (index) => {
    const one = context().recorded[index] as Recorded
    expect(await againAlone(context(), one)).toBe(expectedOf(one))
  })

  test('one of earlier contracts is replayed as it was, and nothing else that is missing is made up', async () => {
    const { file, folder, recorded } = context()
    const own = { folder, file: join(folder, 'own.cassette') }
    const earlier = { folder, file: join(folder, 'earlier.cassette') }
    await copyFile(file, own.file)
    const removed = removeOwn(own.file, [from])
    expect(Math.min(removed.accounts, removed.ofOne, removed.ofTwo)).toBeGreaterThan(0)
    await withOtherContracts(own.file, earlier.file)
    const service = await open(folder, { kind: 'replay', file: earlier.file })
    try {
      const answers = await Promise.all(recorded.map((one) => again(service, one)))
      const expected = recorded.map(expectedOf)
      // Alice has approved the Router of the recording, which costs her transfers other gas than a given approval.
      const spending = [1, 3]
      const comparable = (text: string, index: number) =>
        spending.includes(index) ? text.replace(/"gas":"\d+"/, '') : text
      expect(answers.map(comparable)).toEqual(expected.map(comparable))
    } finally {
      await service.close()
    }
    const second = recorded[1] as Recorded
    // No fork of the newest block can start there.
    const env = { FIRST_PIN_WAIT_MS: '0' }
    expect(await againAlone(own, second, env)).toMatch(/^503 .*The cassette lacks 0x/)
    expect(removeBalance(earlier.file, uni as Address, from)).toBeGreaterThan(0)
    expect(await againAlone(earlier, second)).toMatch(
      new RegExp(`^503 .*The cassette lacks ${uni} slot 0x`),
    )
  })

  test('a damaged answer and damaged state are named, by row and by path', async () => {
    const copy = await copyOf('damaged')
    const db = openSqlite(copy)
    const row = db
      .prepare<[number], { id: number }>(
        `SELECT cells.id FROM cells JOIN reads ON reads.cell = cells.id JOIN blocks ON blocks.id = reads.block
         WHERE number = ? AND length(key) = 53 AND length(value) > 8 ORDER BY cells.id LIMIT 1`,
      )
      .get(context().head - 2)
    db.prepare("UPDATE cells SET value = x'01' WHERE id = ?").run(row?.id)
    db.prepare('UPDATE requests SET status = 422 WHERE id = 5').run()
    db.close()
    const { code, out } = await runCli(['verify', copy, '--only', '2,5', '--json'])
    expect(code).toBe(1)
    const { damaged, mismatches, verified } = JSON.parse(out)
    expect(verified + mismatches.length).toBe(1)
    expect(damaged).toHaveLength(2)
    expect(damaged[0]).toMatch(
      new RegExp(
        `^cells: row ${row?.id}, 0x[0-9a-f]{40} slot 0x[0-9a-f]+, block ${context().head - 2} of chain 1`,
      ),
    )
    expect(damaged[1]).toBe('requests: row 5')
  })

  test('pruned, what is left still answers the same', async () => {
    const copy = await copyOf('pruned')
    const before = summarise(copy)
    expect(pruneCassette(copy, { blocks: [context().head, context().head + 1] })).toEqual([
      1, 3, 5, 6, 7, 8,
    ])
    const after = summarise(copy)
    expect(after.rows.reads).toBeLessThan(before.rows.reads / 2)
    expect(after.bytes).toBeLessThan(before.bytes)
    expect(await verify(copy, null, () => undefined)).toMatchObject({ verified: 2, mismatches: [] })
  })
})
