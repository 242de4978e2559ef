/** `forkroute prices`: USD prices at a block. */
import type { Command } from 'commander'
import type { ForkrouteClient } from '../client/client.js'
import { ConnectionError, ForkrouteApiError, UnexpectedAnswerError } from '../client/errors.js'
import { defined } from '../domain/defined.js'
import { chainOrEthereum } from './chains.js'
import { blockHelp, type ConnectionOptions, resolveBlock, withApi } from './client.js'
import { type OutputOptions, printJson, printTable, shortHex } from './output.js'
import { type NamedToken, resolveToken } from './token-names.js'

interface Options extends ConnectionOptions, OutputOptions {
  readonly chain: number
  readonly block?: string
}

/** The tokens that are known, and why each other name leads to none. */
async function resolveAll(client: ForkrouteClient, chainId: number, names: readonly string[]) {
  const tokens: NamedToken[] = []
  const problems: string[] = []
  for (const name of names) {
    try {
      tokens.push(await resolveToken(client, chainId, name))
    } catch (error) {
      if (!(error instanceof Error) || isOfService(error)) throw error
      problems.push(error.message)
    }
  }
  return { tokens, problems }
}

/** Whether the error is no fault of the name. */
function isOfService(error: Error): boolean {
  const classes = [ForkrouteApiError, ConnectionError, UnexpectedAnswerError, TypeError]
  return classes.some((one) => error instanceof one)
}

async function run(names: readonly string[], options: Options): Promise<void> {
  const { chain: chainId } = options
  await withApi(options, async (client) => {
    const { tokens, problems } = await resolveAll(client, chainId, names)
    if (!tokens.length) throw new Error(problems.join('\n'))
    const blockNumber = await resolveBlock(client, chainId, options.block)
    const prices = await client.prices({
      chainId,
      addresses: tokens.map((token) => token.address),
      ...defined({ blockNumber }),
    })
    if (options.json) printJson(prices)
    else {
      printTable(
        ['token', 'USD', 'confidence', 'source', 'block', 'address'],
        tokens.map((token, index) => {
          const { price, confidence, source, blockNumber: block } = prices[index] ?? {}
          return [token.symbol, price, confidence, source, block, shortHex(token.address)]
        }),
      )
    }
    for (const problem of problems) console.error(problem)
    if (problems.length) process.exitCode = 1
  })
}

export function addPrices(program: Command): void {
  program
    .command('prices')
    .description('USD prices of tokens at a block')
    .argument('<tokens...>', 'symbols or addresses, 100 at most')
    .addOption(chainOrEthereum())
    .option('--block <block>', blockHelp)
    .action((names: string[], _local, command: Command) =>
      run(names, command.optsWithGlobals<Options>()),
    )
}
