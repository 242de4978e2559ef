/** `forkroute tokens`: the base tokens that the service knows. */
import type { Command } from 'commander'
import { defined } from '../domain/defined.js'
import { chainOption, chainText } from './chains.js'
import { type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'

interface Options extends ConnectionOptions, OutputOptions {
  readonly present?: boolean
}

async function run(symbols: readonly string[], options: Options): Promise<void> {
  const { chain } = options
  await withApi(options, async (client) => {
    const found = await client.tokens({
      includeMetadata: true,
      type: 'base',
      symbol: [...symbols],
      ...defined({ chainId: chain, present: options.present }),
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
    .option('--present', 'with --chain: only those that are on the chain at its newest block')
    .action((symbols: string[], _local, command: Command) =>
      run(symbols, command.optsWithGlobals<Options>()),
    )
}
