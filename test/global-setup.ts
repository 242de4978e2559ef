/** Builds the sandbox chain once, so that test files that run side by side only start it. */
import { ensureSandboxState } from '../src/sandbox/state.js'

export async function setup(): Promise<void> {
  let last = ''
  await ensureSandboxState({
    onProgress: (message) => {
      if (message !== last) console.log(`sandbox: ${message}`)
      last = message
    },
  })
}
