/** `forkroute mcp`: the Model Context Protocol over standard input and output. */
import type { Command } from 'commander'
import { serviceVersion } from '../api/version.js'
import { loadConfig } from '../config/config.js'
import { chainOrEthereum } from './chains.js'
import { type ConnectionOptions, withApi } from './client.js'
import { nextSignal } from './process.js'

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of the Model Context Protocol on standard input and output')
    .addOption(chainOrEthereum('chain of the sandbox that is started where there are no nodes'))
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<ConnectionOptions>()
      const { mayChange } = loadConfig(process.env).mcp
      await withApi(options, async (client) => {
        const [{ serveStdio }, { createMcpServer }] = await Promise.all([
          import('@modelcontextprotocol/server/stdio'),
          import('../mcp/server.js'),
        ])
        const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve))
        const handle = serveStdio(() =>
          createMcpServer(client, { version: serviceVersion, mayChange }),
        )
        await Promise.race([ended, nextSignal()])
        await handle.close()
      })
    })
}
