/**
 * Builds the transaction that would carry out one candidate, and its simulation; with its result that is an attempt, the one
 * form of all transactions between the candidates and the answer.
 */
import { latestDeadline } from '../../domain/deadline.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import type {
  ExecutorStep,
  Order,
  OrderInput,
  SwapLegs,
  UnsignedTransaction,
} from '../../domain/order.js'
import { type Address, type Hex, maxUint128, type TokenAmount } from '../../domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { buildTransaction, runnerAddress } from '../../executor/compile.js'
import { executorContracts, walletAddress } from '../../executor/deployments.js'
import {
  type Permit2Permit,
  permitStep,
  type SignedPermit,
  standInSignature,
} from '../../executor/permit.js'
import { isDelegate } from '../../executor/strategies.js'
import { poolName } from '../../protocols/pool.js'
import { type DataFeeTerms, dataFeeOf, operatorFeeOf } from '../block/data-fee.js'
import type { Task } from '../block/task.js'
import { isVerified } from '../market/verified.js'
import { type Flow, swapsOf } from '../search/flow.js'
import { isDearerBehind, overridesAhead } from '../search/order-in-block.js'
import { planRoute, type RoutePlan } from './plan-route.js'
import { planSwap } from './plan-swap.js'
import { type SimulationState, withOverrides } from './sender-state.js'

/**
 * The function of the Router that carries the order out: steps in the sender's Executor, or plain swaps, where pairs may
 * look what has arrived, since a token may tax transfers.
 */
export type EntryPoint = 'execute' | 'swap' | 'measured-swap'

export interface Built {
  readonly simulationState: SimulationState
  readonly candidate: Flow
  readonly plan: RoutePlan
  /** What is taken from the sender: the order's inputs, unless a step brings them. */
  readonly taken: readonly OrderInput[]
  readonly order: Order
  /** Null: `execute` alone can carry the order out. */
  readonly legs: SwapLegs | null
  readonly entryPoint: EntryPoint
  readonly tx: UnsignedTransaction
  readonly dataFee: {
    /** Null: it costs nothing that counts. */
    readonly terms: DataFeeTerms | null
    /** Wei for posting the transaction to L1. */
    readonly wei: bigint
  }
  /** Brings the input, or its allowance; undefined: an allowance given before does. */
  readonly permit: SignedPermit | undefined
  /** True: the Router sends the input from the sender straight to the first pool. */
  readonly prepaysInput: boolean
}

/** A candidate's transaction and what it did in simulation: of a proof, or of the final transaction with its minimums. */
export interface Attempt<R extends SimulationResult | null = SimulationResult | null> {
  readonly built: Built
  /** Null: not simulated before the deadline. */
  readonly result: R
  /** What the receiver gains of each output of the order; empty unless it succeeds. */
  readonly outputs: readonly TokenAmount[]
  /** Of the final transaction: what was simulated. */
  readonly simulation?: SimulationRequest
}

export function poolsOn(candidate: Flow): ReadonlySet<Address> {
  return new Set(swapsOf(candidate).map(({ loaded }) => loaded.pool.address))
}

export function protocolsOn(candidate: Flow): ReadonlySet<string> {
  return new Set(swapsOf(candidate).map(({ adapter }) => adapter.slug))
}

/** Whether no pool on the way runs code of strangers, besides that of the tokens which the caller names. */
export function needsNoTrust(candidate: Pick<Flow, 'edges'>, named: ReadonlySet<Address>): boolean {
  return swapsOf(candidate).every((market) => isVerified(market, named))
}

export function build(
  task: Task,
  args: {
    request: RouteRequest
    inputs: readonly OrderInput[]
    accountId: Hex
    receiverHasCode: boolean
    deadline?: bigint | undefined
    permit?: SignedPermit | undefined
    /** True: the order has the input sent straight to the first pool where that pool accepts it; default false. */
    prepaysInput?: boolean
    /** What L1 charges for the transaction; null: nothing that counts. */
    dataFee: DataFeeTerms | null
  },
  candidate: Flow,
  simulationState: SimulationState,
): Built {
  const { request, inputs } = args
  const receiver = receiverOf(request)
  const executor = runnerAddress(request.strategy, request.fromAddress)
  const tokensIn = inputs.map(({ token }) => token)
  const isTrusted = needsNoTrust(candidate, new Set([...tokensIn, ...request.tokensOut]))
  const permit = args.permit && { ...args.permit, amount: at(inputs, 0).amount }
  const brought = permit?.kind === 'permit2' ? broughtBy(permit, request, inputs) : []
  const [source = request.fromAddress] = tokensIn
  const plan = planRoute({
    chain: task.chain,
    edges: candidate.edges,
    inputs: inputs.map(withoutFee),
    tokensOut: request.tokensOut,
    executor,
    receiver,
    mayPayReceiver: receiver === executor || (!args.receiverHasCode && isTrusted),
    mayPrepayInput: args.prepaysInput === true && mayPrepay(request, inputs, brought),
    helpers: helpersOf(candidate),
    ...defined({ deadline: args.deadline }),
    ...(brought.length && {
      within: { firstStep: brought.length, amountIn: { ref: 'balance', token: source } },
    }),
  })
  const { inputPaidTo } = plan
  const order: Order = {
    inputs: brought.length ? [] : inputPaidTo ? inputs.map(allAsFee) : inputs,
    // A quote may name no fee receiver; the sender is a safe stand-in, since it is not measured.
    feeReceiver: inputPaidTo ?? request.feeReceiver ?? request.fromAddress,
    steps: [...brought, ...plan.steps],
    outputs: request.tokensOut.map((token) => ({ token, minAmountOut: 0n })),
    outputsPaidBySteps: plan.paysReceiver,
    receiver,
    refundReceiver: request.refundReceiver ?? receiver,
    sweep: plan.sweep,
    // The token's permit ends with the order.
    deadline: (permit?.kind === 'eip2612' ? permit.deadline : args.deadline) ?? latestDeadline,
    accountId: args.accountId,
    referralCode: toBytes16(request.referralCode ?? ''),
    ...defined({ once: request.once }),
  }
  // What pools claim to have paid counts there, so each must be known to pay what it claims.
  const isSimple =
    request.strategy === 'router' &&
    isTrusted &&
    !permit &&
    // Only steps use up a tag.
    request.once === undefined &&
    fitsSwap(request, candidate)
  const legs = isSimple ? planSwap(candidate.edges, tokensIn, request.tokensOut) : null
  const entryPoint = legs ? 'swap' : 'execute'
  const parts = { order, legs, permit, dataFee: { terms: args.dataFee } }
  const encoded = encode(request, parts, entryPoint)
  const prepaysInput = inputPaidTo !== null
  const inBlock = isDearerBehind(candidate)
    ? withOverrides(simulationState, overridesAhead(candidate))
    : simulationState
  return {
    ...parts,
    ...encoded,
    candidate,
    plan,
    taken: inputs,
    simulationState: inBlock,
    prepaysInput,
  }
}

/** Accounts hold the input themselves, a Permit2 step brings it to the Executor, and a fee has its own receiver. */
function mayPrepay(
  { strategy }: RouteRequest,
  inputs: readonly OrderInput[],
  brought: readonly ExecutorStep[],
): boolean {
  const hasFee = inputs.some(({ fee = 0n }) => fee > 0n)
  return !isDelegate(strategy) && !brought.length && !hasFee
}

/** What the Router calls a fee goes from the sender straight to the address that the order names for it. */
function allAsFee({ token, amount }: OrderInput): OrderInput {
  return { token, amount, fee: amount }
}

/** The steps in place of what the Router does with inputs: they come by the signature, and the fee goes on. */
function broughtBy(
  permit: Permit2Permit,
  { feeReceiver, fromAddress }: RouteRequest,
  inputs: readonly OrderInput[],
): ExecutorStep[] {
  const fees = inputs.flatMap(({ token, fee = 0n }): ExecutorStep[] =>
    fee ? [{ kind: 'transfer', token, to: feeReceiver ?? fromAddress, amount: fee }] : [],
  )
  return [permitStep(permit), ...fees]
}

/** Whether the packed order has room for all amounts; what is measured may be more than the candidate's own figure. */
function fitsSwap({ inputs, limit }: RouteRequest, { amountOut }: Flow): boolean {
  const minimums = limit.kind === 'minimum' ? limit.minimums : []
  const amounts = [...inputs, ...minimums].map(({ amount }) => amount)
  return [...amounts, amountOut * 2n].every((amount) => amount <= maxUint128)
}

function encode(
  { strategy, fromAddress: from }: RouteRequest,
  parts: Pick<Built, 'order' | 'legs' | 'permit'> & {
    readonly dataFee: Pick<Built['dataFee'], 'terms'>
  },
  entryPoint: EntryPoint,
): Pick<Built, 'entryPoint' | 'tx' | 'dataFee'> {
  const { order, legs, permit } = parts
  const { terms } = parts.dataFee
  const isSwap = legs && entryPoint !== 'execute'
  const swap = isSwap ? { legs, measuresPairs: entryPoint === 'measured-swap' } : undefined
  const signature = permit?.kind === 'eip2612' ? standInSignature(from) : undefined
  const tx = buildTransaction({ strategy, from, order, swap, signature })
  return { entryPoint, tx, dataFee: { terms, wei: terms ? dataFeeOf(terms, tx) : 0n } }
}

/** The same order through another entry point. */
export function through(built: Built, request: RouteRequest, entryPoint: EntryPoint): Built {
  return { ...built, ...encode(request, built, entryPoint) }
}

/** Wei that the transaction costs if it uses so much gas: for the gas, for its bytes on L1, and for the operator. */
export function costOf(
  { gasPrice }: Pick<Task, 'gasPrice'>,
  { dataFee }: Pick<Built, 'dataFee'>,
  gasUsed: bigint,
): bigint {
  return gasUsed * gasPrice + dataFee.wei + operatorFeeOf(dataFee.terms?.model, gasUsed)
}

/** The amount left to swap. */
export function withoutFee({ token, amount, fee = 0n }: OrderInput): TokenAmount {
  return { token, amount: amount - fee }
}

/** An explicit receiver wins; toEoa=false leaves the output in the smart wallet. */
export function receiverOf({ receiver, toEoa, strategy, fromAddress }: RouteRequest): Address {
  if (receiver) return receiver
  return strategy === 'wallet-v2' && toEoa === false ? walletAddress(fromAddress) : fromAddress
}

export function helpersOf(candidate: Pick<Flow, 'edges'>): Record<string, Address> {
  const names = swapsOf(candidate).flatMap(({ adapter }) => adapter.swaps.helperContracts ?? [])
  const known: Record<string, { readonly address: Address }> = executorContracts
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => {
      const contract = known[name]
      return contract ? [[name, contract.address]] : []
    }),
  )
}

/** A delegatecall cannot be sent as a transaction: it is simulated as an account that has the code as its own. */
export function toSimulation(
  { tx, simulationState }: Pick<Built, 'tx' | 'simulationState'>,
  { strategy, fromAddress }: Pick<RouteRequest, 'strategy' | 'fromAddress'>,
): SimulationRequest {
  const to = isDelegate(strategy) ? fromAddress : tx.to
  return { from: tx.from, to, data: tx.data, value: tx.value, ...simulationState }
}

/** Why a candidate was dropped although it did not revert. */
export const unreadableReason = 'state that the node does not give'

export function describe(candidate: Flow, reason: string) {
  const path = candidate.edges.map(({ hop }) =>
    hop.kind === 'swap'
      ? `${hop.market.adapter.slug}:${poolName(hop.market.loaded.pool)}`
      : hop.kind,
  )
  return { path, reason }
}

export function toBytes16(text: string): Hex {
  return `0x${Buffer.from(text, 'ascii').toString('hex').padEnd(32, '0')}`
}
