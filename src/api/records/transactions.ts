/**
 * Answers with a route on the wire: transactions and quotes, each schema with the function that makes it of the domain's
 * answer. Addresses are lower-case; amounts are decimal strings in the smallest unit.
 */

import { z } from 'zod'
import type { PrerequisiteRecord } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type {
  GasCost as GasCostFacts,
  NontokenizedAnswer,
  RouteAnswer,
} from '../../domain/engine.js'
import { explanationFields, oneOrList } from '../../domain/explanation.js'
import type { UnsignedTransaction } from '../../domain/order.js'
import type { RoutePermit } from '../../domain/permit.js'
import type { Address as Account, Cost, TokenAmount } from '../../domain/primitives.js'
import type { AnswerMarks } from '../../domain/validity.js'
import type { WhatIf } from '../../domain/what-if.js'
import { cost, crosschainFields, routeCrosschain } from './crosschain-records.js'
import { explanation, onlyExplained } from './explanation.js'
import { Address, BlockNumber, ChainId, Wei, WeiOrList } from './record-parts.js'
import { RouteStep, toSteps } from './steps.js'
import { Trace, traceOf } from './trace-records.js'

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

const GasCost = z
  .object({
    ...cost,
    l1DataFee: z
      .object(cost)
      .nullable()
      .optional()
      .meta({
        description:
          'On top of the gas: what posting the transaction to L1 costs. Only on chains that charge it; null when the ' +
          'chain does not say.',
      }),
  })
  .meta({ id: 'GasCost', description: 'Gas used, at the base fee of the next block plus the tip.' })

const byteOffset = z.int().min(0)
const Permit = z
  .object({
    kind: z.enum(['eip2612', 'permit2']).meta({
      description:
        "eip2612: the token's own permit, which needs no allowance. permit2: Permit2, which the sender must have " +
        'allowed to take the token.',
    }),
    typedData: z
      .object({
        domain: z.record(z.string(), z.unknown()).meta({ description: 'Of EIP-712.' }),
        types: z
          .record(z.string(), z.array(z.object({ name: z.string(), type: z.string() })))
          .meta({ description: 'Of EIP-712, EIP712Domain included.' }),
        primaryType: z.string().meta({ description: 'Name of the type of message.' }),
        message: z.record(z.string(), z.unknown()).meta({
          description: 'Amounts in the smallest unit, times in unix seconds: decimal strings.',
        }),
      })
      .meta({ description: 'What fromAddress signs, with eth_signTypedData_v4.' }),
    signature: z
      .object({
        r: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        s: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        v: byteOffset.meta({ description: 'Byte of tx.data that is 27 or 28.' }),
      })
      .meta({ description: 'Where the signature goes; a stand-in of the same gas is there.' }),
  })
  .meta({ id: 'Permit' })

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

/** Fields of every answer with a transaction. */
export const marks = {
  simulatedPosition: z
    .literal(0)
    .nullable()
    .optional()
    .meta({
      description:
        'Index in block createdAt + 1 at which the transaction was simulated: 0, its first. Null with skipQuote; absent in a ' +
        'replay of a cassette recorded without it.',
    }),
  expiresAtBlock: z
    .int()
    .nullable()
    .optional()
    .meta({
      description:
        'The last block in which the transaction still fills, as far as was measured; null: it was not measured. Absent ' +
        'where simulatedPosition is.',
    }),
}

export const RouteTransaction = z
  .object({
    route: z.array(RouteStep),
    gas: Gas,
    amountOut: WeiOrList,
    minAmountOut: WeiOrList.meta({ description: 'What the transaction enforces.' }),
    ...exactInput,
    priceImpact: PriceImpact.optional(),
    createdAt: BlockNumber.meta({ description: 'Block at whose end all state was read.' }),
    blockNumber: BlockNumber.meta({ description: 'Same as createdAt.' }),
    ...marks,
    tx: Transaction,
    feeAmount: z.array(Wei).optional(),
    gasCost: GasCost.optional(),
    ...routeCrosschain,
    permit: Permit.optional().meta({ description: 'Only with permit=true.' }),
    trace: TraceOfTransaction,
    overrides: OverridesOfRequest,
    proof: ProofOfAnswer,
    warnings: Warnings,
    ...explanation,
  })
  .meta({ id: 'RouteTransaction' })

/** Beside an amount of the first of several tokens. */
const listOf = (tokens: string) =>
  z
    .array(Wei)
    .optional()
    .meta({ description: `Raw units of all ${tokens}, in their order; absent where there is one.` })

export const Quote = z
  .object({
    amountOut: Wei.meta({
      description: 'What the receiver gains of the first tokenOut, raw units.',
    }),
    amountOutList: listOf('tokenOut'),
    ...exactInput,
    route: z.array(RouteStep),
    gas: Gas,
    priceImpact: PriceImpact.optional(),
    feeAmount: z.array(Wei).optional(),
    blockNumber: BlockNumber,
    ...marks,
    ...routeCrosschain,
    overrides: OverridesOfRequest,
    proof: ProofOfAnswer,
    warnings: Warnings,
    ...explanation,
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

export function marksOf({ marks }: { readonly marks?: AnswerMarks }) {
  if (!marks) return {}
  const { simulatedPosition, expiresAtBlock } = marks
  return {
    simulatedPosition,
    expiresAtBlock: expiresAtBlock === null ? null : Number(expiresAtBlock),
  }
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
  }
}

function toGasCost({ l1DataFee, ...gas }: GasCostFacts) {
  const toCost = ({ native, usd }: Cost) => ({ native: native.toString(), usd })
  return {
    ...toCost(gas),
    ...(l1DataFee !== undefined && { l1DataFee: l1DataFee && toCost(l1DataFee) }),
  }
}

function toPermit({ kind, typedData, signature }: RoutePermit) {
  const { domain, types, primaryType, message } = typedData
  return {
    kind,
    typedData: {
      domain: { ...domain },
      types: Object.fromEntries(
        Object.entries(types).map(([name, fields]) => [name, fields.map((one) => ({ ...one }))]),
      ),
      primaryType,
      message: { ...message },
    },
    signature: { ...signature },
  }
}

export function toRouteTransaction(
  answer: RouteAnswer,
  withPriceImpact: boolean,
): z.output<typeof RouteTransaction> {
  const { gasCost, permit } = answer
  return {
    route: toSteps(answer),
    gas: answer.gas.toString(),
    amountOut: oneOrList(answer.outputs.map(({ amountOut }) => amountOut)),
    minAmountOut: oneOrList(answer.outputs.map(({ minAmountOut }) => minAmountOut)),
    ...exactInputOf(answer),
    ...defined({ priceImpact: withPriceImpact ? answer.priceImpact : undefined }),
    createdAt: Number(answer.block.number),
    blockNumber: Number(answer.block.number),
    ...marksOf(answer),
    tx: toTransaction(answer),
    ...defined({ gasCost: gasCost && toGasCost(gasCost) }),
    ...crosschainFields(answer),
    ...defined({ permit: permit && toPermit(permit) }),
    ...traceOf(answer),
    ...extras(answer),
    ...explanationFields(answer.explanation),
  }
}

export function toQuote(answer: RouteAnswer, withPriceImpact: boolean): z.output<typeof Quote> {
  return {
    ...withList(
      'amountOut',
      answer.outputs.map(({ amountOut }) => amountOut),
    ),
    ...exactInputOf(answer),
    route: toSteps(answer),
    gas: answer.gas.toString(),
    ...defined({ priceImpact: withPriceImpact ? answer.priceImpact : undefined }),
    ...extras(answer),
    blockNumber: Number(answer.block.number),
    ...marksOf(answer),
    ...crosschainFields(answer),
    ...explanationFields(answer.explanation),
  }
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
