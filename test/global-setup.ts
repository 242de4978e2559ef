/**
 * Compiles the threads, and builds the sandbox chain once, so that test files that run side by side only start it.
 */
import { execFileSync } from 'node:child_process'
import { ensureSandboxState } from '../src/sandbox/state.js'

export async function setup(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  let last = ''
  await ensureSandboxState({
    onProgress: (message) => {
      if (message !== last) console.log(`sandbox: ${message}`)
      last = message
    },
  })
}
