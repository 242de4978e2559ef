/** `forkroute route` and `forkroute quote`: amounts in whole tokens, tokens by symbol or address. */
import type { Command } from 'commander'
import type { ForkrouteClient, Quote, Route, RouteInput } from '../../client/client.js'
import { defined } from '../../domain/defined.js'
import { defaultCentiBps, toBps } from '../../domain/primitives.js'
import { type FileOptions, quoteFile, refuseHalf } from '../batch/quote-file.js'
import { blockHelp, type ConnectionOptions, resolveBlock, toStrategy, withApi } from '../client.js'
import {
  formatUnits,
  type OutputOptions,
  parseRaw,
  parseUnits,
  printJson,
  printTable,
} from '../output.js'
import { parseChainId } from '../process.js'
import { type NamedToken, resolveToken } from '../tokens.js'
import { printTrace } from './trace.js'

/** Decimals of the native token, the same on every chain. */
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

interface Trade {
  readonly tokenIn: NamedToken
  readonly tokenOut: NamedToken
  readonly amountIn: bigint
}

type Words = readonly [amount: string, tokenIn: string, tokenOut: string]
interface Chains {
  readonly chainId: number
  /** Undefined: the same chain. */
  readonly destinationChainId: number | undefined
}

async function parseTrade(
  client: ForkrouteClient,
  { chainId, destinationChainId = chainId }: Chains,
  [amount, from, to]: Words,
  options: Options,
): Promise<Trade> {
  const tokenIn = await resolveToken(client, chainId, from)
  const tokenOut = await resolveToken(client, destinationChainId, to)
  if (options.raw) return { tokenIn, tokenOut, amountIn: parseRaw(amount) }
  if (tokenIn.decimals !== null) {
    return { tokenIn, tokenOut, amountIn: parseUnits(amount, tokenIn.decimals) }
  }
  throw new Error(`The decimals of ${from} are not known: give the amount in raw units and --raw.`)
}

function amountOf(raw: bigint, token: NamedToken): string {
  if (token.decimals === null) return `${raw} raw units of ${token.address}`
  return `${formatUnits(raw, token.decimals)} ${token.symbol}`
}

/** A trade of one token has one amount. */
function only(amount: bigint | readonly bigint[]): bigint {
  return typeof amount === 'bigint' ? amount : (amount[0] ?? 0n)
}

/** What a route over a bridge takes and lasts. */
function bridgeRows({
  destinationBlockNumber,
  bridgeFee,
  gasDrop,
  bridgingEstimates = [],
}: Route | Quote) {
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

function printAnswer(answer: Route | Quote, trade: Trade): void {
  const { tx, minAmountOut, trace }: Partial<Route> = answer
  printTable(
    [],
    [
      ['amount in', amountOf(trade.amountIn, trade.tokenIn)],
      ['amount out', amountOf(only(answer.amountOut), trade.tokenOut)],
      ...(minAmountOut === undefined
        ? []
        : [['at least', amountOf(only(minAmountOut), trade.tokenOut)]]),
      ['price impact', answer.priceImpact === null ? 'not known' : `${answer.priceImpact} bps`],
      ['gas', answer.gas.toString()],
      ['block', answer.blockNumber],
      ...bridgeRows(answer),
      ...(tx
        ? [
            ['to', tx.to],
            ['value', tx.value.toString()],
            ['data', `${tx.data.slice(0, 34)}… (${tx.data.length / 2 - 1} bytes; all with --json)`],
          ]
        : []),
    ],
  )
  const chainOf = (step: Route['route'][number]) =>
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
  if (trace) printTrace(trace)
  for (const warning of answer.warnings ?? []) console.error(`warning: ${warning}`)
}

async function run(name: 'route' | 'quote', words: Words, options: Options): Promise<void> {
  const chainId = parseChainId('--chain', options.chain)
  const destinationChainId =
    options.toChain === undefined ? undefined : parseChainId('--to-chain', options.toChain)
  await withApi(options, async (client) => {
    const trade = await parseTrade(client, { chainId, destinationChainId }, words, options)
    const input = {
      chainId,
      tokenIn: [trade.tokenIn.address],
      tokenOut: [trade.tokenOut.address],
      amountIn: [trade.amountIn],
      executionMode: options.backend ? ('backend' as const) : ('user' as const),
      ...defined({
        destinationChainId,
        gasDrop: options.gasDrop ? parseUnits(options.gasDrop, nativeDecimals) : undefined,
        blockNumber: await resolveBlock(client, chainId, options.block),
        routingStrategy: toStrategy(options.strategy),
        slippage: options.slippage,
        receiver: options.receiver,
        trace: options.trace,
      }),
    } satisfies Partial<RouteInput>
    const { from } = options
    const answer =
      name === 'quote'
        ? await client.quote({ ...input, ...defined({ fromAddress: from }) })
        : await client.route({ ...input, fromAddress: from ?? '' })
    if (options.json) printJson(answer)
    else printAnswer(answer, trade)
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

/** What commander calls an action with. */
type Given<Word> = [amount: Word, tokenIn: Word, tokenOut: Word, local: unknown, command: Command]

export function addRoute(program: Command): void {
  tradeCommand(program, 'route', 'find the best route and print its unsigned transaction')
    .requiredOption('--from <address>', 'sender; must hold the amount, and allow it to the router')
    .option('--receiver <address>', 'who gets the output; default the sender')
    .option('--slippage <bps>', `basis points; default ${toBps(defaultCentiBps)}`)
    .option('--trace', 'print what the transaction does: its calls, and who pays whom')
    .option('--backend', 'do not ask whether the sender has the funds now')
    .action((...[amount, tokenIn, tokenOut, , command]: Given<string>) =>
      run('route', [amount, tokenIn, tokenOut], command.optsWithGlobals<Options>()),
    )
  tradeCommand(program, 'quote', 'estimate the output of the best route; needs no funds', true)
    .option('--from <address>', 'sender')
    .option(
      '--file <file>',
      'quote every trade of this CSV (amount, tokenIn, tokenOut; name, from, block, strategy, fee) or JSON',
    )
    .option('--out <files...>', 'with --file: write the quotes to .json, .csv or .parquet')
    .action(async (...[amount, tokenIn, tokenOut, , command]: Given<string | undefined>) => {
      const options = command.optsWithGlobals<Options & Partial<FileOptions>>()
      const { file } = options
      refuseHalf([amount, tokenIn, tokenOut], file)
      if (file !== undefined) await quoteFile({ ...options, file })
      else if (amount && tokenIn && tokenOut) {
        await run('quote', [amount, tokenIn, tokenOut], options)
      }
    })
}
