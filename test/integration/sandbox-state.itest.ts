import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureSandboxState, type SandboxState } from '../../src/sandbox/state.js'

let first: SandboxState
let directory: string

beforeAll(async () => {
  first = await ensureSandboxState()
  directory = await mkdtemp(join(tmpdir(), 'forkroute-sandbox-'))
  const cache = dirname(dirname(first.statePath))
  for (const name of await readdir(cache)) {
    if (name.startsWith('artifacts-')) await cp(join(cache, name), join(directory, name))
  }
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** Objects with their keys in order: Anvil writes its maps in any order. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(canonical)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]))
}

async function contentOf(state: SandboxState) {
  const dump = JSON.parse(await readFile(state.statePath, 'utf8'))
  const history = JSON.parse(gunzipSync(await readFile(state.historyPath)).toString())
  return {
    // Hashes of all blocks, and so their state roots.
    hashes: history.hashes,
    accounts: canonical(dump.accounts),
    changes: canonical(history.changes),
    base: canonical(history.base),
  }
}

test('the committed bytecode is what the sources compile to', async () => {
  const script = join('scripts', 'compile-sandbox-contracts.mjs')
  await promisify(execFile)(process.execPath, [script, '--check'])
})

test('two builds are equal block by block, and of two at once only one builds', async () => {
  const messages: string[] = []
  const build = () =>
    ensureSandboxState({ cacheDir: directory, onProgress: (message) => messages.push(message) })
  const [second, third] = await Promise.all([build(), build()])
  expect(third).toEqual(second)
  expect(messages.filter((message) => message === 'opening the pools')).toHaveLength(1)
  expect(messages).toContain('waiting for another process that builds the chain')
  expect(second.blockNumber).toBe(first.blockNumber)
  expect(await contentOf(second)).toEqual(await contentOf(first))
  const left = await readdir(directory)
  expect(left.filter((name) => !name.startsWith('artifacts-'))).toHaveLength(1)
}, 120_000)
