/** `forkroute tokens`: the base tokens that the service knows. */
import type { Command } from 'commander'
import { chainOption, chainText } from './chains.js'
import { type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'

type Options = ConnectionOptions & OutputOptions

async function run(symbols: readonly string[], options: Options): Promise<void> {
  const { chain } = options
  await withApi(options, async (client) => {
    const found = await client.tokens({
      includeMetadata: true,
      type: 'base',
      symbol: [...symbols],
      ...(chain !== undefined && { chainId: chain }),
    })
    const data = found.data.toSorted((a, b) => a.chainId - b.chainId)
    if (options.json) printJson({ ...found, data })
    else {
      printTable(
        ['chain', 'symbol', 'decimals', 'address', 'name'],
        data.map((token) => [
          token.chainId,
          token.symbol,
          token.decimals,
          token.address,
          token.name,
        ]),
      )
    }
    const missing = symbols.filter(
      (name) => !data.some(({ symbol }) => symbol?.toLowerCase() === name.toLowerCase()),
    )
    if (missing.length) {
      const where = chain === undefined ? '' : ` of ${chainText(chain)}`
      console.error(`No listed token${where} is called ${missing.join(', ')}.`)
      process.exitCode = 1
    }
    if (data.length < found.meta.total) {
      console.error(`${data.length} of ${found.meta.total}; narrow it by symbol or --chain.`)
    }
  })
}

export function addTokens(program: Command): void {
  program
    .command('tokens')
    .description('list the base tokens that the service knows')
    .argument('[symbols...]', 'only these')
    .addOption(chainOption('only this chain: name or id'))
    .action((symbols: string[], _local, command: Command) =>
      run(symbols, command.optsWithGlobals<Options>()),
    )
}
