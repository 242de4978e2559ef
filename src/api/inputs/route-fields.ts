/**
 * The fields of routes and quotes as the wire has them. This folder owns what a request may say: fields with their meaning,
 * rules between them (`route-rules.ts`), and the domain request that they are (`route-request.ts`). Endpoints, the OpenAPI
 * document, batches, streams and plans of backtests are made of them. Texts come in, parsed values go out; what does not
 * fit is a sentence of INVALID_REQUEST.
 */
import { z } from 'zod'
import { bridgeNames } from '../../domain/bridges/names.js'
import { crosschainModes } from '../../domain/bridges/terms.js'
import { mostAlternatives } from '../../domain/engine.js'
import { nativeToken } from '../../domain/primitives.js'
import type { Dialect } from '../records/dialect.js'
import {
  Address,
  Amount,
  AmountOrZero,
  AutoSlippageOnly,
  anyCase,
  BlockNumber,
  ChainId,
  DeadlineMs,
  described,
  examples,
  FeeBps,
  Flag,
  integer,
  listOf,
  MaxSlippage,
  Name,
  oneOf,
  PoolId,
  ReferralCode,
  routingStrategy,
  SlippageOrAuto,
  Tag,
  TokenAddress,
  TransactionDeadline,
  withDefault,
} from '../schemas.js'
import { entryAmountInputs } from './entry-amounts.js'
import { Explain, Proof } from './explanation.js'

/** Tokens on one side of a route; each further one multiplies the search. */
const maxTokens = 16
const maxIgnored = 200
/** Quotes in one call; each rung of a ladder is one. */
export const maxQuotes = 200

type ShortcutDialect = Pick<Dialect, 'serviceName' | 'executionMode'>

/** Fields of routes and quotes. */
function commonFields(serviceName: string) {
  return {
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
    blockPosition: described(
      withDefault(oneOf(['any', 'first']), 'any', 'any'),
      'any: a pool that a swap ahead in the block makes dearer is quoted as it is behind one; first: as for the first transaction of the block.',
    ),
    blockNumber: BlockNumber.optional(),
    deadlineMs: DeadlineMs.optional(),
  }
}

const Alternatives = described(
  integer(1, mostAlternatives).optional(),
  'Adds alternatives: so many next best ways beside the best, each proven like it, that share no pool with it and each ' +
    'other, or as few as can be. Not with amountOut or a destinationChainId other than chainId.',
)

/** Fields of routes besides. */
function routeFields(executionMode: ShortcutDialect['executionMode']) {
  return {
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
    slippage: SlippageOrAuto.optional(),
    maxSlippage: MaxSlippage.optional(),
    fee: described(
      listOf(FeeBps, 1, maxTokens).optional(),
      'Basis points, 1 to 100 per amountIn, taken from it first; a list of zeros is ignored.',
    ),
    feeReceiver: described(Address.optional(), 'Gets the fee; required with fee.'),
    referralCode: ReferralCode.optional(),
    deadline: TransactionDeadline.optional(),
    once: described(
      Tag.optional(),
      'A tag of 16 bytes: of the transactions with this tag that fromAddress sends by this strategy, only one can be carried ' +
        'out, ever; the others revert. Not with a destinationChainId other than chainId.',
    ),
    permit: described(
      withDefault(Flag, false, false),
      'Takes the one tokenIn by a signature in place of an allowance: the answer has the message to sign, and tx.data a ' +
        'place for the signature.',
    ),
    trace: Trace,
    explain: Explain,
    proof: Proof,
    alternatives: Alternatives,
  }
}

/** A number there has no effect, which answers say: `src/api/notices.ts`. */
export const quoteSlippage = AutoSlippageOnly.optional()

/** Fields of quotes besides. */
const quoteFields = {
  slippage: quoteSlippage,
  maxSlippage: MaxSlippage.optional(),
  fromAddress: described(Address.optional(), 'Sender; its funds do not matter.'),
  fee: described(
    listOf(FeeBps, 1, maxTokens).optional(),
    'Basis points, 0 to 100: one for all amounts, or one per amountIn.',
  ),
  feeReceiver: described(Address.optional(), 'Gets the fee.'),
  explain: Explain,
  proof: Proof,
  alternatives: Alternatives,
}

export function shortcutInputs({ serviceName, executionMode }: ShortcutDialect) {
  const common = commonFields(serviceName)
  const route = z.object({ ...common, ...routeFields(executionMode) })
  const quote = z.object({ ...common, ...quoteFields })
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
  const quoteOrLadder = exactQuote.omit({ explain: true, alternatives: true }).extend({
    amountIn: described(
      listOf(Amount, 1, maxQuotes).optional(),
      'One amount per tokenIn, in its smallest unit, fee included; several for one tokenIn and one tokenOut are a ladder. ' +
        'This or amountOut.',
      [examples.oneEther],
    ),
  })
  return { route, quote, exactRoute, exactQuote, quoteOrLadder }
}

/** Input of endpoints that answer with a transaction. */
export const Trace = described(
  withDefault(Flag, false, false),
  'Adds trace: the calls that the returned transaction makes, decoded, and who pays whom.',
)

/** Inputs of single routes and quotes besides. */
export const evidenceInput = {
  evidence: described(
    withDefault(Flag, false, false),
    "Adds evidence: a signed file that shows to anyone, without a node, that the state was the chain's, and what the " +
      'transaction does over it. Not with permit, with overrides of state, or for a destinationChainId other than chainId.',
  ),
}

/** Inputs of routes to another chain. */
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
    'Bridges to leave out. Names that are not installed exclude nothing; layerzero is stargate and oft.',
  ),
  bridge: described(
    anyCase(oneOf(bridgeNames)).optional(),
    'The only bridge that may be used. Withdrawals of the canonical bridge, which take days and two transactions ' +
      'afterwards, are found where it is named alone. Default: any other.',
  ),
  destinationFeeReceiver: described(
    Address.optional(),
    'Gets the fee out of what the bridge delivers, in place of feeReceiver: an order on the destination takes it first.',
  ),
  gasDrop: described(
    Amount.optional(),
    'Wei of the destination’s native token that the receiver is paid besides: by bridges that do so (stargate, oft), out of the messaging fee.',
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
