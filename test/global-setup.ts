/**
 * Compiles the threads, and builds the sandbox chain, so that test files that run side by side only start it.
 * Every project that needs this names this file; it runs once, for the first of them.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sandboxPlans } from '../src/sandbox/plans/registry.js'
import { ensureSandboxState } from '../src/sandbox/state.js'

/** Each project loads a copy of this module of its own, so what they share hangs on the process. */
const prepared = Symbol.for('forkroute: prepared for tests')
const process_ = globalThis as { [prepared]?: Promise<unknown> }

export async function setup(): Promise<void> {
  process_[prepared] ??= Promise.all([compile(), buildChains()])
  await process_[prepared]
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
