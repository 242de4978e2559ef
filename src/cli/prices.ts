/** `forkroute prices`: USD prices at a block. */
import type { Command } from 'commander'
import { defined } from '../domain/defined.js'
import { blockHelp, type ConnectionOptions, resolveBlock, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { parseChainId } from './process.js'
import { resolveToken } from './tokens.js'

export function addPrices(program: Command): void {
  program
    .command('prices')
    .description('USD prices of tokens at a block')
    .argument('<tokens...>', 'symbols or addresses, 100 at most')
    .option('--chain <id>', 'chain id', '1')
    .option('--block <block>', blockHelp)
    .action(async (names: string[], _local, command: Command) => {
      const options = command.optsWithGlobals<
        ConnectionOptions & OutputOptions & { chain: string; block?: string }
      >()
      await withApi(options, async (client) => {
        const chainId = parseChainId('--chain', options.chain)
        const tokens = []
        for (const name of names) tokens.push(await resolveToken(client, chainId, name))
        const blockNumber = await resolveBlock(client, chainId, options.block)
        const prices = await client.prices({
          chainId,
          addresses: tokens.map((token) => token.address),
          ...defined({ blockNumber }),
        })
        if (options.json) {
          printJson(prices)
          return
        }
        printTable(
          ['token', 'USD', 'confidence', 'source', 'block', 'address'],
          tokens.map((token, index) => {
            const { price, confidence, source, blockNumber } = prices[index] ?? {}
            return [token.symbol, price, confidence, source, blockNumber, token.address]
          }),
        )
      })
    })
}
