/** Scopes of keys, and keys over HTTP: who may see and change what, and that no answer holds a secret. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { Key, NewKey } from '../../../src/api/records/operation-records.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { bearer, startTestApi } from '../test-api.js'

const guarded = [
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['POST', '/keys/0123456789ab/disable'],
  ['POST', '/pools/import'],
  ['GET', '/configuration'],
  ['GET', '/doctor'],
] as const

async function start() {
  const api = await startTestApi({ AUTH_MODE: 'key' })
  const admin = api.keys.createKey({ name: 'first', isAdmin: true })
  const user = api.keys.createKey({ name: 'desk' })
  return { api, admin, user, headers: bearer(admin.key) }
}

describe('the scope admin', () => {
  test('paths that show or change the service refuse a key without it, whatever is asked', async () => {
    const { api, user } = await start()
    for (const [method, path] of guarded) {
      const reply =
        method === 'GET'
          ? await api.get(path, bearer(user.key))
          : await api.post(path, { name: 5 }, bearer(user.key))
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'SCOPE_MISSING'])
      const withScope = { header: 'authorization', value: 'Bearer <key with the scope admin>' }
      expect(reply.body.details).toEqual({ scope: 'admin', next: [withScope] })
      expect(reply.body.message).toContain('forkroute keys create --admin')
    }
    expect(api.keys.listKeys()).toHaveLength(2)
    expect((await api.get('/system', bearer(user.key))).status).toBe(200)
  })

  test('nobody has it in open mode', async () => {
    const api = await startTestApi()
    const statuses = await Promise.all(guarded.map(([, path]) => api.get(path)))
    expect(
      statuses
        .slice(0, 1)
        .concat(statuses.slice(4))
        .map(({ body }) => body.code),
    ).toEqual(Array(3).fill('SCOPE_MISSING'))
    const { body } = await api.post('/pools/import', {})
    expect(body).toMatchObject({ code: 'SCOPE_MISSING', details: { scope: 'admin' } })
    expect(body.details.next).toBeUndefined()
  })

  test('keys of a store without scopes keep working, without it', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-keys-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    openKeyStore(dataDir).close()
    const db = openSqlite(join(dataDir, 'forkroute.sqlite'))
    db.exec(`ALTER TABLE keys DROP COLUMN is_admin; PRAGMA user_version = 1;
      INSERT INTO accounts VALUES ('0x01', 'old', 1)`)
    db.prepare(
      "INSERT INTO keys (id, account_id, name, hash, created_at) VALUES ('a', '0x01', 'old', ?, 1)",
    ).run(createHash('sha256').update('fr_old').digest())
    db.close()
    const keys = openKeyStore(dataDir)
    expect(keys.findKey('fr_old')).toMatchObject({ id: 'a', scopes: ['use'], disabledAt: null })
    keys.close()
  })
})

describe('/keys', () => {
  test('a key is shown when it is made, works, and is never shown again', async () => {
    const { api, headers } = await start()
    const made = await api.post('/keys', { name: 'trading desk', accountName: 'desk' }, headers)
    expect(made.status, made.text).toBe(200)
    expect(NewKey.parse(made.body)).toEqual(made.body)
    expect(made.body).toMatchObject({ name: 'trading desk', scopes: ['use'], disabledAt: null })
    const { key, id } = made.body
    expect((await api.get('/networks', bearer(key))).status).toBe(200)

    const list = await api.get('/keys', headers)
    expect(Key.array().parse(list.body)).toEqual(list.body)
    expect(list.body.map((one: { name: string }) => one.name)).toEqual([
      'first',
      'desk',
      'trading desk',
    ])
    const hash = createHash('sha256').update(key).digest()
    for (const secret of [key, hash.toString('hex'), hash.toString('base64'), 'hash']) {
      expect(list.text).not.toContain(secret)
    }

    const other = await api.post(
      '/keys',
      { name: 'b', admin: true, accountId: made.body.accountId },
      headers,
    )
    expect(other.body).toMatchObject({ scopes: ['use', 'admin'], accountName: 'desk' })
    expect((await api.get('/keys', bearer(other.body.key))).status).toBe(200)

    const disabled = await api.post(`/keys/${id}/disable`, undefined, headers)
    expect(disabled.body.disabledAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    const refused = await api.get('/networks', bearer(key))
    expect([refused.status, refused.body.code]).toEqual([403, 'KEY_DISABLED'])
    expect((await api.get('/keys', bearer(key))).body.code).toBe('KEY_DISABLED')
    expect(api.log()).not.toContain(key)
  })

  test('the key that asks cannot disable itself, and what is wrong is named', async () => {
    const { api, admin, headers } = await start()
    const own = await api.post(`/keys/${admin.record.id}/disable`, undefined, headers)
    expect([own.status, own.body.message]).toEqual([400, 'the key that asks cannot disable itself'])
    expect((await api.post('/keys/nope/disable', undefined, headers)).status).toBe(404)
    const wrong = await api.post('/keys', { name: 'a\u001b[2J', accountId: '0x12' }, headers)
    expect(wrong.body.message).toEqual([
      'name must be 1 to 64 printable characters',
      'accountId must be the id of an account (32 bytes)',
    ])
    const account = `0x${'ab'.repeat(32)}`
    expect((await api.post('/keys', { name: 'a', accountId: account }, headers)).status).toBe(404)
    expect(api.keys.listKeys()).toHaveLength(2)
  })
})
