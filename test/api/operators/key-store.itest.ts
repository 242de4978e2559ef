import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { openSqlite } from '../../../src/platform/sqlite.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forkroute-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe('openKeyStore', () => {
  test('keeps keys over a restart, and only their hashes', () => {
    const dataDir = folder()
    const first = openKeyStore(dataDir)
    const { key, record } = first.createKey({ name: 'mine', accountName: 'me' })
    first.close()
    const again = openKeyStore(dataDir)
    expect(again.findKey(key)).toMatchObject({ id: record.id, accountName: 'me', name: 'mine' })
    expect(again.listKeys()).toHaveLength(1)
    again.close()
    expect(key).toMatch(/^fr_[\w-]{43}$/)
    expect(readFileSync(join(dataDir, 'forkroute.sqlite')).includes(key)).toBe(false)
  })

  test('the file and its log are for the owner only', () => {
    const dataDir = folder()
    const keys = openKeyStore(dataDir)
    keys.createKey({ name: 'a' })
    for (const file of ['forkroute.sqlite', 'forkroute.sqlite-wal']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
    }
    keys.close()
  })

  test("a folder and files that others could read become the owner's alone", () => {
    const dataDir = folder()
    openKeyStore(dataDir).close()
    const file = join(dataDir, 'forkroute.sqlite')
    chmodSync(dataDir, 0o755)
    chmodSync(file, 0o644)
    openKeyStore(dataDir).close()
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a change by another process is seen at once', () => {
    const dataDir = folder()
    const [service, cli] = [openKeyStore(dataDir), openKeyStore(dataDir)]
    const { key, record } = cli.createKey({ name: 'a' })
    expect(service.findKey(key)?.disabledAt).toBeNull()
    cli.disableKey(record.id)
    expect(service.findKey(key)?.disabledAt).toBeGreaterThan(0)
    service.close()
    cli.close()
  })

  test('an unknown account or key id is a NOT_FOUND, and leaves nothing behind', () => {
    const keys = openKeyStore(folder())
    expect(() => keys.createKey({ name: 'a', accountId: '0x12' })).toThrow(
      'There is no account with the id 0x12.',
    )
    expect(() => keys.disableKey('nope')).toThrow('There is no key with the id nope.')
    expect(keys.listKeys()).toEqual([])
    keys.close()
  })

  test('a file of a later release is refused, and left as it was', () => {
    const dataDir = folder()
    openKeyStore(dataDir).close()
    const file = join(dataDir, 'forkroute.sqlite')
    const db = openSqlite(file)
    db.pragma('user_version = 9')
    expect(() => openKeyStore(dataDir)).toThrow('a later release of forkroute has written it')
    expect(db.pragma('user_version', { simple: true })).toBe(9)
    db.close()
  })

  test('a file that is no database is STORAGE_UNAVAILABLE, without its path', () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'forkroute.sqlite'), 'not a database, but long enough to be one')
    expect(() => openKeyStore(dataDir)).toThrow(
      expect.objectContaining({
        code: 'STORAGE_UNAVAILABLE',
        message:
          'The key store (forkroute.sqlite in the data folder) cannot be opened: SQLITE_NOTADB.',
      }),
    )
  })
})
