/** `forkroute sandbox`: the sandbox chain alone, as a JSON-RPC node for users' own tests. */
import type { Command } from 'commander'
import { type OutputOptions, printJson, withProgress } from './output.js'
import { nextSignal, parsePort } from './process.js'

export function addSandbox(program: Command): void {
  program
    .command('sandbox')
    .description('run the sandbox chain alone, as a JSON-RPC node')
    .option('--port <number>', 'default 0: any free port', '0')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions & { port: string }>()
      const port = parsePort(options.port)
      // Loaded when needed: the other commands start faster without it.
      const { startSandbox } = await import('../sandbox/sandbox.js')
      const sandbox = await withProgress('Starting the sandbox', (onProgress) =>
        startSandbox({ onProgress, port }),
      )
      if (options.json) printJson({ url: sandbox.url, chainId: 1 })
      else console.log(`sandbox     ${sandbox.url}  (chain id 1; Ctrl-C stops it)`)
      await nextSignal()
      await sandbox.stop()
    })
}
