/** Answers of the sandbox recorded over HTTP, and the same answers with no chain running. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CassetteSummary } from '../../../src/cassette/summary.js'
import { verify } from '../../../src/cli/replay.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { runCli } from '../../support/cli.js'
import {
  again,
  againAlone,
  atHead,
  expectedOf,
  open,
  type Recorded,
  uni,
  withCassette,
} from '../../support/service/cassette-context.js'
import { withoutMarks } from '../../support/service/earlier-cassette.js'

const context = withCassette()

describe('a cassette of the sandbox', () => {
  test('every request got its number, and what it was answered', () => {
    expect(context().recorded.map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [2, 200],
      [3, 200],
      [4, 200],
      [5, 200],
      [6, 400],
    ])
  })

  test.each([0, 5])('request %i alone, in a fresh service of one thread', async (index) => {
    const one = context().recorded[index] as Recorded
    expect(await againAlone(context(), one)).toBe(expectedOf(one))
  })

  test('one that does not hold the account which makers of blocks are paid to is replayed as it was', async () => {
    const { file, folder, recorded } = context()
    const older = { folder, file: join(folder, 'older.cassette') }
    await copyFile(file, older.file)
    const db = openSqlite(older.file)
    const cell = 'SELECT id FROM cells WHERE key = ?'
    const remove = db.prepare(`DELETE FROM reads WHERE cell IN (${cell})`)
    // The sandbox's blocks are made by the zero address: its balance, nonce and code.
    const removed = [0, 1, 2].map(
      (kind) => remove.run(Buffer.from([kind, ...Buffer.alloc(20)])).changes,
    )
    db.close()
    expect(Math.min(...removed)).toBeGreaterThan(0)
    const one = recorded[0] as Recorded
    expect(await againAlone(older, one)).toBe(expectedOf(one))
  })

  test('one that was recorded before answers said where they were simulated is replayed without that', async () => {
    const { file, folder, recorded } = context()
    const older = { folder, file: join(folder, 'unmarked.cassette') }
    await withoutMarks(file, older.file)
    const one = recorded[0] as Recorded
    const marks = '"simulatedPosition":0,"expiresAtBlock":null,'
    expect(expectedOf(one)).toContain(marks)
    expect(await againAlone(older, one)).toBe(expectedOf(one).replaceAll(marks, ''))
  })

  test('all at once, the last first, by two threads; the newest block is the newest that was asked at', async () => {
    const service = await open(
      context().folder,
      { kind: 'replay', file: context().file },
      { WORKERS: '2' },
    )
    try {
      const backwards = context().recorded.toReversed()
      const answers = await Promise.all(backwards.map((one) => again(service, one)))
      expect(answers).toEqual(backwards.map(expectedOf))
      const newest = JSON.parse((await service.ask(atHead)).text)
      expect(newest.blockNumber).toBe(context().head + 1)
      const { status, text } = await service.ask(atHead, { 'x-forkroute-recording': '5' })
      expect([status, JSON.parse(text).message]).toEqual([
        404,
        'There is no recording 5 of this request. Without the header x-forkroute-recording the newest one is taken.',
      ])
      // Nobody has read what this sender holds.
      const query = { ...atHead.query, tokenIn: `${uni}`, fromAddress: `0x${'34'.repeat(20)}` }
      const other = await service.ask({
        ...atHead,
        query: { ...query, blockNumber: context().head - 2 },
      })
      expect(other.status).toBe(503)
      expect(JSON.parse(other.text).message).toMatch(
        new RegExp(
          `^The cassette lacks ${uni} slot 0x[0-9a-f]+ at block ${context().head - 2} of chain 1.$`,
        ),
      )
    } finally {
      await service.close()
    }
  })

  test('verify runs all of them; the second head does not hide the first', async () => {
    const result = await verify(context().file, null, () => undefined)
    expect(result).toEqual({ verified: 8, damaged: [], mismatches: [] })
  })

  test('list says what is there, and its size', async () => {
    const { code, out } = await runCli(['cassette', 'list', context().file, '--json'])
    const summary = JSON.parse(out) as CassetteSummary
    expect(code).toBe(0)
    expect(summary).toMatchObject({
      format: 1,
      settings: { chainIds: [1], maxHops: 3 },
      chains: [
        { chainId: 1, blocks: 3, firstBlock: context().head - 2, lastBlock: context().head + 1 },
      ],
    })
    expect(summary.requests.map(({ blocks }) => blocks)).toEqual([
      [{ chainId: 1, number: context().head, head: true }],
      [{ chainId: 1, number: context().head - 2, head: false }],
      [{ chainId: 1, number: context().head, head: true }],
      [{ chainId: 1, number: context().head - 2, head: false }],
      [{ chainId: 1, number: context().head, head: true }],
      [{ chainId: 1, number: context().head, head: true }],
      [{ chainId: 1, number: context().head + 1, head: true }],
      [{ chainId: 1, number: context().head, head: false }],
    ])
    expect(summary.bytesPerRequest).toBeLessThan(150_000)
  })

  test('another configuration does not add to it', async () => {
    const mode = { kind: 'record', file: context().file } as const
    const env = { RPC_URL_1: 'http://127.0.0.1:1', MAX_HOPS: '2', FIRST_PIN_WAIT_MS: '0' }
    await expect(open(context().folder, mode, env)).rejects.toThrow('maxHops is 3 there, 2 here')
  })
})
