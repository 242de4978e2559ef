/** `forkroute route` and `forkroute quote`: amounts in whole tokens, tokens by symbol or address. */
import type { Command } from 'commander'
import type { ForkrouteClient, Quote, Route } from '../../client/client.js'
import { defined } from '../../domain/defined.js'
import { defaultCentiBps, toBps } from '../../domain/primitives.js'
import { type FileOptions, quoteFile, refuseHalf } from '../batch/quote-file.js'
import { withApi } from '../client.js'
import { printJson, printTable, shortHex } from '../output.js'
import {
  amountOf,
  type NamedToken,
  nativeAmountOf,
  type TokenNamer,
  tokenNamer,
} from '../token-names.js'
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
import {
  parseTrade,
  type RouteOptions,
  routeInput,
  type Trade,
  tradeCommand,
  transactionOptions,
  type Words,
} from './route-options.js'
import { printTrace, tokensOfTrace } from './trace.js'

/** What is printed of an answer besides its alternatives. */
type Best = Omit<Route, 'alternatives'>
type Alternative = NonNullable<(Route | Quote)['alternatives']>[number]

/** A trade of one token has one amount. */
function only(amount: bigint | readonly bigint[]): bigint {
  return typeof amount === 'bigint' ? amount : (amount[0] ?? 0n)
}

function namerFor(
  client: ForkrouteClient,
  answer: Route | Quote,
  { tokenIn, tokenOut }: Trade,
  { chain, toChain = chain }: RouteOptions,
): Promise<TokenNamer> {
  const { trace }: Partial<Best> = answer
  const alternatives: readonly Alternative[] = answer.alternatives ?? []
  const steps = [answer.route, ...alternatives.map(({ route }) => route)].flat()
  return tokenNamer(client, [...tokensOf(steps), ...tokensOfTrace(chain, trace)], {
    known: [
      { ...tokenIn, chainId: chain },
      { ...tokenOut, chainId: toChain },
    ],
    withPositions: hasPositions(steps),
  })
}

function facts(
  answer: Route | Quote,
  { tokenIn, tokenOut, ...trade }: Trade,
  { chain, toChain = chain }: RouteOptions,
): Fact[] {
  const { tx, minAmountOut, amountIn, gasDrop }: Partial<Best> = answer
  return [
    ['amount in', amountOf(trade.isExactOut ? (amountIn ?? 0n) : trade.amount, tokenIn)],
    ['amount out', amountOf(only(answer.amountOut), tokenOut)],
    ...(minAmountOut === undefined
      ? []
      : [['at least', amountOf(only(minAmountOut), tokenOut)] as const]),
    ...(answer.slippage ? [['slippage', slippageText(answer.slippage)] as const] : []),
    ...measuredFacts(answer, chain),
    ...(gasDrop ? [['gas drop', gasDropText(gasDrop, toChain)] as const] : []),
    ...(tx ? transactionFacts(tx) : []),
  ]
}

function alternativeFacts(place: number, one: Alternative, tokenOut: NamedToken): Fact[] {
  const { tx, minAmountOut }: Partial<Best> = one
  return [
    ['alternative', place],
    ['amount out', amountOf(only(one.amountOut), tokenOut)],
    ...(minAmountOut === undefined
      ? []
      : [['at least', amountOf(only(minAmountOut), tokenOut)] as const]),
    ['loss after gas', one.lossBps === null ? 'not known' : `${one.lossBps} bps`],
    ['shared pools', one.sharedPools.map(shortHex).join(' ') || 'none'],
    ['gas', one.gas.toString()],
    ...(tx ? transactionFacts(tx) : []),
  ]
}

function slippageText({ bps, blocks }: NonNullable<Quote['slippage']>): string {
  return blocks
    ? `${bps} bps, measured in the blocks ${blocks.from} to ${blocks.to}`
    : `${bps} bps, not measured`
}

function gasDropText({ amount, receiver }: NonNullable<Route['gasDrop']>, chainId: number): string {
  return `${nativeAmountOf(amount, chainId)} to ${receiver}`
}

async function run(name: 'route' | 'quote', words: Words, options: RouteOptions): Promise<void> {
  await withApi(options, async (client) => {
    const trade = await parseTrade(client, words, options)
    const input = await routeInput(client, trade, options)
    const { from } = options
    const answer =
      name === 'quote'
        ? await client.quote({ ...input, ...defined({ fromAddress: from }) })
        : await client.route({
            ...input,
            fromAddress: from ?? '',
            executionMode: options.backend ? 'backend' : 'user',
            ...defined({ trace: options.trace }),
          })
    if (options.json) {
      printJson(answer)
      return
    }
    const { trace }: Partial<Best> = answer
    printTable([], facts(answer, trade, options))
    const nameOf = await namerFor(client, answer, trade, options)
    printSteps(answer.route, nameOf)
    if (trace) printTrace(options.chain, trace, nameOf)
    printOverlay(answer.overlay)
    printWarnings(answer.warnings)
    for (const [index, one] of (answer.alternatives ?? []).entries()) {
      printTable([], alternativeFacts(index + 1, one, trade.tokenOut))
      printSteps(one.route, nameOf)
      printWarnings(one.warnings)
    }
  })
}

/** What commander calls an action with. */
type Given<Word> = [amount: Word, tokenIn: Word, tokenOut: Word, local: unknown, command: Command]

export function addRoute(program: Command): void {
  const route = tradeCommand(
    program,
    'route',
    'find the best route and print its unsigned transaction',
  ).requiredOption('--from <address>', 'sender; must hold the amount, and allow it to the router')
  transactionOptions(route, toBps(defaultCentiBps)).action(
    (...[amount, tokenIn, tokenOut, , command]: Given<string>) =>
      run('route', [amount, tokenIn, tokenOut], command.optsWithGlobals<RouteOptions>()),
  )
  tradeCommand(program, 'quote', 'estimate the output of the best route; needs no funds', true)
    .showHelpAfterError(
      '(--help lists what there is; what a transaction must give, as by --slippage, is for route)',
    )
    .option('--from <address>', 'sender')
    .option(
      '--file <file>',
      'quote every trade of this CSV (amount, tokenIn, tokenOut; name, from, block, strategy, fee) or JSON',
    )
    .option('--out <files...>', 'with --file: write the quotes to .json, .csv or .parquet')
    .action(async (...[amount, tokenIn, tokenOut, , command]: Given<string | undefined>) => {
      const options = command.optsWithGlobals<RouteOptions & Partial<FileOptions>>()
      const { file } = options
      refuseHalf([amount, tokenIn, tokenOut], file)
      if (file !== undefined) await quoteFile({ ...options, file })
      else if (amount && tokenIn && tokenOut) {
        await run('quote', [amount, tokenIn, tokenOut], options)
      }
    })
}
