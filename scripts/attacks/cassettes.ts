/** Cassettes that a stranger has made: read, shown and replayed by the service. Also suites that name files elsewhere. */
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, createBrotliCompress } from 'node:zlib'
import { openSqlite } from '../../src/platform/sqlite.js'
import { openCassetteFile, packed, sumOf } from '../../src/rpc/cassette/cassette-file.js'
import { type Attack, type Family, told, unlike } from './attack.js'
import type { Target } from './target.js'

const name = 'strange.cassette'
const bombBytes = 8 * 2 ** 30
const part = Buffer.alloc(2 ** 20)
const longestCheckMs = 120_000

/** So many zeros; gigabytes become some kilobytes. */
async function zeros(bytes: number): Promise<Buffer> {
  const brotli = createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
  const parts = function* () {
    for (let made = 0; made < bytes; made += part.length) yield part
  }
  return buffer(Readable.from(parts()).pipe(brotli))
}

interface Made {
  readonly request?: Buffer
  readonly answer?: Buffer
  /** SQL. */
  readonly change?: string
}

function make(target: Target, { request, answer, change }: Made): number {
  const folder = join(target.dataDir, 'cassettes')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  rmSync(file, { force: true })
  const db = openCassetteFile(file, 'write')
  const plain = { method: 'GET', path: '/networks', query: {}, accountId: '0x' }
  const [key, asked] = [Buffer.alloc(32), request ?? packed(JSON.stringify(plain))]
  const answered = answer ?? packed('[]')
  const sum = sumOf(key, 1, asked, 200, answered)
  db.prepare('INSERT INTO requests VALUES (1, ?, 1, ?, 200, ?, ?)').run(key, asked, answered, sum)
  db.close()
  if (change) {
    const plainFile = openSqlite(file)
    plainFile.unsafeMode()
    plainFile.pragma('writable_schema = ON')
    plainFile.exec(change)
    plainFile.close()
  }
  return statSync(file).size
}

/** Shown, one of its requests shown, and replayed: what each is answered, and how the replay ends. */
function strange(tried: string, made: () => Promise<Made> | Made): Attack {
  let bytes = 0
  return {
    name: `a cassette with ${tried.replace(/,.*/, '')}`,
    tried,
    async prepare(target) {
      bytes = make(target, await made())
    },
    async run(target) {
      const path = `/api/v1/cassettes/${name}`
      const replies = await Promise.all([
        ...[path, `${path}/requests/1`, path, `${path}/requests/1`].map((one) => target.ask(one)),
      ])
      const begun = await target.ask(`${path}/check`, { method: 'POST', body: {} })
      const state = begun.status === 200 ? await endOf(target, begun.body.id) : begun.code
      const stillRuns = state === 'running' ? 'the replay does not end' : null
      return {
        answer: `of the file of ${Math.round(bytes / 1_000)} kB: ${told(replies)}; its replay: ${state}`,
        reached: unlike(replies, [200, 404, 503]) ?? stillRuns,
      }
    },
  }
}

async function endOf(target: Target, id: string): Promise<string> {
  const end = performance.now() + longestCheckMs
  for (;;) {
    const { body } = await target.ask(`/api/v1/checks/${id}`)
    if (body.state !== 'running' || performance.now() > end) return body.state
    await sleep(500)
  }
}

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
const view = (of: string) =>
  `DROP TABLE requests; CREATE VIEW requests AS ${endless} SELECT i AS id, ${of} FROM n`

/** A suite that leads to a file outside of the folder. */
const paths = [
  'cassette: ../outside.cassette',
  'cassette: /etc/passwd',
  'cassette: link.cassette',
  'cassette: ./../cassettes/../outside.cassette',
  'cassette: "..\\\\outside.cassette"',
  'cassette: deeper.cassette/../../outside.cassette',
  'cassette: file:///etc/passwd',
  'cassette: ~/outside.cassette',
]
const secret = 'SQLite format 3, and what nobody may read'

const elsewhere: Attack = {
  name: 'the cassette of a suite outside of its folder',
  tried: `${paths.length} paths: .., links, absolute ones`,
  async prepare(target) {
    const folder = join(target.dataDir, 'cassettes')
    mkdirSync(folder, { recursive: true })
    const outside = join(target.dataDir, 'outside.cassette')
    writeFileSync(outside, secret)
    rmSync(join(folder, 'link.cassette'), { force: true })
    symlinkSync(outside, join(folder, 'link.cassette'))
  },
  async run(target) {
    const cases = 'cases: [{ name: a, prices: { addresses: [0xc0] }, expect: { price: 1 } }]'
    const suites = await Promise.all(
      paths.map((path) =>
        target.ask('/api/v1/suites', { method: 'POST', body: { suite: `${path}\n${cases}` } }),
      ),
    )
    const names = ['..%2Foutside.cassette', 'link.cassette', '%2e%2e%2foutside.cassette']
    const shown = await Promise.all(names.map((one) => target.ask(`/api/v1/cassettes/${one}`)))
    const replies = [...suites, ...shown]
    const leak = replies.some(({ text }) => text.includes(secret)) ? 'the file was read' : null
    return { answer: told(replies), reached: leak ?? unlike(replies, [400, 404]) }
  },
}

export const cassettes: Family = {
  name: 'cassettes',
  attacks: () => [
    strange('an answer of 8 GB, packed by Brotli into some kB', async () => ({
      answer: await zeros(bombBytes),
    })),
    strange('a request of 8 GB, packed by Brotli into some kB', async () => ({
      request: await zeros(bombBytes),
    })),
    strange('a view without end in place of a table', () => ({
      change: view(
        "x'00' AS key, 1 AS version, x'00' AS request, 200 AS status, x'00' AS answer, 0 AS sum",
      ),
    })),
    strange('a view that builds a text without end', () => ({
      change: view(
        "x'00' AS key, 1 AS version, zeroblob(900000000) AS request, 200 AS status, x'00' AS answer, 0 AS sum",
      ),
    })),
    strange('a trigger', () => ({
      change: 'CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM requests; END',
    })),
    strange('a schema that is no SQL', () => ({
      change: "UPDATE sqlite_schema SET sql = 'CREATE TABLE requests (' WHERE name = 'requests'",
    })),
    strange('a table that shares the pages of another', () => ({
      change:
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'cells') WHERE name = 'requests'",
    })),
    strange('a request nested 60,000 deep', () => ({
      request: packed(
        `{"method":"GET","path":"/networks","query":{},"accountId":"0x","body":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
      ),
    })),
    elsewhere,
  ],
}
