import type { AbiFunction } from 'viem'
import type { Reference } from '../../../domain/bundle.js'
import type { Amount, CallStep } from '../../../domain/order.js'
import { type Address, nativeToken } from '../../../domain/primitives.js'
import type { ActionOutput } from '../../../protocols/positions.js'
import { balanceChanges } from '../../../protocols/shared/balance-changes.js'
import { addCall } from '../../../protocols/shared/value-steps.js'
import { pairsOf } from '../action-parts.js'
import type { BundleContext } from '../bundle-context.js'
import { toCallArguments } from '../call-arguments.js'
import { defineServiceAction, optional, type Refuse, required } from '../service-action.js'
import { BadArgument } from '../values.js'

/** A word of the return data that nothing refers to; a step can keep only one word. */
const unreferred: ActionOutput = { token: null, amount: 0n }
const mostWords = 16
const ownCall = 'A call of your own without tokenOut: what it yields is not known.'
const pairNames = ['tokenIn', 'amountIn'] as const

/** Its outputs: the increase of each tokenOut, else the one word of the return data that is referred to. */
export const call = defineServiceAction({
  name: 'call',
  description: 'Any function of any contract.',
  inputs: {
    address: required('address', 'Contract to call.'),
    method: required('text', 'Name of the function.'),
    abi: required('signature', 'Its signature, e.g. "function deposit(uint256 amount)".'),
    args: required('values', 'Its arguments in order; any number may be a reference.'),
    value: optional('amount', 'Wei to send along.'),
    tokenIn: optional('addresses', 'Tokens that the call takes.'),
    amountIn: optional('amounts', 'Raw units of each; absent: what was approved to the contract.'),
    tokenOut: optional('addresses', 'Tokens that it yields: its outputs, by balance.'),
  },
  isPriced: false,
  takes: [
    ['tokenIn', 'amountIn'],
    [null, 'value'],
  ],
  takesNumbers: true,
  outputs: ({ tokenOut }) => tokenOut?.length ?? null,
  check({ abi, method, args, tokenIn = [], amountIn, tokenOut }, { refuse, isReferenced }) {
    if (abi.name !== method) refuse('abi', `the signature of method ${method}`)
    if (amountIn) pairsOf(tokenIn, amountIn, refuse, pairNames)
    convert(abi, args, () => 0n, refuse)
    if (!tokenOut) wordReferred(isReferenced, refuse)
  },
  perform({ address: target, abi, args: given, value, tokenIn = [], amountIn, tokenOut }, context) {
    const { builder, index, add, refuse } = context
    const spends = amountIn
      ? pairsOf(tokenIn, amountIn, refuse, pairNames)
      : tokenIn.map((token) => {
          const approval = approvalOf(builder, target, token)
          if (approval) return { token, amount: approval.amount }
          const expected = `given: no amount of ${token} is approved to ${target} before, or another call has taken it`
          return refuse('amountIn', expected)
        })
    if (value !== undefined) spends.push({ token: nativeToken, amount: value })
    const args = convert(
      abi,
      given,
      (reference) => builder.draft.resolve(reference, index, 'args').amount,
      refuse,
    )
    const sent = value !== undefined && { value }
    const step: CallStep = { kind: 'call', target, abi, args, ...sent }
    const primary = target
    if (tokenOut) {
      return { spends, outputs: balanceChanges(context, step, tokenOut), primary }
    }
    const word = wordReferred((output) => builder.isReferenced(index, output), refuse)
    if (word === null) {
      add(step)
      return { spends, outputs: [], primary, unprotected: ownCall }
    }
    const outputs = Array.from({ length: word }, () => unreferred)
    outputs.push({ token: null, amount: addCall(context, step, word) })
    return { spends, outputs, primary, unprotected: ownCall }
  },
})

/** What was approved is taken once. */
function approvalOf({ approved, draft }: BundleContext, spender: Address, token: Address) {
  const key = `${spender}:${token}`
  const approval = approved.get(key)
  approved.delete(key)
  if (approval?.claim) draft.addClaim(approval.claim)
  return approval
}

function convert(
  { inputs }: AbiFunction,
  values: readonly unknown[],
  resolve: (reference: Reference) => Amount,
  refuse: Refuse,
): unknown[] {
  try {
    return toCallArguments(inputs, values, resolve)
  } catch (error) {
    if (error instanceof BadArgument) return refuse('args', error.message)
    throw error
  }
}

function wordReferred(isReferenced: (index: number) => boolean, refuse: Refuse): number | null {
  const words = Array.from({ length: mostWords }, (_word, index) => index).filter(isReferenced)
  if (words.length <= 1) return words[0] ?? null
  return refuse('tokenOut', 'given: only one word of what a call returns can be referred to')
}
