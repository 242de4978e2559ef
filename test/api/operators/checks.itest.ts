/** The folder of cassettes and checks over HTTP: nothing outside of the folder is read, and suites are bounded. */
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Cassette } from '../../../src/api/records/check-records.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { openCassetteFile, packed, sumOf } from '../../../src/rpc/cassette/cassette-file.js'
import { documented, startTestApi, type TestApi } from '../test-api.js'

const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const secret = 'not for anybody'

/** A folder with a file beside it that must not be reached. */
async function start(env: Record<string, string> = {}) {
  const place = mkdtempSync(join(tmpdir(), 'forkroute-cassettes-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  const folder = join(place, 'inside')
  mkdirSync(join(folder, 'deeper.cassette'), { recursive: true })
  writeFileSync(join(place, 'outside.cassette'), secret)
  symlinkSync(join(place, 'outside.cassette'), join(folder, 'link.cassette'))
  writeFileSync(join(folder, 'notes.txt'), secret)
  writeFileSync(join(folder, '.hidden.cassette'), secret)
  writeFileSync(join(folder, 'broken.cassette'), 'no database')
  const api = await startTestApi({ CASSETTES_DIR: folder, ...env })
  return { api, folder }
}

describe('/cassettes', () => {
  test('lists plain files of the folder, and nothing else of it', async () => {
    const { api } = await start()
    const list = await documented(api, '/cassettes', Cassette.array())
    expect(list).toMatchObject([{ name: 'broken.cassette', bytes: 11 }])
  })

  test('a folder that is not there holds none', async () => {
    const api = await startTestApi({ CASSETTES_DIR: join(tmpdir(), 'forkroute-absent') })
    expect((await api.get('/cassettes')).body).toEqual([])
  })

  test('names of what lies elsewhere, or is no plain file, are not there for any path', async () => {
    const { api, folder } = await start()
    for (const name of [
      '..%2Foutside.cassette',
      '%2e%2e%2foutside.cassette',
      '..%5Coutside.cassette',
      'deeper.cassette%2f..%2f..%2foutside.cassette',
      'link.cassette',
      'deeper.cassette',
      '.hidden.cassette',
      'notes.txt',
      'outside.cassette',
      'outside.cassette%00',
      encodeURIComponent(join(folder, '..', 'outside.cassette')),
    ]) {
      const replies = [
        await api.get(`/cassettes/${name}`),
        await api.get(`/cassettes/${name}/requests/1`),
        await api.post(`/cassettes/${name}/check`, {}),
      ]
      for (const { status, text } of replies) {
        expect(status, name).toBe(404)
        expect(text, name).not.toContain(secret)
        expect(text, name).not.toContain(folder)
      }
    }
    expect((await api.get('/checks')).body).toEqual([])
  })

  test('what a check found is a file that nobody else on the machine may read', async () => {
    const { api } = await start()
    const { status, body } = await api.post('/cassettes/broken.cassette/check', {})
    expect(status).toBe(200)
    const file = join(api.config.dataDir, 'checks', `${body.id}.json`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a file that is no cassette is said to be none, without its place', async () => {
    const { api, folder } = await start()
    const reply = await api.get('/cassettes/broken.cassette')
    expect([reply.status, reply.body.code]).toEqual([503, 'STORAGE_UNAVAILABLE'])
    expect(reply.text).not.toContain(folder)
  })
})

describe('a cassette that a stranger has made', () => {
  const plainRequest = { method: 'GET', path: '/networks', query: {}, accountId: '0x' }

  /** One with a request whose answer is so many zeros, and then changed. */
  async function startWith(zeros: number, change = '', asked: object = plainRequest) {
    const { api, folder } = await start()
    const file = join(folder, 'strange.cassette')
    const db = openCassetteFile(file, 'write')
    const [key, request] = [Buffer.alloc(32), packed(JSON.stringify(asked))]
    const params = { [constants.BROTLI_PARAM_QUALITY]: 1 }
    const answer = brotliCompressSync(Buffer.alloc(zeros), { params })
    const sum = sumOf(key, 1, request, 200, answer)
    db.prepare('INSERT INTO requests VALUES (1, ?, 1, ?, 200, ?, ?)').run(key, request, answer, sum)
    db.close()
    if (change) {
      const plain = openSqlite(file)
      plain.exec(change)
      plain.close()
    }
    return { api, bytes: statSync(file).size }
  }

  test('and whose 100 kB stand for 600 MB is refused, and other requests are answered meanwhile', async () => {
    const { api, bytes } = await startWith(600_000_000)
    expect(bytes).toBeLessThan(200_000)
    const refused = api.get('/cassettes/strange.cassette/requests/1')
    expect(await Promise.race([refused, answers(api, 5)])).toBe('answered')
    const { status, body } = await refused
    expect([status, body.message]).toEqual([
      503,
      'The cassette cannot be used: a value in it is longer than 64 MB.',
    ])
  })

  const endless =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n'
  test.each([
    [
      'a view without end in place of a table',
      `DROP TABLE requests; CREATE VIEW requests AS ${endless}`,
    ],
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM requests; END'],
    ['an index of its own', 'CREATE INDEX i ON requests (length(answer))'],
    ['another column', 'ALTER TABLE requests ADD COLUMN more TEXT'],
  ])('and that has %s is refused', async (_, change) => {
    const { api } = await startWith(1, change)
    for (const path of ['', '/requests/1']) {
      const { status, body } = await api.get(`/cassettes/strange.cassette${path}`)
      expect([status, body.message]).toEqual([
        503,
        'The cassette cannot be used: its tables are not those of a cassette.',
      ])
    }
  })

  test.each<[string, object]>([
    ['answer', plainRequest],
    ['request', {}],
    ['query', { ...plainRequest, query: { a: 'b' } }],
  ])('and whose %s has no form that a recording writes is refused', async (_, asked) => {
    const { api } = await startWith(10, '', asked)
    const { status, body } = await api.get('/cassettes/strange.cassette/requests/1')
    expect([status, body.message]).toEqual([
      503,
      'The cassette cannot be used: a value in it is not of its form.',
    ])
  })
})

describe('/suites', () => {
  const suite = (head: string, cases = `[{ name: a, ${one} }]`) => `${head}\ncases: ${cases}`
  const one = `prices: { addresses: [${weth}] }, expect: { price: 3000 }`

  test.each([
    ['a node of its own', 'rpc: http://169.254.169.254/', 'rpc must not be given'],
    ['settings of its own', 'config: { TOKEN_LISTS: /etc/passwd }', 'config must not be given'],
    ['a cassette above', 'cassette: ../outside.cassette', 'cassette must be a name'],
    [
      'a cassette by the folder of suites',
      'cassette: /suites/a.cassette',
      'cassette must be a name',
    ],
    ['a cassette by way of it', 'cassette: ../suites/a.cassette', 'cassette must be a name'],
    ['a cassette elsewhere', 'cassette: /etc/passwd', 'cassette must be a name'],
    ['another file', 'cassette: notes.txt', 'cassette must be a name'],
    ['what is no field', 'casette: x', 'line 1: casette is not known here.'],
  ])('%s is refused', async (_, head, message) => {
    const { api } = await start({ RPC_URL_1: 'http://127.0.0.1:1' })
    const reply = await api.post('/suites', { suite: suite(head) })
    expect([reply.status, reply.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect([reply.body.message].flat().join()).toContain(message)
    expect((await api.get('/checks')).body).toEqual([])
  })

  test('a cassette that is absent or a link is a 404; too many cases and too long a text are refused', async () => {
    const { api } = await start()
    for (const name of ['absent', 'link']) {
      const reply = await api.post('/suites', { suite: suite(`cassette: ${name}.cassette`) })
      expect(reply.status).toBe(404)
    }
    const cases = Array.from({ length: 201 }, (_, index) => `{ name: n${index}, ${one} }`)
    const many = await api.post('/suites', {
      suite: suite('cassette: broken.cassette', `[${cases.join()}]`),
    })
    expect(many.body.message).toBe('cases must hold at most 200 cases.')
    expect((await api.post('/suites', { suite: 'x'.repeat(300_000) })).status).toBe(413)
    expect((await api.post('/suites', { suite: suite('name: b') })).body.message).toBe(
      'The suite must name a cassette: this service has no nodes.',
    )
    expect((await api.get('/checks/nope')).status).toBe(404)
  })

  test.each([
    ['thousands of keys', Array.from({ length: 9_000 }, (_, index) => `k${index}:`).join('\n')],
    ['a map on one line', `{${Array.from({ length: 8_000 }, (_, index) => `k${index}: `).join()}}`],
    ['keys within keys', '? '.repeat(900)],
    ['lists within lists', '['.repeat(60_000)],
    ['aliases', `a: &a 1\nb: [${'*a, '.repeat(16_000)}]`],
    [
      'aliases of aliases',
      `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`).join('\n')}`,
    ],
  ])('%s are refused, and other requests are answered while they are read', async (_, text) => {
    const { api } = await start({ RPC_URL_1: 'http://127.0.0.1:1' })
    const refused = api.post('/suites', { suite: text })
    const first = await Promise.race([refused, answers(api, 5)])
    expect(first).toBe('answered')
    const reply = await refused
    expect([reply.status, reply.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect([reply.body.message].flat().length).toBeLessThanOrEqual(101)
  })

  test('a suite of more than 64 kB is refused unread', async () => {
    const { api } = await start()
    const reply = await api.post('/suites', { suite: `# ${'é'.repeat(32_768)}` })
    expect([reply.status, reply.body.message]).toEqual([400, 'suite must be at most 64 kB'])
  })
})

/** Resolves when so many requests one after the other are answered. */
async function answers(api: TestApi, count: number): Promise<'answered'> {
  for (let done = 0; done < count; done += 1) {
    expect((await api.get('/health')).status).toBe(200)
  }
  return 'answered'
}
