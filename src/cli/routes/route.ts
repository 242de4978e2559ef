/** `forkroute route` and `forkroute quote`: amounts in whole tokens, tokens by symbol or address. */
import type { Command } from 'commander'
import { defaultCentiBps, toBps } from '../../domain/primitives.js'
import { type FileOptions, quoteFile, refuseHalf } from '../batch/quote-file.js'
import {
  type ApiClient,
  blockHelp,
  type ConnectionOptions,
  resolveBlock,
  withApi,
} from '../client.js'
import {
  formatUnits,
  type OutputOptions,
  parseRaw,
  parseUnits,
  printJson,
  printTable,
} from '../output.js'
import { type NamedToken, resolveToken } from '../tokens.js'
import { printTrace, type Trace } from './trace.js'

/** Of the native token of every chain. */
const nativeDecimals = 18

interface Options extends ConnectionOptions, OutputOptions {
  readonly chain: string
  readonly toChain?: string
  readonly gasDrop?: string
  readonly from?: string
  readonly block?: string
  readonly raw?: boolean
  readonly slippage?: string
  readonly receiver?: string
  readonly strategy?: string
  readonly backend?: boolean
  readonly trace?: boolean
}

interface Answer {
  readonly route: readonly {
    readonly action: string
    readonly protocol: string
    readonly protocols?: readonly string[]
    readonly tokenIn: readonly string[]
    readonly tokenOut: readonly string[]
    readonly primary?: string
    readonly chainId: number
    readonly destinationChainId?: number
    readonly internalRoutes?: readonly { pool: string; share: number; protocol: string }[]
  }[]
  readonly gas: string
  readonly amountOut: string
  readonly minAmountOut?: string
  readonly priceImpact: number | null
  readonly blockNumber: number
  readonly tx?: { readonly to: string; readonly value: string; readonly data: string }
  readonly destinationBlockNumber?: number
  readonly bridgeFee?: { readonly native: string; readonly usd: number | null }
  readonly gasDrop?: { readonly receiver: string; readonly amount: string }
  readonly bridgingEstimates?: readonly {
    readonly bridge: string
    readonly fromChainId: number
    readonly toChainId: number
    readonly estimatedSeconds: number
  }[]
  readonly warnings?: readonly string[]
  readonly trace?: Trace | null
}

interface Trade {
  readonly tokenIn: NamedToken
  readonly tokenOut: NamedToken
  readonly amountIn: bigint
}

async function parseTrade(
  client: ApiClient,
  options: Options,
  [amount, from, to]: readonly [string, string, string],
): Promise<Trade> {
  const tokenIn = await resolveToken(client, options.chain, from)
  const tokenOut = await resolveToken(client, options.toChain ?? options.chain, to)
  if (options.raw) return { tokenIn, tokenOut, amountIn: parseRaw(amount) }
  if (tokenIn.decimals !== null) {
    return { tokenIn, tokenOut, amountIn: parseUnits(amount, tokenIn.decimals) }
  }
  throw new Error(`The decimals of ${from} are not known: give the amount in raw units and --raw.`)
}

function amountOf(raw: string, token: NamedToken): string {
  if (token.decimals === null) return `${raw} raw units of ${token.address}`
  return `${formatUnits(BigInt(raw), token.decimals)} ${token.symbol}`
}

/** What a route over a bridge takes and lasts. */
function bridgeRows({
  destinationBlockNumber,
  bridgeFee,
  gasDrop,
  bridgingEstimates = [],
}: Answer) {
  if (!bridgeFee) return []
  const usd = bridgeFee.usd === null ? '' : `, ${bridgeFee.usd} USD`
  return [
    ['destination block', destinationBlockNumber],
    ['bridge fee', `${bridgeFee.native} wei${usd}`],
    ...(gasDrop ? [['gas drop', `${gasDrop.amount} wei to ${gasDrop.receiver}`]] : []),
    ...bridgingEstimates.map(({ bridge, fromChainId, toChainId, estimatedSeconds }) => [
      `${bridge}, chain ${fromChainId} to ${toChainId}`,
      `about ${estimatedSeconds} s`,
    ]),
  ]
}

function printAnswer(answer: Answer, trade: Trade): void {
  const { tx } = answer
  printTable(
    [],
    [
      ['amount in', amountOf(trade.amountIn.toString(), trade.tokenIn)],
      ['amount out', amountOf(answer.amountOut, trade.tokenOut)],
      ...(answer.minAmountOut ? [['at least', amountOf(answer.minAmountOut, trade.tokenOut)]] : []),
      ['price impact', answer.priceImpact === null ? 'not known' : `${answer.priceImpact} bps`],
      ['gas', answer.gas],
      ['block', answer.blockNumber],
      ...bridgeRows(answer),
      ...(tx
        ? [
            ['to', tx.to],
            ['value', tx.value],
            ['data', `${tx.data.slice(0, 34)}… (${tx.data.length / 2 - 1} bytes; all with --json)`],
          ]
        : []),
    ],
  )
  const chainOf = (step: Answer['route'][number]) =>
    step.destinationChainId ? `${step.chainId} to ${step.destinationChainId}` : `${step.chainId}`
  const hasBridge = answer.bridgingEstimates !== undefined
  printTable(
    [...(hasBridge ? ['chain'] : []), 'step', 'protocol', 'from', 'to', 'pools'],
    answer.route.map((step) => [
      ...(hasBridge ? [chainOf(step)] : []),
      step.action,
      (step.protocols ?? [step.protocol]).join('\n'),
      step.tokenIn.join('\n'),
      step.tokenOut.join('\n'),
      step.internalRoutes
        ?.map((leg) => `${leg.protocol} ${leg.pool} ${leg.share / 100}%`)
        .join('\n') ?? step.primary,
    ]),
  )
  if (answer.trace) printTrace(answer.trace)
  for (const warning of answer.warnings ?? []) console.error(`warning: ${warning}`)
}

async function run(
  path: string,
  trade: readonly [string, string, string],
  options: Options,
): Promise<void> {
  await withApi(options, async (client) => {
    const parsedTrade = await parseTrade(client, options, trade)
    const answer = await client.get<Answer>(path, {
      chainId: options.chain,
      fromAddress: options.from,
      destinationChainId: options.toChain,
      gasDrop: options.gasDrop && parseUnits(options.gasDrop, nativeDecimals).toString(),
      tokenIn: parsedTrade.tokenIn.address,
      tokenOut: parsedTrade.tokenOut.address,
      amountIn: parsedTrade.amountIn.toString(),
      blockNumber: await resolveBlock(client, options.chain, options.block),
      routingStrategy: options.strategy,
      slippage: options.slippage,
      receiver: options.receiver,
      executionMode: options.backend ? 'backend' : 'user',
      trace: options.trace ? 'true' : undefined,
    })
    if (options.json) printJson(answer)
    else printAnswer(answer, parsedTrade)
  })
}

/** @param isOptional - whether the trade may come from a file instead. */
function tradeCommand(
  program: Command,
  name: string,
  description: string,
  isOptional = false,
): Command {
  const place = (word: string) => (isOptional ? `[${word}]` : `<${word}>`)
  return program
    .command(name)
    .description(description)
    .argument(place('amount'), 'of the token to give, in whole tokens')
    .argument(place('tokenIn'), 'symbol or address')
    .argument(place('tokenOut'), 'symbol or address')
    .option('--chain <id>', 'chain id', '1')
    .option('--to-chain <id>', 'chain of tokenOut, over a bridge; default: the same chain')
    .option(
      '--gas-drop <amount>',
      'of the native token of --to-chain that the receiver gets besides',
    )
    .option('--block <block>', blockHelp)
    .option('--strategy <name>', 'routing strategy')
    .option('--raw', 'the amount is in raw units, such as 1000 or 1e18')
}

export function addRoute(program: Command): void {
  tradeCommand(program, 'route', 'find the best route and print its unsigned transaction')
    .requiredOption('--from <address>', 'sender; must hold the amount, and allow it to the router')
    .option('--receiver <address>', 'who gets the output; default the sender')
    .option('--slippage <bps>', `basis points; default ${toBps(defaultCentiBps)}`)
    .option('--trace', 'print what the transaction does: its calls, and who pays whom')
    .option('--backend', 'do not ask whether the sender has the funds now')
    .action((amount: string, tokenIn: string, tokenOut: string, _local, command: Command) =>
      run('/shortcuts/route', [amount, tokenIn, tokenOut], command.optsWithGlobals<Options>()),
    )
  tradeCommand(program, 'quote', 'estimate the output of the best route; needs no funds', true)
    .option('--from <address>', 'sender')
    .option(
      '--file <file>',
      'quote every trade of this CSV (amount, tokenIn, tokenOut; name, from, block, strategy, fee) or JSON',
    )
    .option('--out <files...>', 'with --file: write the quotes to .json, .csv or .parquet')
    .action(
      async (
        amount: string | undefined,
        tokenIn: string | undefined,
        tokenOut: string | undefined,
        _local,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<Options & Partial<FileOptions>>()
        const { file } = options
        refuseHalf([amount, tokenIn, tokenOut], file)
        if (file !== undefined) await quoteFile({ ...options, file })
        else if (amount && tokenIn && tokenOut) {
          await run('/shortcuts/quote', [amount, tokenIn, tokenOut], options)
        }
      },
    )
}
