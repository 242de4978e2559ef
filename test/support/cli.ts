/** The command line as users run it, in a process of its own. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const cliEntry = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command line in a process of its own, compiled, away from the environment of the test. */
export function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const options = { env: { PATH: process.env.PATH, ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, [cliEntry, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}
