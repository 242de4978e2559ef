/** Steps on amounts that are known only on chain, through our helper contract `Values`. For actions of any protocol. */
import { type AbiFunction, parseAbi } from 'viem'
import type { Amount, AmountRef } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'

const [balanceOfAbi, differenceAbi, lesserAbi, proportionAbi, requireAtLeastAbi, sumAbi] = parseAbi(
  [
    'function balanceOf(address owner) view returns (uint256)',
    'function difference(uint256 a, uint256 b) pure returns (uint256)',
    'function lesser(uint256 a, uint256 b) pure returns (uint256)',
    'function proportion(uint256 a, uint256 b, uint256 c) pure returns (uint256)',
    'function requireAtLeast(uint256 amount, uint256 minimum) pure returns (uint256)',
    'function sum(uint256[] amounts) pure returns (uint256 total)',
  ],
)

export type Steps = Pick<ActionContext, 'add' | 'helper'>

/** A call whose result is a word of its return data: the first unless another index is given. */
export function addCall(
  context: Pick<ActionContext, 'add'>,
  call: {
    readonly target: Address
    readonly abi: AbiFunction
    readonly args: readonly unknown[]
    readonly value?: Amount
  },
  word = 0,
): AmountRef {
  const step = context.add({ kind: 'call', ...call, output: { kind: 'word', index: word } })
  return { ref: 'output', step }
}

function valuesCall(context: Steps, abi: AbiFunction, args: readonly unknown[]): AmountRef {
  return addCall(context, { target: context.helper('Values'), abi, args })
}

/** The whole balance of a token other than native, the runner's unless another owner is given. */
export function balanceOf(
  context: Pick<ActionContext, 'add' | 'runner'>,
  token: Address,
  owner: Address = context.runner,
): AmountRef {
  return addCall(context, { target: token, abi: balanceOfAbi, args: [owner] })
}

/** a - b; the transaction fails where that is negative. */
export function difference(context: Steps, a: Amount, b: Amount): AmountRef {
  return valuesCall(context, differenceAbi, [a, b])
}

/** The lesser of two amounts: what is offered, or what is owed. */
export function lesser(context: Steps, a: Amount, b: Amount): AmountRef {
  return valuesCall(context, lesserAbi, [a, b])
}

/** a * b / c, rounded down. */
export function proportion(context: Steps, a: Amount, b: Amount, c: Amount): AmountRef {
  return valuesCall(context, proportionAbi, [a, b, c])
}

export function sum(context: Steps, amounts: readonly Amount[]): AmountRef {
  return valuesCall(context, sumAbi, [amounts])
}

/** Fails the transaction with `BelowMinimum(amount, minimum)` where the amount is below. */
export function requireAtLeast(context: Steps, amount: Amount, minimum: Amount): void {
  valuesCall(context, requireAtLeastAbi, [amount, minimum])
}

/**
 * For contracts that return an error code instead of reverting: a non-zero code fails the transaction with
 * `BelowMinimum(0, code)`.
 */
export function requireZero(context: Steps, code: AmountRef): void {
  requireAtLeast(context, 0n, code)
}

/** Runs `add` and returns the increase of the runner's spendable balance of a token, native included. */
export function gainOf(context: Steps, token: Address, add: () => void): AmountRef {
  const balance = { ref: 'balance', token } as const
  const before = sum(context, [balance])
  add()
  return difference(context, balance, before)
}
