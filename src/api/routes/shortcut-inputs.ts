/** Input of routes and quotes: the fields, and the rules between them. */
import { z } from 'zod'
import { bridgeNames } from '../../domain/bridges/names.js'
import { crosschainModes } from '../../domain/bridges/terms.js'
import { nativeToken } from '../../domain/primitives.js'
import { type Given, textOf } from '../input.js'
import { entryAmountInputs, entryAmountRules } from '../inputs/entry-amounts.js'
import type { Dialect } from '../records/dialect.js'
import {
  Address,
  Amount,
  AmountOrZero,
  anyCase,
  BlockNumber,
  ChainId,
  DeadlineMs,
  described,
  examples,
  FeeBps,
  Flag,
  listOf,
  Name,
  oneOf,
  PoolId,
  ReferralCode,
  routingStrategy,
  Slippage,
  TokenAddress,
  TransactionDeadline,
  withDefault,
} from '../schemas.js'
import { Explain, Proof } from './explanation.js'

/** Tokens on one side of a route; each further one multiplies the search. */
const maxTokens = 16
const maxIgnored = 200
/** Quotes in one call; each rung of a ladder is one. */
export const maxQuotes = 200

type ShortcutDialect = Pick<Dialect, 'serviceName' | 'executionMode'>

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => textOf(item).toLowerCase()) : []
}

/** One token against one, at several amounts. */
export function isLadder(given: Given): boolean {
  const [tokensIn, tokensOut, amounts] = [given.tokenIn, given.tokenOut, given.amountIn].map(
    (value) => texts(value).length,
  )
  return tokensIn === 1 && tokensOut === 1 && (amounts ?? 0) > 1
}

/** Rules of an exact output: one token for one other. */
function exactOutputRules(given: Given): string[] {
  if (given.amountOut === undefined) {
    return given.amountIn === undefined ? ['amountIn is required'] : []
  }
  const problems: string[] = []
  if (given.amountIn !== undefined) {
    problems.push('amountIn must not be given together with amountOut: one follows from the other')
  }
  for (const name of ['tokenIn', 'tokenOut'] as const) {
    const count = texts(given[name]).length
    if (count > 1) problems.push(`${name} must hold one token with amountOut (not ${count})`)
  }
  if (given.minAmountOut !== undefined) {
    problems.push(
      'minAmountOut must not be given together with amountOut: slippage says how far below it the transaction may end',
    )
  }
  if (/^(true|timed)$/.test(textOf(given.explain))) {
    problems.push('explain must not be given with amountOut')
  }
  return problems
}

/** Rules between tokens and amounts. */
function pairRules(given: Given, mayBeLadder = false): string[] {
  const problems: string[] = []
  const [tokensIn, tokensOut, amounts] = [given.tokenIn, given.tokenOut, given.amountIn].map(texts)
  if (!tokensIn || !tokensOut || !amounts) return problems
  if (new Set(tokensIn).size < tokensIn.length) problems.push('tokenIn must not name a token twice')
  if (new Set(tokensOut).size < tokensOut.length) {
    problems.push('tokenOut must not name a token twice')
  }
  if (!isElsewhere(given) && tokensIn.some((token) => tokensOut.includes(token))) {
    problems.push('tokenOut must differ from tokenIn')
  }
  if (mayBeLadder && isLadder(given)) return problems
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
  problems.push(...spenderRules(given), ...entryAmountRules(given))
  const isRouter = /^router/.test(textOf(given.routingStrategy ?? 'router'))
  if (textOf(given.permit) === 'true') {
    if (!isRouter) problems.push('permit must not be given without a router strategy')
    if (texts(given.tokenIn).length > 1)
      problems.push('permit must not be given with several tokenIn')
    if (texts(given.tokenIn).includes(nativeToken)) {
      problems.push('permit must not be given for the native token, which needs no allowance')
    }
  }
  return problems
}

/** Whether the tokens that come out are on another chain. */
export function isElsewhere({ chainId, destinationChainId }: Given): boolean {
  return destinationChainId !== undefined && Number(destinationChainId) !== Number(chainId ?? 1)
}

/** Rules of what has a meaning only with another chain, or none with one. */
export function crosschainRules(given: Given): string[] {
  const { destinationFeeReceiver, fee } = given
  if (!isElsewhere(given)) {
    return (['destinationBlockNumber', 'gasDrop'] as const)
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name} must not be given without a destinationChainId other than chainId`)
  }
  const problems: string[] = []
  const count = texts(given.tokenOut).length
  if (count > 1)
    problems.push(`tokenOut must hold one token with a destinationChainId (not ${count})`)
  for (const name of ['amountOut', 'stateOverrides', 'blockOverrides'] as const) {
    if (given[name] !== undefined) {
      problems.push(`${name} must not be given with a destinationChainId other than chainId`)
    }
  }
  if (given.proof === 'adaptive') {
    problems.push('proof must be all with a destinationChainId other than chainId')
  }
  if (textOf(given.permit) === 'true') {
    problems.push('permit must not be given with a destinationChainId other than chainId')
  }
  if (destinationFeeReceiver !== undefined && new Set(texts(fee)).size > 1) {
    problems.push('fee must be the same for all amountIn with destinationFeeReceiver')
  }
  return problems
}

/** Only a wallet's order may spend the tokens of another address, its owner: which that is, the engine knows. */
export function spenderRules({ spender, fromAddress, routingStrategy }: Given): string[] {
  if (spender === undefined) return []
  if (String(spender).toLowerCase() === String(fromAddress).toLowerCase()) return []
  const strategy = String(routingStrategy ?? 'router')
  if (/^(router(-legacy)?|checkout)$/.test(strategy)) {
    return ['spender must equal fromAddress with a router strategy']
  }
  if (/^delegate(-legacy)?$/.test(strategy)) {
    return [
      'spender must equal fromAddress with a delegate strategy: the account spends its own tokens',
    ]
  }
  return fromAddress === undefined ? ['spender must not be given without fromAddress'] : []
}

export function quoteRules(given: Given): string[] {
  return [...pairRules(given), ...quoteFeeRules(given)]
}

/** Of a route with `amountIn` or `amountOut`. */
export function exactRouteRules(given: Given): string[] {
  return [...exactOutputRules(given), ...routeRules(given), ...crosschainRules(given)]
}

/** Of a quote with `amountIn` or `amountOut`. */
export function exactQuoteRules(given: Given): string[] {
  return [...exactOutputRules(given), ...quoteRules(given), ...crosschainRules(given)]
}

/** Rules of a quote that may be a ladder. */
export function quoteOrLadderRules(given: Given): string[] {
  const isOne = isLadder(given)
  const fees = isOne && texts(given.fee).length > 1 ? ['fee must be one value for a ladder'] : []
  const pair = [...exactOutputRules(given), ...pairRules(given, true), ...crosschainRules(given)]
  return [...pair, ...(isOne ? fees : quoteFeeRules(given))]
}

function quoteFeeRules(given: Given): string[] {
  const problems: string[] = []
  const [amounts, fees] = [texts(given.amountIn), texts(given.fee)]
  if (fees.length > 1 && amounts.length > 0 && fees.length !== amounts.length) {
    problems.push(`fee must be one value, or one per amountIn (${amounts.length})`)
  }
  return problems
}

export function shortcutInputs({ serviceName, executionMode }: ShortcutDialect) {
  const common = {
    chainId: withDefault(ChainId, 1, 1),
    routingStrategy: withDefault(routingStrategy(serviceName), 'router', 'router'),
    tokenIn: described(
      listOf(TokenAddress, 1, maxTokens),
      'Tokens to give; several are merged into the output.',
      [nativeToken],
    ),
    amountIn: described(
      listOf(Amount, 1, maxTokens),
      'One amount per tokenIn, in its smallest unit, fee included.',
      [examples.oneEther],
    ),
    tokenOut: described(
      listOf(TokenAddress, 1, maxTokens),
      'Tokens to get; with several, amountOut and minAmountOut are lists in this order.',
      [examples.usdc],
    ),
    ignoreAggregators: names('Swap protocols to leave out; values of /api/v1/aggregators.'),
    ignoreStandards: names('Protocols to leave out, by slug.'),
    priceImpact: described(
      withDefault(Flag, true, true),
      'Whether to calculate priceImpact; with false it is absent.',
    ),
    ...poolChoiceInputs,
    ...crosschainInputs,
    blockNumber: BlockNumber.optional(),
    deadlineMs: DeadlineMs.optional(),
  }
  const route = z.object({
    ...common,
    fromAddress: described(
      Address,
      'Sender of the transaction; must hold amountIn, and allow it where routingStrategy says so.',
      examples.sender,
    ),
    executionMode: described(
      oneOf(['user', 'backend']).default(executionMode),
      "user: the sender's funds and allowance at the block are checked; backend: they are not, " +
        'the sender is funded before sending.',
    ),
    toEoa: described(Flag.optional(), 'Replaced by receiver.').meta({ deprecated: true }),
    includeTransactionCost: described(
      withDefault(Flag, false, false),
      'Adds gasCost: the cost of the gas, in wei of the native token and in USD, and the L1 data fee where there is one.',
    ),
    ...entryAmountInputs,
    receiver: described(Address.optional(), 'Gets tokenOut; default fromAddress.'),
    spender: described(
      Address.optional(),
      'Whose tokens are spent: fromAddress; with the wallet strategy also the owner of the wallet that fromAddress is.',
    ),
    refundReceiver: described(
      Address.optional(),
      'Gets what the steps leave over; default receiver, then fromAddress.',
    ),
    minAmountOut: described(
      listOf(AmountOrZero, 1, maxTokens).optional(),
      'One per tokenOut, in its smallest unit; not together with slippage.',
    ),
    slippage: Slippage.optional(),
    fee: described(
      listOf(FeeBps, 1, maxTokens).optional(),
      'Basis points, 1 to 100 per amountIn, taken from it first; a list of zeros is ignored.',
    ),
    feeReceiver: described(Address.optional(), 'Gets the fee; required with fee.'),
    referralCode: ReferralCode.optional(),
    deadline: TransactionDeadline.optional(),
    permit: described(
      withDefault(Flag, false, false),
      'Takes the one tokenIn by a signature in place of an allowance: the answer has the message to sign, and tx.data a ' +
        'place for the signature.',
    ),
    trace: Trace,
    explain: Explain,
    proof: Proof,
  })
  const quote = z.object({
    ...common,
    fromAddress: described(Address.optional(), 'Sender; its funds do not matter.'),
    fee: described(
      listOf(FeeBps, 1, maxTokens).optional(),
      'Basis points, 0 to 100: one for all amounts, or one per amountIn.',
    ),
    feeReceiver: described(Address.optional(), 'Gets the fee.'),
    explain: Explain,
    proof: Proof,
  })
  const amountIn = described(
    common.amountIn.optional(),
    'One amount per tokenIn, in its smallest unit, fee included; this or amountOut.',
    [examples.oneEther],
  )
  const amountOut = described(
    listOf(Amount, 1, 1).optional(),
    'In place of amountIn, for one tokenIn and one tokenOut: the least amountIn that gives so much is found, in the ' +
      'smallest unit of tokenOut.',
  )
  const exactRoute = route.extend({ amountIn, amountOut })
  const exactQuote = quote.extend({ amountIn, amountOut })
  /** One of several quotes, or a ladder. */
  const quoteOrLadder = exactQuote.omit({ explain: true }).extend({
    amountIn: described(
      listOf(Amount, 1, maxQuotes).optional(),
      'One amount per tokenIn, in its smallest unit, fee included; several for one tokenIn and one tokenOut are a ladder. ' +
        'This or amountOut.',
      [examples.oneEther],
    ),
  })
  return { route, quote, exactRoute, exactQuote, quoteOrLadder }
}

/** Of endpoints that answer with a transaction. */
export const Trace = described(
  withDefault(Flag, false, false),
  'Adds trace: the calls that the returned transaction makes, decoded, and who pays whom.',
)

/** Of routes to another chain. */
const crosschainInputs = {
  destinationChainId: described(
    ChainId.optional(),
    'Chain on which tokenOut is received; default chainId. Another one: a route over a bridge.',
  ),
  destinationBlockNumber: described(
    BlockNumber.optional(),
    'Block of the destination; default: its newest, with a past blockNumber its newest not after that block.',
  ),
  crosschainRouteMode: described(
    oneOf(crosschainModes).default('full'),
    'Where a route over a bridge may swap: nowhere (direct), on the source, on the destination, on either of them, on ' +
      'both (full). Wrapping the native token is no swap.',
  ),
  ignoreBridges: described(
    withDefault(listOf(anyCase(oneOf(bridgeNames)), 0, maxIgnored), [], []),
    'Bridges to leave out. Names that are not installed exclude nothing; layerzero is stargate.',
  ),
  destinationFeeReceiver: described(
    Address.optional(),
    'Gets the fee out of what the bridge delivers, in place of feeReceiver: an order on the destination takes it first.',
  ),
  gasDrop: described(
    Amount.optional(),
    'Wei of the destination’s native token that the receiver is paid besides: by bridges that do so (stargate), out of the messaging fee.',
  ),
}

/** Names of protocols or projects, lower-case. */
export function names(description: string) {
  return described(withDefault(listOf(anyCase(Name), 0, maxIgnored), [], []), description)
}

/** Which pools and tokens the routes of one request may lead through. */
export const poolChoiceInputs = {
  excludePools: described(
    listOf(PoolId, 0, maxIgnored).default([]),
    'Pools that no route uses: addresses, or 32-byte ids. The address of a contract with many pools stands for all of them.',
  ),
  onlyPools: described(
    listOf(PoolId, 0, maxIgnored).default([]),
    'Pools beside which no other is used; excludePools wins over it. Empty: all.',
  ),
  excludeTokens: described(
    listOf(Address, 0, maxIgnored).default([]),
    'Tokens at which no route stops on its way; native and its wrapped token count as one. tokenIn and tokenOut are never excluded.',
  ),
}

export type PoolChoiceInput = z.output<z.ZodObject<typeof poolChoiceInputs>>

export type RouteInput = z.output<ReturnType<typeof shortcutInputs>['exactRoute']>
export type QuoteInput = z.output<ReturnType<typeof shortcutInputs>['exactQuote']>
