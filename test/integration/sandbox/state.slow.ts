import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitrumPlan } from '../../../src/sandbox/plans/arbitrum.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { ensureSandboxState, type SandboxState } from '../../../src/sandbox/state.js'

let first: SandboxState
let directory: string

beforeAll(async () => {
  first = await ensureSandboxState(ethereumPlan)
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
  const checked = promisify(execFile)(process.execPath, [script, '--check'])
  await expect(checked).resolves.toMatchObject({ stdout: '' })
})

test('the sources and the compiled code use the same chain', async () => {
  const [state, plans] = [
    '../../../dist/src/sandbox/state.js',
    '../../../dist/src/sandbox/plans/ethereum.js',
  ]
  const { ensureSandboxState: ensure } = await import(state)
  const { ethereumPlan: plan } = await import(plans)
  expect(await ensure(plan)).toEqual(first)
})

test('two builds are equal block by block, and of two at once only one builds', async () => {
  const othersBuild = 'chain-1-00000000000000bb.1'
  for (const name of ['chain-1-00000000000000aa', othersBuild]) await mkdir(join(directory, name))
  const messages: string[] = []
  const build = () =>
    ensureSandboxState(ethereumPlan, {
      cacheDir: directory,
      onProgress: (message) => messages.push(message),
    })
  const [second, third] = await Promise.all([build(), build()])
  expect(third).toEqual(second)
  expect(messages.filter((message) => message === 'opening the pools')).toHaveLength(1)
  expect(messages).toContain('waiting for another process that builds the chain')
  const built = await contentOf(second)
  expect(built.hashes.at(-1), 'another chain was built: put its head into version.ts').toBe(
    ethereumPlan.headHash,
  )
  expect(second.blockNumber).toBe(first.blockNumber)
  expect(built).toEqual(await contentOf(first))
  // The chain of another version is gone, what another process builds is not.
  const left = await readdir(directory)
  const chains = left.filter((name) => !name.startsWith('artifacts-'))
  expect(chains).toHaveLength(2)
  expect(chains).toContain(othersBuild)
}, 120_000)

test.each([arbitrumPlan, basePlan])(
  '$market.chain.name is built as its version says, and ends when Ethereum does',
  async (plan) => {
    const built = await ensureSandboxState(plan, { cacheDir: directory })
    const { hashes } = await contentOf(built)
    expect(hashes.at(-1), 'another chain was built: put its head into version.ts').toBe(
      plan.headHash,
    )
    const blocks = Number(built.blockNumber)
    expect(plan.genesisTimestamp + blocks * plan.blockSeconds).toBe(
      ethereumPlan.genesisTimestamp + Number(first.blockNumber) * ethereumPlan.blockSeconds,
    )
  },
  120_000,
)
