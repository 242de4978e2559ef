/**
 * Compiles an order to the one transaction that carries it out, for each routing strategy.
 * Chooses the contract and function; `prepare-steps.ts` and `pack-steps.ts` encode the steps. Pure.
 */
import {
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
  numberToHex,
  padHex,
  prepareEncodeFunctionData,
  size,
} from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import { tokenAmounts } from '../domain/lists.js'
import { whyLost } from '../domain/lost-payments.js'
import type { NextStep } from '../domain/next-step.js'
import type { Order, RoutingStrategy, SwapLegs, UnsignedTransaction } from '../domain/order.js'
import type { Address, Hex, TokenAmount } from '../domain/primitives.js'
import { isNative, zeroAddress } from '../domain/primitives.js'
import { throughCallbackPayer } from './callback-payer.js'
import {
  contractAddress,
  executorAddress,
  executorContracts,
  walletAddress,
} from './deployments.js'
import type { Signature } from './eip2612.js'
import { withTag } from './once.js'
import { packSteps } from './pack-steps.js'
import { prepareSteps } from './prepare-steps.js'
import type { PreparedStep } from './prepared-step.js'
import { throughSelf } from './self.js'
import { isDelegate } from './strategies.js'
import { buildSwap } from './swap-transaction.js'

// Function selectors are hashed once, since a route encodes dozens of candidates.
const { Router, Delegate, WalletFactory } = executorContracts
const routerExecute = prepareEncodeFunctionData({ abi: Router.abi, functionName: 'execute' })
const routerExecuteWithPermit = prepareEncodeFunctionData({
  abi: Router.abi,
  functionName: 'executeWithPermit',
})
const routerExecuteLegacy = prepareEncodeFunctionData({
  abi: Router.abi,
  functionName: 'executeLegacy',
})
const delegateExecute = prepareEncodeFunctionData({ abi: Delegate.abi, functionName: 'execute' })
const delegateExecuteLegacy = prepareEncodeFunctionData({
  abi: Delegate.abi,
  functionName: 'executeLegacy',
})
const orderParameters = getAbiItem({ abi: Router.abi, name: 'execute' }).inputs
const walletRun = prepareEncodeFunctionData({
  abi: WalletFactory.abi,
  functionName: 'deployAndRun',
})

/**
 * Who runs the steps: the address to give `encodeSwap` as the executor.
 * @param from - the sender: for `wallet-v2` the wallet's owner, for the delegate strategies the account.
 */
export function runnerAddress(strategy: RoutingStrategy, from: Address): Address {
  if (strategy === 'wallet-v2') return walletAddress(from)
  return isDelegate(strategy) ? from : executorAddress(from)
}

/**
 * The transaction that carries out the order. For the delegate strategies `to` is the Delegate, and the account runs
 * `data` by delegatecall (an EIP-7702 account with that code sends it to itself). Its native input is its own balance,
 * so `value` is 0.
 *
 * @param args.swap - of strategy `router`: `Router.swap()` carries the order out by these legs instead of its steps; not an
 *   order with a tag.
 * @param args.signature - of strategy `router`: the Router submits it to the first input's token, as a permit (EIP-2612)
 * over that input for the Router until the order's deadline.
 * @throws ForkrouteError INVALID_REQUEST for an order that cannot be carried out; names the step at fault.
 */
export function buildTransaction(args: {
  readonly strategy: RoutingStrategy
  readonly from: Address
  readonly order: Order
  readonly swap?: { readonly legs: SwapLegs; readonly measuresPairs: boolean } | undefined
  readonly signature?: Signature | undefined
}): UnsignedTransaction {
  const { strategy, from, order, swap, signature } = args
  const holdsOthers = isDelegate(strategy) || strategy === 'wallet-v2'
  checkOrder(order, holdsOthers ? [] : [executorAddress(from), contractAddress('Router')])
  if (swap) return buildSwap({ from, order, ...swap })
  const { legacyOrder, fullOrder } = toTuples(order, holdsOthers)
  const value = order.inputs.reduce(
    (sum, input) => sum + (isNative(input.token) ? input.amount : 0n),
    0n,
  )

  switch (strategy) {
    case 'router': {
      const data = signature
        ? encodeFunctionData({
            ...routerExecuteWithPermit,
            args: [fullOrder, signature.v, signature.r, signature.s],
          })
        : encodeFunctionData({ ...routerExecute, args: [fullOrder] })
      return { from, to: Router.address, data, value }
    }
    case 'router-legacy': {
      const data = encodeFunctionData({ ...routerExecuteLegacy, args: [legacyOrder] })
      return { from, to: Router.address, data, value }
    }
    case 'wallet-v2': {
      const data = encodeFunctionData({ ...walletRun, args: [fullOrder] })
      return { from, to: WalletFactory.address, data, value }
    }
    case 'delegate': {
      const data = encodeFunctionData({ ...delegateExecute, args: [fullOrder] })
      return { from, to: Delegate.address, data, value: 0n }
    }
    case 'delegate-legacy': {
      const data = encodeFunctionData({ ...delegateExecuteLegacy, args: [legacyOrder] })
      return { from, to: Delegate.address, data, value: 0n }
    }
  }
}

/**
 * What a bridge hands to the DestinationReceiver: who is paid when the order fails, what the delivery must come with,
 * and the order.
 *
 * @param args.order - its first input is the delivered token; the amount is not looked at, since what is delivered counts.
 *   Where `minimumValue` comes beside a token, the second is native. No fees. Its steps may name `selfAddress`.
 * @param args.minimumGas - that the order is given, so that nobody can starve it.
 * @param args.minimumValue - wei that come beside the delivered amount.
 * @throws ForkrouteError as buildTransaction.
 */
export function buildDeliveryMessage(args: {
  readonly order: Order
  readonly fallbackReceiver: Address
  readonly minimumGas: bigint
  readonly minimumValue?: bigint
}): Hex {
  const { order, fallbackReceiver, minimumGas, minimumValue = 0n } = args
  checkOrder(order, [contractAddress('DestinationReceiver')])
  checkDelivery(args)
  const head = [
    padHex(fallbackReceiver, { size: 32 }),
    numberToHex(minimumGas, { size: 32 }),
    numberToHex(minimumValue, { size: 32 }),
  ]
  const { fullOrder } = toTuples(order, false, throughSelf)
  return concatHex([...head, encodeAbiParameters(orderParameters, [fullOrder])])
}

/** The message with another `minimumGas`. */
export function withMinimumGas(message: Hex, minimumGas: bigint): Hex {
  const word = numberToHex(minimumGas, { size: 32 }).slice(2)
  return `0x${message.slice(2, 2 + 64)}${word}${message.slice(2 + 128)}`
}

/** The order as the contracts take it, and as those without event and refund receiver do. */
function toTuples(
  order: Order,
  holdsOthers: boolean,
  changed: (steps: readonly PreparedStep[]) => readonly PreparedStep[] = (steps) => steps,
) {
  const prepared = changed(prepareSteps(order.steps))
  const steps = holdsOthers ? throughCallbackPayer(prepared) : prepared
  const legacyOrder = {
    inputs: order.inputs.map(({ token, amount, fee = 0n }) => ({ token, amount, fee })),
    feeReceiver: order.feeReceiver,
    steps: packSteps(withTag(steps, order.once)),
    outputs: order.outputs.map(({ token, minAmountOut }) => ({ token, minimum: minAmountOut })),
    receiver: order.receiver,
    sweep: leftoverTokens(order, holdsOthers ? steps : []),
    paidBySteps: order.outputsPaidBySteps ?? false,
    deadline: order.deadline,
  }
  const { refundReceiver, accountId, referralCode } = order
  return { legacyOrder, fullOrder: { ...legacyOrder, refundReceiver, accountId, referralCode } }
}

/** Refuses what the DestinationReceiver would refuse by paying all of it to the fallback receiver. */
function checkDelivery(args: Parameters<typeof buildDeliveryMessage>[0]): void {
  const { fallbackReceiver, minimumValue = 0n } = args
  const { inputs } = args.order
  const problems: string[] = []
  if ([zeroAddress, contractAddress('DestinationReceiver')].includes(fallbackReceiver)) {
    problems.push(`The fallbackReceiver ${fallbackReceiver} cannot receive anything.`)
  }
  const [delivered, value] = inputs
  const hasValue = minimumValue > 0n && delivered && !isNative(delivered.token)
  const fits = delivered && inputs.length === (hasValue ? 2 : 1)
  if (!fits || (hasValue && !(value && isNative(value.token)))) {
    problems.push('The inputs must be the delivered token, and native beside a token with a value.')
  }
  if (inputs.some(({ fee = 0n }) => fee > 0n)) problems.push('A delivered order takes no fee.')
  if (problems.length > 0) throw new ForkrouteError('INVALID_REQUEST', problems)
}

/**
 * What the receiver gained of each output, from the return data of the order's transaction.
 * @throws TypeError when the return data belongs to another order.
 */
export function decodeAmountsOut(
  { outputs }: Pick<Order, 'outputs'>,
  returnData: Hex,
): TokenAmount[] {
  // `swap()` has one output and returns a plain number.
  const isOne = size(returnData) === 32
  const [amounts] = isOne
    ? [[hexToBigInt(returnData)]]
    : decodeAbiParameters([{ type: 'uint256[]' }], returnData)
  return tokenAmounts(
    outputs.map(({ token }) => token),
    amounts,
  )
}

/** Tokens swept besides inputs and outputs. An account needs every token listed that its steps refer to. */
function leftoverTokens(order: Order, steps: readonly PreparedStep[]): Address[] {
  const tokens = new Set(order.sweep)
  for (const step of steps) {
    const refs = step.kind === 'call' ? step.patches.map(({ ref }) => ref) : []
    for (const amount of [...refs, step.kind === 'call' ? step.value : step.amount]) {
      if (typeof amount === 'object' && amount.ref === 'balance') tokens.add(amount.token)
    }
  }
  for (const { token } of [...order.inputs, ...order.outputs]) tokens.delete(token)
  return [...tokens]
}

/** @param refused - addresses besides zero where tokens would be stranded. */
function checkOrder(order: Order, refused: readonly Address[]): void {
  const problems: string[] = []
  const next: NextStep[] = []
  const { inputs, outputs } = order
  for (const { token, amount, fee = 0n } of inputs) {
    if (fee > amount) problems.push(`The fee ${fee} is above the input ${amount} of ${token}.`)
  }
  for (const [name, list] of Object.entries({ inputs, outputs })) {
    const tokens = list.map(({ token }) => token)
    if (new Set(tokens).size !== tokens.length) problems.push(`A token stands twice in ${name}.`)
  }
  const { receiver, refundReceiver, feeReceiver } = order
  const hasFee = inputs.some(({ fee = 0n }) => fee > 0n)
  // What is left over goes to the receiver by default: one mistake is said once.
  const others = refundReceiver === receiver ? {} : { refundReceiver }
  const receivers = { receiver, ...others, ...(hasFee && { feeReceiver }) }
  const tokens = [...inputs, ...outputs].map(({ token }) => token)
  for (const [name, address] of Object.entries(receivers)) {
    if (address === undefined) continue
    const why = [zeroAddress, ...refused].includes(address)
      ? 'cannot receive anything'
      : whyLost(address, tokens)
    if (!why) continue
    problems.push(`The ${name} ${address} ${why}.`)
    next.push({ parameter: name })
  }
  if (problems.length > 0) {
    throw new ForkrouteError('INVALID_REQUEST', problems, next.length ? { next } : undefined)
  }
}
