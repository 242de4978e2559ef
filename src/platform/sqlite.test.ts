import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openSqlite, sqlitePackage } from './sqlite.js'

test('this Node can open a database', () => {
  const db = openSqlite(':memory:')
  expect(db.prepare('SELECT 1 + 1').pluck().get()).toBe(2)
  db.close()
})

test('a process in which statements are collected as garbage ends as it should', async () => {
  const script = `
    const Sqlite = require(process.argv[1])
    const db = new Sqlite(':memory:')
    const garbage = []
    for (let i = 0; i < 3000; i += 1) {
      db.prepare('SELECT ' + i)
      garbage.push(new Array(2000).fill(i))
    }
    console.log('done')`
  const path = createRequire(import.meta.url).resolve(sqlitePackage)
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, path])
  expect(stdout).toBe('done\n')
})
