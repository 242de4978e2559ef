/**
 * Compiles the threads, and builds the sandbox chain, so that test files that run side by side only start it.
 * Every project that needs this names this file; it runs once, for the first of them.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sandboxPlans } from '../src/sandbox/plans/registry.js'
import { ensureSandboxState } from '../src/sandbox/state.js'
import { countsVariable, readCounts, writeEndpointsPage } from './support/family/counts.js'

/** Each project loads a copy of this module of its own, so what they share hangs on the process. */
const prepared = Symbol.for('forkroute: prepared for tests')
const process_ = globalThis as { [prepared]?: Promise<unknown> }

export async function setup(): Promise<void> {
  process.env[countsVariable] ??= mkdtempSync(join(tmpdir(), 'forkroute-answers-'))
  process_[prepared] ??= Promise.all([compile(), buildChains()])
  await process_[prepared]
}

/** Answers that were checked, counted over all workers; the last to leave takes the folder away. */
export function teardown(): void {
  const folder = process.env[countsVariable]
  if (!folder) return
  delete process.env[countsVariable]
  if (process.env.UPDATE_ENDPOINTS) writeEndpointsPage(readCounts(folder))
  rmSync(folder, { recursive: true, force: true })
}

async function compile(): Promise<void> {
  const { stdout, stderr } = await promisify(execFile)('npm', ['run', '--silent', 'build'])
  console.log(`${stdout}${stderr}`.trim())
}

async function buildChains(): Promise<void> {
  await Promise.all(
    sandboxPlans.map((plan) => {
      let last = ''
      return ensureSandboxState(plan, {
        onProgress: (message) => {
          if (message !== last) console.log(`sandbox ${plan.market.chain.id}: ${message}`)
          last = message
        },
      })
    }),
  )
}
