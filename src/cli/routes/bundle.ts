/** `forkroute bundle`: the actions of a file as one unsigned transaction. */
import type { Command } from 'commander'
import type { AnswerOf, InputOf } from '../../client/calls.js'
import { ConfigError } from '../../config/config.js'
import { deadlineForms } from '../../domain/deadline.js'
import { defined } from '../../domain/defined.js'
import { chainOption } from '../chains.js'
import { blockHelp, type ConnectionOptions, resolveBlock, withApi } from '../client.js'
import { type OutputOptions, printJson, printTable } from '../output.js'
import { readTextFile } from '../text-file.js'
import { amountOf, type TokenNamer, type TokenPlace, tokenNamer } from '../token-names.js'
import {
  type Fact,
  hasPositions,
  measuredFacts,
  printOverlay,
  printSteps,
  printWarnings,
  tokensOf,
  transactionFacts,
} from './answer-tables.js'
import { printTrace, tokensOfTrace } from './trace.js'

type Input = InputOf<'postBundle'>
type Bundle = AnswerOf<'postBundle'>
type Amounts = Bundle['amountsOut']

interface Options extends ConnectionOptions, OutputOptions {
  readonly from?: string
  readonly receiver?: string
  readonly strategy?: string
  readonly block?: string
  readonly deadline?: string
  readonly user?: boolean
  readonly trace?: boolean
}

const defaultChain = 1

/**
 * The fields of the request: a list is the actions alone, an object has them beside other fields.
 * @throws ConfigError for a file that cannot be read or holds neither.
 */
async function readActions(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextFile(file)
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new ConfigError([`${file} is not JSON.`], 'file')
  }
  if (Array.isArray(content)) return { actions: content }
  if (typeof content === 'object' && content !== null && 'actions' in content) {
    return { ...content }
  }
  throw new ConfigError([`${file} must hold a list of actions, or an object with actions.`], 'file')
}

function facts(bundle: Bundle, chainId: number, nameOf: TokenNamer): Fact[] {
  const rows = (title: string, amounts: Amounts) =>
    Object.entries(amounts).map(([address, amount]): Fact => {
      return [title, amountOf(amount, nameOf({ chainId, address }))]
    })
  return [
    ...rows('takes', bundle.amountsIn),
    ...rows('pays', bundle.amountsOut),
    ...rows('at least', bundle.minAmountsOut),
    ...measuredFacts(bundle, chainId),
    ...transactionFacts(bundle.tx),
  ]
}

/** The tokens of all steps, amounts and movements. */
function placesOf(bundle: Bundle, chainId: number): TokenPlace[] {
  const { amountsIn, amountsOut, minAmountsOut } = bundle
  const addresses = [amountsIn, amountsOut, minAmountsOut].flatMap((one) => Object.keys(one))
  return [
    ...tokensOf(bundle.route),
    ...addresses.map((address) => ({ chainId, address })),
    ...tokensOfTrace(chainId, bundle.trace),
  ]
}

async function run(file: string, options: Options): Promise<void> {
  const content = await readActions(file)
  const chainId = options.chain ?? Number(content.chainId ?? defaultChain)
  await withApi({ ...options, chain: chainId }, async (client) => {
    const input = {
      ...content,
      ...defined({
        chainId: options.chain,
        fromAddress: options.from,
        receiver: options.receiver,
        routingStrategy: options.strategy,
        deadline: options.deadline,
        blockNumber: await resolveBlock(client, chainId, options.block),
        executionMode: options.user ? 'user' : undefined,
        trace: options.trace,
      }),
    }
    // The file and the options may say what no type allows; the service judges them.
    const bundle = await client.bundle(input as Input)
    if (options.json) {
      printJson(bundle)
      return
    }
    const withPositions = hasPositions(bundle.route)
    const nameOf = await tokenNamer(client, placesOf(bundle, chainId), { withPositions })
    printTable([], facts(bundle, chainId, nameOf))
    printSteps(bundle.route, nameOf)
    for (const { purpose, to, data } of bundle.prerequisites ?? []) {
      printTable(
        [],
        [['sign first', purpose], ...transactionFacts({ to, data, value: 0n, chainId })],
      )
    }
    if (bundle.trace) printTrace(chainId, bundle.trace, nameOf)
    printOverlay(bundle.overlay)
    printWarnings(bundle.warnings)
  })
}

export function addBundle(program: Command): void {
  program
    .command('bundle')
    .description('make one unsigned transaction of a list of actions')
    .argument('<file>', 'JSON: a list of actions, or an object with actions and other fields')
    .option('--from <address>', 'sender; here or as fromAddress in the file')
    .addOption(chainOption('name or id of the chain; default: chainId of the file, or ethereum'))
    .option('--block <block>', blockHelp)
    .option('--receiver <address>', 'who gets what remains; default: the sender')
    .option('--strategy <name>', 'routing strategy')
    .option('--deadline <time>', `when the transaction expires: ${deadlineForms}`)
    .option('--user', 'refuse unless the sender has the funds and the allowances now')
    .option('--trace', 'print what the transaction does: its calls, and who pays whom')
    .action((file: string, _local, command: Command) =>
      run(file, command.optsWithGlobals<Options>()),
    )
}
