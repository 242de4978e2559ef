/** `forkroute prices`: USD prices at a block. */
import type { Command } from 'commander'
import { blockHelp, type ConnectionOptions, resolveBlock, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { resolveToken } from './tokens.js'

interface Price {
  readonly price: number
  readonly confidence: number
  readonly source: string
  readonly blockNumber: number
}

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
        const tokens = []
        for (const name of names) tokens.push(await resolveToken(client, options.chain, name))
        const prices = await client.get<(Price | null)[]>(`/prices/${options.chain}`, {
          addresses: tokens.map((token) => token.address),
          blockNumber: await resolveBlock(client, options.chain, options.block),
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
