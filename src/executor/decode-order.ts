/**
 * Reads the order out of a call of one of our contracts: the inverse of `compile.ts`. A contract or function that takes
 * orders in another form is one more entry of `decoders`. Pure.
 */
import { type Abi, decodeFunctionData } from 'viem'
import type { OrderInput } from '../domain/order.js'
import {
  type Address,
  type Hex,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../domain/primitives.js'
import {
  contractAddress,
  executorAddress,
  executorContracts,
  walletAddress,
} from './deployments.js'
import type { PreparedStep } from './prepared-step.js'
import { readSwap, type SwapFamily, swapSelector } from './swap-order.js'
import { unpackSteps } from './unpack-steps.js'

/** A call of a contract, in whatever transaction. */
export interface ContractCall {
  readonly from: Address
  /** The account in whose name the code runs; of a delegatecall not the contract that has the code. */
  readonly to: Address
  readonly data: Hex
  /** Wei; absent: none. */
  readonly value?: bigint
}

export interface DecodedOrder {
  /** The contract and the function, such as `Router.execute`. */
  readonly entry: string
  /** Who runs the steps. */
  readonly runner: Address
  readonly inputs: readonly OrderInput[]
  readonly outputs: readonly { readonly token: Address; readonly minAmountOut: bigint }[]
  readonly receiver: Address
  readonly steps: readonly PreparedStep[]
}

/** What all our functions take, as viem decodes it. */
interface OrderTuple {
  readonly inputs: readonly { readonly token: Hex; readonly amount: bigint; readonly fee: bigint }[]
  readonly steps: Hex
  readonly outputs: readonly { readonly token: Hex; readonly minimum: bigint }[]
  readonly receiver: Hex
}

/** Null: the call is another decoder's, or nobody's. */
type Decoder = (call: ContractCall) => DecodedOrder | null

const { Router, WalletFactory, Wallet, Delegate } = executorContracts

/** Orders to a contract at an address of its own, which the sender's `runner` carries out. */
function sentTo(
  name: 'Router' | 'WalletFactory',
  abi: Abi,
  runner: (sender: Address) => Address,
): Decoder {
  return (call) => {
    if (call.to !== contractAddress(name)) return null
    const found = decodeTuple(abi, call.data)
    return found && toOrder(`${name}.${found.functionName}`, runner(call.from), found.order)
  }
}

/** Orders that an account runs itself, at whatever address it is. */
function runBy(name: 'Wallet' | 'Delegate', abi: Abi): Decoder {
  return (call) => {
    const found = decodeTuple(abi, call.data)
    return found && toOrder(`${name}.${found.functionName}`, call.to, found.order)
  }
}

/** Decodes `Router.swap()`; the pools that it calls become calls without arguments. */
function plainSwap({ from, to, data, value = 0n }: ContractCall): DecodedOrder | null {
  if (to !== contractAddress('Router') || !data.startsWith(swapSelector)) return null
  try {
    const swap = readSwap(data)
    const { amountIn, fee, minimum: minAmountOut } = swap
    const tokenIn = amountIn === null ? nativeToken : swap.tokenIn
    const isEther = swap.unwraps || swap.tokenOut === zeroAddress
    return {
      entry: 'Router.swap',
      runner: to,
      inputs: [{ token: tokenIn, amount: amountIn ?? value, fee: fee?.amount ?? 0n }],
      outputs: [{ token: isEther ? nativeToken : swap.tokenOut, minAmountOut }],
      receiver: swap.receiver ?? from,
      // The first of adjacent V4 hops has the manager, which is called once for all.
      steps: swap.hops.flatMap(({ family, target }) =>
        target === zeroAddress
          ? []
          : [{ kind: 'call', target, data: poolSelectors[family], patches: [] } as const],
      ),
    }
  } catch {
    return null
  }
}

/** swap(uint256,uint256,address,bytes), swap(address,bool,int256,uint160,bytes), unlock(bytes). */
const poolSelectors: Readonly<Record<SwapFamily, Hex>> = {
  v2: '0x022c0d9f',
  'v2-measured': '0x022c0d9f',
  v3: '0x128acb08',
  v4: '0x48c89491',
}

/** The first that knows a call decides. */
const decoders: readonly Decoder[] = [
  plainSwap,
  sentTo('Router', Router.abi, executorAddress),
  sentTo('WalletFactory', WalletFactory.abi, walletAddress),
  runBy('Delegate', Delegate.abi),
  runBy('Wallet', Wallet.abi),
]

/** Null when the call carries no order. */
export function decodeOrder(call: ContractCall): DecodedOrder | null {
  for (const decode of decoders) {
    const order = decode(call)
    if (order) return order
  }
  return null
}

function decodeTuple(abi: Abi, data: Hex): { functionName: string; order: OrderTuple } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi, data })
    const order = args?.[0] as Partial<OrderTuple> | undefined
    return order && typeof order === 'object' && order.steps !== undefined
      ? { functionName, order: order as OrderTuple }
      : null
  } catch {
    return null
  }
}

function toOrder(entry: string, runner: Address, order: OrderTuple): DecodedOrder | null {
  try {
    return {
      entry,
      runner,
      inputs: order.inputs.map(({ token, amount, fee }) => ({
        token: toAddress(token),
        amount,
        fee,
      })),
      outputs: order.outputs.map(({ token, minimum }) => ({
        token: toAddress(token),
        minAmountOut: minimum,
      })),
      receiver: toAddress(order.receiver),
      steps: unpackSteps(order.steps),
    }
  } catch {
    return null
  }
}
