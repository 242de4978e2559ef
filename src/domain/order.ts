/**
 * What one transaction does: an ordered list of steps that the sender's Executor runs.
 * Routes found by the search and bundles given by callers both become an order;
 * `executor/` compiles its steps to calldata. Pure.
 */
import type { AbiFunction, AbiParameter } from 'viem'
import type { Address, TokenAmount } from './primitives.js'

/** A value that is known only on chain, while the transaction runs. */
export type AmountRef =
  /** The Executor's own balance of `token` at that moment, times bps / 10_000, rounded down. */
  | { readonly ref: 'balance'; readonly token: Address; readonly bps?: number }
  /** A result of an earlier step of the same plan (zero-based), see `CallStep.output`; scaled likewise. */
  | { readonly ref: 'output'; readonly step: number; readonly bps?: number }

/** Raw units: known in advance, or a reference. */
export type Amount = bigint | AmountRef

export function isAmountRef(value: unknown): value is AmountRef {
  return typeof value === 'object' && value !== null && 'ref' in value
}

/** The ABI encoding of values, as a `bytes` argument; any of them may be an AmountRef. */
export interface EncodedValues {
  /** Of a function, which they are the arguments of; absent: the values alone. */
  readonly selector?: `0x${string}`
  readonly types: readonly AbiParameter[]
  readonly values: readonly unknown[]
}

export function isEncodedValues(value: unknown): value is EncodedValues {
  return typeof value === 'object' && value !== null && 'types' in value && 'values' in value
}

/** A contract call made by the Executor. Any argument (also inside tuples, arrays and EncodedValues) may be an AmountRef. */
export interface CallStep {
  readonly kind: 'call'
  readonly target: Address
  readonly abi: AbiFunction
  readonly args: readonly unknown[]
  /** Wei sent along, from the Executor's own balance. */
  readonly value?: Amount
  /**
   * The target (and only it) may call back once during this call in the Uniswap V3 style
   * `(int256 amount0Delta, int256 amount1Delta, bytes)`; the Executor then pays the positive delta of
   * this token to the target. Serves every V3-like fork, whatever its callback is called.
   */
  readonly payToken?: Address
  /**
   * What later steps may refer to: the 32-byte word of the return data at this index,
   * or the increase that the call causes of the Executor's balance of a token.
   */
  readonly output?:
    | { readonly kind: 'word'; readonly index: number }
    | { readonly kind: 'balance'; readonly token: Address }
  /**
   * Steps that the Executor runs once, within this call, when the target calls back (a flash loan): see
   * `executor/flash-loan.ts`. They travel as the ABI's last parameter, of type bytes, which `args` leaves out.
   *
   * Output references in them count on from the steps before this one: of a call at index k, its first callback step
   * is k, its second k + 1, and anything below k is the outer step of that index. A callback step is known inside
   * the callback alone; outside, k is this call and k + 1 the step after it. Balances are those of that moment.
   * Accounts (delegate, wallet) take no such step.
   */
  readonly callback?: readonly ExecutorStep[]
}

/** Sends tokens (or native) from the Executor. */
export interface TransferStep {
  readonly kind: 'transfer'
  readonly token: Address
  readonly to: Address
  readonly amount: Amount
}

/** Sets an allowance of the Executor; survives tokens that refuse a change from non-zero and that return nothing. */
export interface ApproveStep {
  readonly kind: 'approve'
  readonly token: Address
  readonly spender: Address
  readonly amount: Amount
}

export type ExecutorStep = CallStep | TransferStep | ApproveStep

/** What is pulled from the sender; the fee is a part of the amount, in raw units, taken before any step runs. */
export interface OrderInput extends TokenAmount {
  /** Absent: none. */
  readonly fee?: bigint
}

/** All that the Router needs for one transaction. Structured-clonable. */
export interface Order {
  /** Native: msg.value; at most one native input. */
  readonly inputs: readonly OrderInput[]
  readonly feeReceiver: Address
  readonly steps: readonly ExecutorStep[]
  /**
   * Enforced on chain by the receiver's balance difference, net of transfer taxes; no more counts than the runner paid,
   * unless `outputsPaidBySteps`.
   */
  readonly outputs: readonly { readonly token: Address; readonly minAmountOut: bigint }[]
  readonly receiver: Address
  /**
   * True when steps pay every output to the receiver and none ever lies in the Executor: the receiver's balance alone
   * counts, whoever paid. Only for pools that run no code of strangers, and a receiver without code.
   */
  readonly outputsPaidBySteps?: boolean
  /** Receives what is left of `sweep` in the Executor after the outputs are paid. */
  readonly refundReceiver: Address
  /** Tokens that may be left over: inputs and intermediates. Outputs are always paid out. */
  readonly sweep: readonly Address[]
  /** Unix seconds after which the transaction reverts. */
  readonly deadline: bigint
  /** bytes32 and bytes16 of the on-chain event. */
  readonly accountId: `0x${string}`
  readonly referralCode: `0x${string}`
  /** 16 bytes: of the sender's orders with this tag only one can be carried out, ever. Absent: no such bound. */
  readonly once?: `0x${string}`
}

/** A swap that `Router.swap()` can make without steps; what only V4 pools share with each other is native ether. */
export type SwapHop =
  | {
      readonly family: 'v2'
      readonly pair: Address
      /** 1/10_000 of the input. */
      readonly feeBps: number
      readonly zeroForOne: boolean
    }
  | { readonly family: 'v3'; readonly pool: Address; readonly zeroForOne: boolean }
  /** A pool without hooks. */
  | {
      readonly family: 'v4'
      readonly manager: Address
      /** 1/1_000_000 of the input. */
      readonly fee: number
      readonly tickSpacing: number
    }

/** Hops one after the other, each with the whole output of the one before. */
export interface SwapLeg {
  /** Basis points of what earlier legs have left of the input, rounded down; null for the last leg, which takes all. */
  readonly share: number | null
  readonly hops: readonly (SwapHop & { readonly tokenIn: Address; readonly tokenOut: Address })[]
}

/** The legs of an order of one input and one output. */
export interface SwapLegs {
  /** True: the native input is wrapped first, and the legs begin with the wrapped token. */
  readonly wraps: boolean
  /** True: the legs end in the wrapped token, and the receiver gets native. */
  readonly unwraps: boolean
  readonly legs: readonly SwapLeg[]
}

export const routingStrategies = [
  'router',
  'delegate',
  'router-legacy',
  'delegate-legacy',
  'wallet-v2',
] as const
/** On the wire `wallet-v2` is prefixed with the service name (svcwallet-v2). */
export type RoutingStrategy = (typeof routingStrategies)[number]

/** An unsigned transaction. */
export interface UnsignedTransaction {
  readonly from: Address
  readonly to: Address
  readonly data: `0x${string}`
  readonly value: bigint
}
