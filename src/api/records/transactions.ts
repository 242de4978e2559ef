/**
 * Answers with a route on the wire: transactions and quotes, each schema with the function that makes it of the domain's
 * answer. Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */

import { z } from 'zod'
import type { PrerequisiteRecord } from '../../domain/bundle.js'
import type { WhatIf } from '../../domain/changes/what-if.js'
import { defined } from '../../domain/defined.js'
import type { NontokenizedAnswer, RouteAlternative, RouteAnswer } from '../../domain/engine.js'
import { explanationFields, oneOrList } from '../../domain/explanation.js'
import type { UnsignedTransaction } from '../../domain/order.js'
import type { Address as Account, TokenAmount } from '../../domain/primitives.js'
import { Cautions, cautionsOf } from './caution-records.js'
import { crosschainFields, routeCrosschain } from './crosschain-records.js'
import { explanation, onlyExplained } from './explanation.js'
import { GasCost, toGasCost } from './gas-cost.js'
import { OverlayOfAnswer } from './overlay-records.js'
import { Permit, toPermit } from './permit-records.js'
import { Address, BlockNumber, ChainId, Wei, WeiOrList } from './record-parts.js'
import { RouteStep, toSteps } from './steps.js'
import { Trace, traceOf } from './trace-records.js'
import { marks, marksOf, Slippage, slippageOf } from './validity-records.js'

export const Transaction = z
  .object({
    data: z.string(),
    to: Address,
    from: Address,
    value: Wei,
    chainId: ChainId,
  })
  .meta({ id: 'Transaction', description: 'Valid and unsigned.' })

/** Fields of an answer to a request with amountOut. */
const exactInput = {
  amountIn: Wei.optional().meta({
    description:
      'With amountOut in the request: the least amount of tokenIn that gives it, fee included; what the transaction ' +
      'spends, and what has to be allowed.',
  }),
  maxAmountIn: Wei.optional().meta({
    description: 'With amountOut in the request: amountIn with the slippage on top, rounded up.',
  }),
}

export const PriceImpact = z.number().nullable().meta({
  description:
    'Basis points, fees included, rounded to two decimals; null without USD prices, absent with priceImpact=false.',
})
export const Warnings = z.array(z.string()).optional().meta({
  description:
    'Present when something was left out that could have mattered, or when the gas is by later rules than those of the block.',
})
export const Gas = z.string().regex(/^\d+$/).meta({
  description: 'Gas that the simulated transaction used; send about 50% more.',
})

const Overrides = z
  .object({
    accounts: z.array(Address).meta({ description: 'Accounts of stateOverrides.' }),
    code: z
      .array(Address)
      .meta({ description: "Those whose code is not the chain's: anything may be made up." }),
    timestamp: z
      .int()
      .optional()
      .meta({ description: 'Of the simulated block, unix seconds, where asked for.' }),
    baseFee: Wei.optional().meta({
      description: 'Of the simulated block, wei per gas, where asked for.',
    }),
  })
  .meta({
    id: 'Overrides',
    description:
      'Present where the request changed state or block: the answer is not of the chain.',
  })

export const TraceOfTransaction = Trace.nullable()
  .optional()
  .meta({ description: 'Only with trace=true; null where the transaction cannot be traced.' })
export const OverridesOfRequest = Overrides.optional().meta({
  description: 'What the request changed of state and block; absent: nothing.',
})

const ProofOfAnswer = z
  .literal('adaptive')
  .optional()
  .meta({ description: 'Only where not every candidate was simulated; see proof of the request.' })

const EvidenceOfAnswer = z.record(z.string(), z.unknown()).optional().meta({
  description:
    'Only with evidence=true: a file as JSON, which forkroute verify checks. It holds this answer, without the evidence.',
})

/** What an alternative has besides amounts, gas and steps. */
const alternativeFields = {
  lossBps: z
    .number()
    .nullable()
    .meta({
      description:
        'What it is worth less than the best, both after gas, in basis points with two decimals; negative where it is worth ' +
        'more. Null without prices, with several tokenOut, and with withoutOverlay.',
    }),
  sharedPools: z.array(z.string()).meta({
    description:
      'Pools that the best or an alternative before this one uses as well, by address or 32-byte id; empty: none.',
  }),
  withoutOverlay: z
    .literal(true)
    .optional()
    .meta({ description: 'Proven on the chain as it is, while the answer has an overlay.' }),
  warnings: Warnings.meta({ description: 'Those that are not among the warnings of the best.' }),
  cautions: Cautions,
}

/** What the transaction of an alternative has. */
const transactionFields = {
  route: z.array(RouteStep),
  gas: Gas,
  amountOut: WeiOrList,
  minAmountOut: WeiOrList.meta({ description: 'What the transaction enforces.' }),
}

const onRequest = { description: 'Only with alternatives in the request; the best first.' }

const RouteAlternatives = z
  .array(
    z
      .object({
        ...transactionFields,
        priceImpact: PriceImpact.optional(),
        tx: Transaction,
        gasCost: GasCost.optional(),
        permit: Permit.optional().meta({ description: 'Only with permit=true.' }),
        ...alternativeFields,
      })
      .meta({ id: 'RouteAlternative', description: 'Another transaction for the same request.' }),
  )
  .optional()
  .meta(onRequest)

export const RouteTransaction = z
  .object({
    ...transactionFields,
    ...exactInput,
    priceImpact: PriceImpact.optional(),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    ...marks,
    slippage: Slippage,
    tx: Transaction,
    feeAmount: z.array(Wei).optional(),
    gasCost: GasCost.optional(),
    ...routeCrosschain,
    permit: Permit.optional().meta({ description: 'Only with permit=true.' }),
    trace: TraceOfTransaction,
    overrides: OverridesOfRequest,
    overlay: OverlayOfAnswer,
    proof: ProofOfAnswer,
    warnings: Warnings,
    cautions: Cautions,
    ...explanation,
    alternatives: RouteAlternatives,
    evidence: EvidenceOfAnswer,
  })
  .meta({ id: 'RouteTransaction' })

/** Beside an amount of the first of several tokens. */
const listOf = (tokens: string) =>
  z
    .array(Wei)
    .optional()
    .meta({ description: `Raw units of all ${tokens}, in their order; absent where there is one.` })

const quotedFields = {
  amountOut: Wei.meta({
    description: 'What the receiver gains of the first tokenOut, raw units.',
  }),
  amountOutList: listOf('tokenOut'),
}

const QuoteAlternatives = z
  .array(
    z
      .object({
        ...quotedFields,
        route: z.array(RouteStep),
        gas: Gas,
        priceImpact: PriceImpact.optional(),
        ...alternativeFields,
      })
      .meta({ id: 'QuoteAlternative', description: 'Another way for the same request.' }),
  )
  .optional()
  .meta(onRequest)

export const Quote = z
  .object({
    ...quotedFields,
    ...exactInput,
    route: z.array(RouteStep),
    gas: Gas,
    priceImpact: PriceImpact.optional(),
    feeAmount: z.array(Wei).optional(),
    blockNumber: BlockNumber,
    ...marks,
    slippage: Slippage,
    ...routeCrosschain,
    overrides: OverridesOfRequest,
    overlay: OverlayOfAnswer,
    proof: ProofOfAnswer,
    warnings: Warnings,
    cautions: Cautions,
    ...explanation,
    alternatives: QuoteAlternatives,
    evidence: EvidenceOfAnswer,
  })
  .meta({ id: 'Quote' })

export const Prerequisites = z
  .array(z.object({ from: Address, to: Address, data: z.string(), purpose: z.string() }))
  .optional()
  .meta({ description: 'Transactions that the account must have sent before.' })
export const Approvals = z
  .array(
    z
      .object({ from: Address, to: Address, data: z.string(), value: Wei, description: z.string() })
      .meta({ id: 'RequiredApproval' }),
  )
  .optional()
  .meta({ description: 'The prerequisites again, each as a transaction with its description.' })

/** Each input with the most that is kept of it. */
export const MaxAmountsIn = z.record(Address, Wei).meta({
  description:
    'The most that the transaction keeps of each input, by token, raw units: what is above it comes back to ' +
    'refundReceiver, or the transaction reverts.',
})

export const NontokenizedTransaction = RouteTransaction.omit({
  ...onlyExplained,
  amountIn: true,
  maxAmountIn: true,
  alternatives: true,
  evidence: true,
  slippage: true,
})
  .extend({
    priceImpact: PriceImpact,
    amountOut: Wei.meta({ description: 'Same as amountDeposited.' }),
    amountOutList: listOf('tokens of the position'),
    minAmountOut: Wei.meta({
      description: 'What the transaction enforces of amountDeposited, raw units.',
    }),
    minAmountOutList: listOf('tokens of the position'),
    amountDeposited: Wei.meta({
      description: 'What enters the position of its first token, raw units.',
    }),
    amountDepositedList: listOf('tokens of the position'),
    maxAmountsIn: MaxAmountsIn,
    positionOut: z.string(),
    prerequisites: Prerequisites,
    approvals: Approvals,
  })
  .meta({ id: 'NontokenizedTransaction' })

/** Answer of the cross-chain endpoint that has a form of its own. */
export const MultichainRoute = z
  .object({
    createdAt: BlockNumber.meta({
      description: 'Number of the source block at whose end the state was read.',
    }),
    tx: z
      .object({
        from: Address.meta({ description: 'The sender.' }),
        chainId: ChainId.meta({ description: 'EIP-155 id of the source chain.' }),
        value: z
          .string()
          .regex(/^0x[0-9a-f]+$/)
          .meta({ description: 'Wei, hexadecimal.' }),
        to: Address.meta({ description: 'The contract to call.' }),
        data: z.string().meta({ description: 'Call data, hexadecimal.' }),
      })
      .meta({ description: 'The unsigned transaction on the source chain.' }),
  })
  .meta({ id: 'MultichainRoute', description: 'The source transaction of a route between chains.' })

export function toTransaction({
  tx,
  chainId,
}: {
  readonly tx: UnsignedTransaction
  readonly chainId: number
}): z.output<typeof Transaction> {
  return { data: tx.data, to: tx.to, from: tx.from, value: tx.value.toString(), chainId }
}

/** Absent where there are none. */
export function warningsOf({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.length > 0 ? { warnings: [...warnings] } : {}
}

/** Absent where no fee is taken. */
export function feesOf({ fees = [] }: { readonly fees?: readonly TokenAmount[] }) {
  return fees.length > 0 ? { feeAmount: fees.map(({ amount }) => amount.toString()) } : {}
}

/** Raw units as decimal strings, keyed by token. */
export function toAmounts(list: readonly TokenAmount[]): Record<string, string> {
  return Object.fromEntries(list.map(({ token, amount }) => [token, amount.toString()]))
}

/** The first amount as a string, and beside it the list of all where there are several. */
function withList<N extends string>(name: N, amounts: readonly bigint[]) {
  const all = amounts.map(String)
  return {
    [name]: all[0] ?? '0',
    ...(all.length > 1 && { [`${name}List`]: all }),
  } as { [K in N]: string } & { [K in `${N}List`]?: string[] }
}

/** Absent where there are none. */
export function toPrerequisites(list: readonly PrerequisiteRecord[]) {
  if (list.length === 0) return {}
  return {
    prerequisites: list.map((one) => ({ ...one })),
    approvals: list.map(({ from, to, data, purpose }) => ({
      from,
      to,
      data,
      value: '0',
      description: purpose,
    })),
  }
}

function exactInputOf({ input }: RouteAnswer) {
  return input && { amountIn: input.amountIn.toString(), maxAmountIn: input.maxAmountIn.toString() }
}

function extras(answer: RouteAnswer) {
  return {
    ...defined({ proof: answer.proof }),
    ...feesOf(answer),
    ...warningsOf(answer),
    ...cautionsOf(answer),
  }
}

export function toRouteTransaction(
  answer: RouteAnswer,
  withPriceImpact: boolean,
): z.output<typeof RouteTransaction> {
  const { gasCost, permit } = answer
  return {
    ...transactionOf(answer),
    ...exactInputOf(answer),
    ...defined({ priceImpact: withPriceImpact ? answer.priceImpact : undefined }),
    createdAt: Number(answer.block.number),
    blockNumber: Number(answer.block.number),
    ...marksOf(answer),
    ...slippageOf(answer),
    tx: toTransaction(answer),
    ...defined({ gasCost: gasCost && toGasCost(gasCost) }),
    ...crosschainFields(answer),
    ...defined({ permit: permit && toPermit(permit) }),
    ...traceOf(answer),
    ...extras(answer),
    ...explanationFields(answer.explanation),
    ...defined({
      alternatives: answer.alternatives?.map((one) => ({
        ...transactionOf(one),
        ...defined({ priceImpact: withPriceImpact ? one.priceImpact : undefined }),
        tx: toTransaction({ ...one, chainId: answer.chainId }),
        ...defined({ gasCost: one.gasCost && toGasCost(one.gasCost) }),
        ...defined({ permit: one.permit && toPermit(one.permit) }),
        ...alternativeOf(one),
      })),
    }),
  }
}

function transactionOf(answer: Pick<RouteAnswer, 'route' | 'gas' | 'outputs'>) {
  return {
    route: toSteps(answer),
    gas: answer.gas.toString(),
    amountOut: oneOrList(answer.outputs.map(({ amountOut }) => amountOut)),
    minAmountOut: oneOrList(answer.outputs.map(({ minAmountOut }) => minAmountOut)),
  }
}

function alternativeOf(one: RouteAlternative) {
  const { lossBps, sharedPools, withoutOverlay } = one
  return {
    lossBps,
    sharedPools: [...sharedPools],
    ...defined({ withoutOverlay }),
    ...warningsOf(one),
    ...cautionsOf(one),
  }
}

export function toQuote(answer: RouteAnswer, withPriceImpact: boolean): z.output<typeof Quote> {
  return {
    ...quotedOf(answer),
    ...exactInputOf(answer),
    route: toSteps(answer),
    gas: answer.gas.toString(),
    ...defined({ priceImpact: withPriceImpact ? answer.priceImpact : undefined }),
    ...extras(answer),
    blockNumber: Number(answer.block.number),
    ...marksOf(answer),
    ...slippageOf(answer),
    ...crosschainFields(answer),
    ...explanationFields(answer.explanation),
    ...defined({
      alternatives: answer.alternatives?.map((one) => ({
        ...quotedOf(one),
        route: toSteps(one),
        gas: one.gas.toString(),
        ...defined({ priceImpact: withPriceImpact ? one.priceImpact : undefined }),
        ...alternativeOf(one),
      })),
    }),
  }
}

function quotedOf({ outputs }: Pick<RouteAnswer, 'outputs'>) {
  return withList(
    'amountOut',
    outputs.map(({ amountOut }) => amountOut),
  )
}

export function toNontokenized(
  answer: NontokenizedAnswer,
): z.output<typeof NontokenizedTransaction> {
  const blockNumber = Number(answer.block.number)
  const amounts = answer.deposits.map(({ amountOut }) => amountOut)
  const minimums = answer.deposits.map(({ minAmountOut }) => minAmountOut)
  return {
    route: toSteps(answer),
    gas: (answer.gas ?? 0n).toString(),
    ...withList('amountOut', amounts),
    ...withList('minAmountOut', minimums),
    priceImpact: answer.priceImpact,
    createdAt: blockNumber,
    blockNumber,
    ...marksOf(answer),
    tx: toTransaction(answer),
    ...crosschainFields(answer),
    ...feesOf(answer),
    ...warningsOf(answer),
    ...withList('amountDeposited', amounts),
    maxAmountsIn: toAmounts(answer.maximums),
    positionOut: answer.positionOut,
    ...toPrerequisites(answer.prerequisites),
  }
}

/** Marks an answer that is not of the chain as it is. */
export function overridesOf({ whatIf }: { readonly whatIf?: WhatIf }) {
  if (!whatIf) return {}
  const { accounts, block } = whatIf
  const addresses = (Object.keys(accounts) as Account[]).sort()
  return {
    overrides: {
      accounts: addresses,
      code: addresses.filter((address) => accounts[address]?.code !== undefined),
      ...(block.timestamp !== undefined && { timestamp: Number(block.timestamp) }),
      ...defined({ baseFee: block.baseFeePerGas?.toString() }),
    },
  }
}
