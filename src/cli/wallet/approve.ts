/** `forkroute approve`: the transaction by which a sender allows a contract of ours to take its tokens. */
import type { Command } from 'commander'
import { defined } from '../../domain/defined.js'
import { chainOrEthereum } from '../chains.js'
import { blockHelp, type ConnectionOptions, resolveBlock, toStrategy, withApi } from '../client.js'
import { type OutputOptions, printJson, printTable } from '../output.js'
import { printWarnings, transactionFacts } from '../routes/answer-tables.js'
import { amountOfToken } from '../routes/route-options.js'
import { amountOf, resolveToken } from '../token-names.js'

interface Options extends ConnectionOptions, OutputOptions {
  readonly chain: number
  readonly from: string
  readonly strategy?: string
  readonly block?: string
  readonly raw?: boolean
}

async function run(amount: string, name: string, options: Options): Promise<void> {
  const { chain: chainId, from, json } = options
  await withApi(options, async (client) => {
    const token = await resolveToken(client, chainId, name)
    const approval = await client.approval({
      chainId,
      fromAddress: from,
      tokenAddress: token.address,
      amount: amountOfToken(amount, token, options),
      ...defined({
        routingStrategy: toStrategy(options.strategy),
        blockNumber: await resolveBlock(client, chainId, options.block),
      }),
    })
    if (json) {
      printJson(approval)
      return
    }
    printTable(
      [],
      [
        ['allows', amountOf(approval.amount, token)],
        ['spender', approval.spender],
        ['gas', approval.gas.toString()],
        ['from', approval.tx.from],
        ...transactionFacts({ ...approval.tx, chainId }),
      ],
    )
    printWarnings(approval.warnings)
  })
}

export function addApprove(program: Command): void {
  program
    .command('approve')
    .description('build the transaction that allows the router to take an amount of a token')
    .argument('<amount>', 'whole tokens; 0 takes the allowance back')
    .argument('<token>', 'symbol or address')
    .requiredOption('--from <address>', 'who allows it')
    .addOption(chainOrEthereum())
    .option('--strategy <name>', 'routing strategy whose contract is allowed; default: router')
    .option('--block <block>', blockHelp)
    .option('--raw', 'the amount is in raw units, such as 1000 or 1e18')
    .action((amount: string, token: string, _local, command: Command) =>
      run(amount, token, command.optsWithGlobals<Options>()),
    )
}
