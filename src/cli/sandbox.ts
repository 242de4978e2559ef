/** `forkroute sandbox`: chains of the sandbox alone, as JSON-RPC nodes for users' own tests. */
import type { Command } from 'commander'
import { parseChains } from './chains.js'
import { type OutputOptions, printJson, withProgress } from './output.js'
import { nextSignal, parsePort } from './process.js'

export function addSandbox(program: Command): void {
  program
    .command('sandbox')
    .description('run chains of the sandbox alone, as JSON-RPC nodes')
    .option('--chains <chains>', 'names or ids, comma-separated', 'ethereum')
    .option('--port <number>', 'of the first chain; default 0: any free port', '0')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions & { chains: string; port: string }>()
      const port = parsePort(options.port)
      const chainIds = parseChains(options.chains)
      // Loaded when needed: the other commands start faster without it.
      const { startSandboxes } = await import('../sandbox/sandbox.js')
      const sandboxes = await withProgress('Starting the sandbox', (onProgress) =>
        startSandboxes(chainIds, { onProgress, port }),
      )
      const shown = sandboxes.map(({ url, chainId }) => ({ url, chainId }))
      if (options.json) printJson(shown.length === 1 ? shown[0] : shown)
      else
        for (const { url, chainId } of shown)
          console.log(`sandbox     ${url}  (chain id ${chainId}; Ctrl-C stops it)`)
      await nextSignal()
      await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
    })
}
