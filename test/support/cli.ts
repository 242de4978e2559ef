/** The command line as users run it, in a process of its own. */
import { fileURLToPath } from 'node:url'
import { launch } from './launcher.js'

export const cliEntry = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command line in a process of its own, compiled, away from the environment of the test. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const all = { PATH: process.env.PATH, ...env }
  const cli = await launch(process.execPath, [cliEntry, ...args], all)
  const code = await cli.ended
  if (code === null) throw new Error(`A signal ended the command line: ${cli.stderr}`)
  return { code, out: cli.stdout, err: cli.stderr }
}
