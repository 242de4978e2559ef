/** What a route and a quote may be asked: the fields, and the rules between them. */
import { z } from 'zod'
import type { Given } from '../input.js'
import {
  Address,
  Amount,
  AmountOrZero,
  BlockNumber,
  ChainId,
  DeadlineMs,
  FeeBps,
  Flag,
  listOf,
  Name,
  oneOf,
  ReferralCode,
  routingStrategy,
  Slippage,
  withDefault,
} from '../schemas.js'

/** Tokens on one side of a route; each one more multiplies the search. */
const maxTokens = 16
const maxIgnored = 200

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => String(item).toLowerCase()) : []
}

/** What tokens and amounts must be to each other. */
function pairRules(given: Given): string[] {
  const problems: string[] = []
  const [tokensIn, tokensOut, amounts] = [given.tokenIn, given.tokenOut, given.amountIn].map(texts)
  if (!tokensIn || !tokensOut || !amounts) return problems
  if (new Set(tokensIn).size < tokensIn.length) problems.push('tokenIn must not name a token twice')
  if (new Set(tokensOut).size < tokensOut.length) {
    problems.push('tokenOut must not name a token twice')
  }
  if (tokensIn.some((token) => tokensOut.includes(token))) {
    problems.push('tokenOut must differ from tokenIn')
  }
  if (tokensIn.length > 0 && amounts.length > 0 && tokensIn.length !== amounts.length) {
    problems.push(
      `amountIn must hold one amount per tokenIn (${tokensIn.length}, not ${amounts.length})`,
    )
  }
  return problems
}

function isAllZero(fees: readonly string[]): boolean {
  return fees.every((fee) => /^0+$/.test(fee))
}

export function routeRules(given: Given): string[] {
  const problems = pairRules(given)
  const amounts = texts(given.amountIn)
  const fees = texts(given.fee)
  if (given.slippage !== undefined && given.minAmountOut !== undefined) {
    problems.push('slippage must not be given together with minAmountOut')
  }
  const [minimums, tokensOut] = [texts(given.minAmountOut), texts(given.tokenOut)]
  if (minimums.length > 0 && tokensOut.length > 0 && minimums.length !== tokensOut.length) {
    problems.push(
      `minAmountOut must hold one amount per tokenOut (${tokensOut.length}, not ${minimums.length})`,
    )
  }
  if (!isAllZero(fees)) {
    if (amounts.length > 0 && fees.length !== amounts.length) {
      problems.push(`fee must hold one value per amountIn (${amounts.length}, not ${fees.length})`)
    }
    fees.forEach((fee, index) => {
      if (/^0+$/.test(fee)) problems.push(`fee[${index}] must be from 1 to 100 basis points`)
    })
    if (given.feeReceiver === undefined) problems.push('feeReceiver is required with fee')
  }
  const isRouter = /^router/.test(String(given.routingStrategy ?? 'router'))
  const [sender, spender] = [given.fromAddress, given.spender].map((one) => texts([one])[0])
  if (isRouter && given.spender !== undefined && spender !== sender) {
    problems.push('spender must equal fromAddress with a router strategy')
  }
  if (given.destinationChainId !== undefined) {
    if (Number(given.destinationChainId) !== Number(given.chainId ?? 1)) {
      problems.push('destinationChainId must equal chainId: cross-chain routes are not available')
    }
  }
  return problems
}

export function quoteRules(given: Given): string[] {
  const problems = pairRules(given)
  const [amounts, fees] = [texts(given.amountIn), texts(given.fee)]
  if (fees.length > 1 && amounts.length > 0 && fees.length !== amounts.length) {
    problems.push(`fee must be one value, or one per amountIn (${amounts.length})`)
  }
  return problems
}

export function shortcutInputs(serviceName: string) {
  const common = {
    chainId: withDefault(ChainId, 1, 1),
    routingStrategy: withDefault(routingStrategy(serviceName), 'router', 'router'),
    tokenIn: listOf(Address, 1, maxTokens),
    amountIn: listOf(Amount, 1, maxTokens).meta({ description: 'One amount per tokenIn.' }),
    tokenOut: listOf(Address, 1, maxTokens),
    ignoreAggregators: listOf(Name, 0, maxIgnored).default([]),
    ignoreStandards: listOf(Name, 0, maxIgnored).default([]),
    blockNumber: BlockNumber.optional(),
    deadlineMs: DeadlineMs.optional(),
  }
  const route = z.object({
    ...common,
    fromAddress: Address,
    executionMode: oneOf(['user', 'backend']).default('user'),
    toEoa: Flag.optional().meta({ deprecated: true, description: 'Replaced by receiver.' }),
    includeTransactionCost: withDefault(Flag, false, false),
    receiver: Address.optional(),
    spender: Address.optional(),
    refundReceiver: Address.optional(),
    minAmountOut: listOf(AmountOrZero, 1, maxTokens)
      .optional()
      .meta({ description: 'One per tokenOut; not together with slippage.' }),
    slippage: Slippage.optional(),
    fee: listOf(FeeBps, 1, maxTokens)
      .optional()
      .meta({ description: 'Basis points, 1 to 100 per amountIn; a list of zeros is ignored.' }),
    feeReceiver: Address.optional().meta({ description: 'Required with fee.' }),
    destinationFeeReceiver: Address.optional(),
    ignoreBridges: listOf(Name, 0, maxIgnored).default([]),
    crosschainRouteMode: oneOf([
      'direct',
      'source',
      'destination',
      'sourceOrDestination',
      'full',
    ]).default('full'),
    referralCode: ReferralCode.optional(),
    destinationChainId: ChainId.optional(),
  })
  const quote = z.object({
    ...common,
    fromAddress: Address.optional(),
    priceImpact: withDefault(Flag, true, true),
    fee: listOf(FeeBps, 1, maxTokens)
      .optional()
      .meta({ description: 'Basis points, 0 to 100: one for all amounts, or one per amountIn.' }),
    feeReceiver: Address.optional(),
  })
  return { route, quote }
}

export type RouteInput = z.output<ReturnType<typeof shortcutInputs>['route']>
export type QuoteInput = z.output<ReturnType<typeof shortcutInputs>['quote']>
