/** Options that routes and quotes share, and what of a request they become. */
import { type Command, Option } from 'commander'
import type { ForkrouteClient, RouteInput } from '../../client/client.js'
import { deadlineForms } from '../../domain/deadline.js'
import { defined } from '../../domain/defined.js'
import { mostAlternatives } from '../../domain/engine.js'
import { nativeDecimals } from '../../domain/primitives.js'
import { chainOption, chainOrEthereum } from '../chains.js'
import { blockHelp, type ConnectionOptions, resolveBlock, toStrategy } from '../client.js'
import { type OutputOptions, parseRaw, parseUnits } from '../output.js'
import { type NamedToken, resolveToken } from '../token-names.js'

export interface RouteOptions extends ConnectionOptions, OutputOptions {
  readonly chain: number
  readonly toChain?: number
  readonly gasDrop?: string
  readonly from?: string
  readonly block?: string
  readonly raw?: boolean
  readonly exactOut?: boolean
  readonly slippage?: string
  readonly maxSlippage?: number
  readonly minOut?: string
  readonly deadline?: string
  readonly once?: string
  readonly firstInBlock?: boolean
  readonly receiver?: string
  readonly strategy?: string
  readonly fee?: string
  readonly feeReceiver?: string
  readonly referralCode?: string
  readonly ignoreAggregators?: readonly string[]
  readonly ignoreStandards?: readonly string[]
  readonly ignoreBridges?: readonly string[]
  readonly bridge?: string
  readonly excludePools?: readonly string[]
  readonly onlyPools?: readonly string[]
  readonly excludeTokens?: readonly string[]
  readonly backend?: boolean
  readonly trace?: boolean
  readonly alternatives?: string
}

export interface Trade {
  readonly tokenIn: NamedToken
  readonly tokenOut: NamedToken
  /** Raw units of tokenIn; of tokenOut for an exact output. */
  readonly amount: bigint
  readonly isExactOut: boolean
}

export type Words = readonly [amount: string, tokenIn: string, tokenOut: string]

/** Looks up the tokens that the user names. @throws Error, RangeError for words that name no token or no amount. */
export async function parseTrade(
  client: ForkrouteClient,
  [amount, from, to]: Words,
  options: RouteOptions,
): Promise<Trade> {
  const { chain, toChain = chain } = options
  if (looksLikeAmount(to) && !looksLikeAmount(amount)) {
    throw new RangeError(
      `The amount comes first, then what to give and what to get: ${to} ${amount} ${from}.`,
    )
  }
  const tokenIn = await resolveToken(client, chain, from)
  const tokenOut = await resolveToken(client, toChain, to)
  const isExactOut = options.exactOut ?? false
  const raw = amountOfToken(amount, isExactOut ? tokenOut : tokenIn, options)
  return { tokenIn, tokenOut, amount: raw, isExactOut }
}

function looksLikeAmount(text: string): boolean {
  return /^[\d.,]+$/.test(text)
}

/**
 * Raw units of an amount in whole tokens, or as it stands with --raw.
 * @throws Error where the decimals are not known; RangeError for no amount.
 */
export function amountOfToken(
  text: string,
  { decimals, symbol }: NamedToken,
  { raw }: { readonly raw?: boolean },
): bigint {
  if (raw) return parseRaw(text)
  if (decimals !== null) return parseUnits(text, decimals)
  throw new Error(
    `The decimals of ${symbol} are not known: give the amount in raw units and --raw.`,
  )
}

/** The request for a trade, but for the sender. */
export async function routeInput(
  client: ForkrouteClient,
  trade: Trade,
  options: RouteOptions,
): Promise<Omit<RouteInput, 'fromAddress'>> {
  const { chain, fee, gasDrop, minOut, alternatives } = options
  const amount = [trade.amount]
  return {
    chainId: chain,
    tokenIn: [trade.tokenIn.address],
    tokenOut: [trade.tokenOut.address],
    ...(trade.isExactOut ? { amountOut: amount } : { amountIn: amount }),
    ...defined({
      destinationChainId: options.toChain,
      gasDrop: gasDrop === undefined ? undefined : parseUnits(gasDrop, nativeDecimals),
      blockNumber: await resolveBlock(client, chain, options.block),
      routingStrategy: toStrategy(options.strategy),
      slippage: options.slippage,
      maxSlippage: options.maxSlippage,
      minAmountOut:
        minOut === undefined ? undefined : [amountOfToken(minOut, trade.tokenOut, options)],
      deadline: options.deadline,
      once: options.once,
      blockPosition: options.firstInBlock ? ('first' as const) : undefined,
      receiver: options.receiver,
      fee: fee === undefined ? undefined : [fee],
      feeReceiver: options.feeReceiver,
      referralCode: options.referralCode,
      ignoreAggregators: names(options.ignoreAggregators),
      ignoreStandards: names(options.ignoreStandards),
      ignoreBridges: names(options.ignoreBridges) as RouteInput['ignoreBridges'],
      bridge: options.bridge as RouteInput['bridge'],
      excludePools: names(options.excludePools),
      onlyPools: names(options.onlyPools),
      excludeTokens: await tokenAddresses(client, chain, options.excludeTokens),
      alternatives: alternatives === undefined ? undefined : Number(alternatives),
    }),
  }
}

/** Names that stand apart or with commas between them. */
function names(given: readonly string[] | undefined): string[] | undefined {
  return given?.flatMap((text) => text.split(',')).filter((text) => text !== '')
}

async function tokenAddresses(
  client: ForkrouteClient,
  chainId: number,
  given: readonly string[] | undefined,
): Promise<string[] | undefined> {
  const texts = names(given)
  if (!texts) return undefined
  const addresses: string[] = []
  for (const text of texts) addresses.push((await resolveToken(client, chainId, text)).address)
  return addresses
}

/** How many alternatives may be asked for. */
const counts = Array.from({ length: mostAlternatives }, (_count, index) => `${index + 1}`)

/** @param isOptional - whether the trade may come from a file instead. */
export function tradeCommand(
  program: Command,
  name: string,
  description: string,
  isOptional = false,
): Command {
  const place = (word: string) => (isOptional ? `[${word}]` : `<${word}>`)
  return program
    .command(name)
    .description(description)
    .argument(place('amount'), 'whole tokens to give; to get with --exact-out')
    .argument(place('tokenIn'), 'token to give: symbol or address')
    .argument(place('tokenOut'), 'token to get: symbol or address')
    .addOption(chainOrEthereum())
    .addOption(chainOption('chain of tokenOut, over a bridge; default: --chain', '--to-chain'))
    .option(
      '--gas-drop <amount>',
      'of the native token of --to-chain that the receiver gets besides',
    )
    .option('--block <block>', blockHelp)
    .option('--strategy <name>', 'routing strategy')
    .option('--raw', 'amounts are in raw units, such as 1000 or 1e18')
    .option('--exact-out', 'the amount is of tokenOut: find the least tokenIn that gives it')
    .option('--fee <bps>', 'basis points of the amount in that --fee-receiver gets')
    .option('--fee-receiver <address>', 'who gets the fee')
    .option('--ignore-aggregators <slugs...>', 'exchanges to leave out, such as curve')
    .option('--ignore-standards <slugs...>', 'protocols to leave out, by slug')
    .option('--ignore-bridges <names...>', 'bridges to leave out')
    .option('--bridge <name>', 'use no other bridge than this')
    .option('--exclude-pools <pools...>', 'pools to leave out: addresses or ids')
    .option('--only-pools <pools...>', 'use no other pools than these')
    .option('--exclude-tokens <tokens...>', 'tokens at which no route stops on its way')
    .option('--first-in-block', 'nobody swaps ahead of it in its block')
    .addOption(
      new Option(
        '--alternatives <count>',
        'further transactions to find beside the best, through other pools',
      ).choices(counts),
    )
}

/** Options of a transaction: what it must give, until when, and to whom. */
export function transactionOptions(command: Command, usualSlippage: string): Command {
  return command
    .option('--receiver <address>', 'who gets the output; default: the sender')
    .option(
      '--slippage <bps>',
      `basis points, of which 50 are 0.5 %, or auto: what the blocks before would have needed; default: ${usualSlippage}`,
    )
    .option('--max-slippage <bps>', 'most that --slippage auto may be; default: 300', Number)
    .option('--min-out <amount>', 'whole tokens that must arrive at least; in place of --slippage')
    .option('--deadline <time>', `when the transaction expires: ${deadlineForms}`)
    .option(
      '--once <tag>',
      'only one transaction with this tag can ever be executed: 0x and 32 hexadecimal digits',
    )
    .option('--referral-code <code>', 'goes into the event of the transaction')
    .option('--trace', 'print what the transaction does: its calls, and who pays whom')
    .option('--backend', 'do not ask whether the sender has the funds and the allowance now')
}
