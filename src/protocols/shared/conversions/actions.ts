/** Deposits into and redemptions from the tokens that a converter issues. */
import type { Amount } from '../../../domain/order.js'
import { type Address, isNative } from '../../../domain/primitives.js'
import {
  type ActionContext,
  type ActionDefinition,
  type ActionResult,
  defineAction,
} from '../../positions.js'
import { addressArgument, amountArgument, expectAddress, optionalAddress } from '../arguments.js'
import { addSendingOn } from '../paid-output.js'
import type { Converter, Edge } from './conversion.js'

interface Asked {
  readonly primaryAddress?: Address
  readonly tokenIn?: Address
  readonly tokenOut?: Address
  readonly amountIn: Amount
  readonly receiver?: Address
}

const inputs = {
  primaryAddress: optionalAddress('The token that the protocol issues.'),
  amountIn: amountArgument('Raw units of tokenIn.'),
}
/** Optional, since tokenIn alone often leaves one conversion. */
const tokenOut = optionalAddress('What comes out, where tokenIn leaves a choice.')

export function converterActions<State, Kind extends string>(
  converter: Converter<State, Kind>,
): readonly ActionDefinition[] {
  const { conversions } = converter
  const functionNames = [
    ...new Set(Object.values<{ functionName: string }>(conversions).map((one) => one.functionName)),
  ]

  async function convert(edge: Edge<Kind>, asked: Asked, context: ActionContext) {
    expectAddress(context, 'primaryAddress', asked.primaryAddress, edge.issued)
    const read = await converter.load(context.reader, context.venue)
    if ('message' in read) {
      return context.refuse('tokenIn', `a token that can be converted: ${read.message}`)
    }
    const { tokenIn, tokenOut: token, issued } = edge
    const { abi, args, needsApproval, ...conversion } = conversions[edge.kind]
    const target = conversion.target(read.state, edge)
    const amount = asked.amountIn
    if (needsApproval) context.add({ kind: 'approve', token: tokenIn, spender: target, amount })
    const call = { target, abi, args: args(amount, context.runner) }
    const value = isNative(tokenIn) ? { value: amount } : {}
    return {
      spends: [{ token: tokenIn, amount }],
      outputs: [addSendingOn(context, { ...call, ...value }, token, asked.receiver)],
      ...(token === issued ? { positionsOut: [issued] } : { positionsIn: [issued] }),
    } satisfies ActionResult
  }

  /** The one way of an action that the tokens leave. */
  function wayOf(asked: Asked, context: ActionContext, isDeposit: boolean): Edge<Kind> {
    const all = converter
      .edges(context.venue)
      .filter((edge) => (edge.tokenOut === edge.issued) === isDeposit)
    const taken = all.filter((edge) => (asked.tokenIn ?? edge.tokenIn) === edge.tokenIn)
    const given = taken.filter((edge) => (asked.tokenOut ?? edge.tokenOut) === edge.tokenOut)
    const [way] = given
    if (way && given.length === 1) return way
    if (given.length > 1) return context.refuse('tokenIn', oneOf(all.map((edge) => edge.tokenIn)))
    const [argument, tokens] =
      taken.length === 0
        ? ['tokenIn', all.map((edge) => edge.tokenIn)]
        : ['tokenOut', taken.map((edge) => edge.tokenOut)]
    return context.refuse(argument, oneOf(tokens))
  }

  const deposit = defineAction({
    action: 'deposit',
    name: 'Deposit',
    functionNames,
    inputs: { ...inputs, tokenIn: addressArgument('The token that goes in, or native.'), tokenOut },
    build: (args, context) => convert(wayOf(args, context, true), args, context),
  })
  const redeem = defineAction({
    action: 'redeem',
    name: 'Redeem',
    functionNames,
    inputs: {
      ...inputs,
      tokenIn: optionalAddress('The token that the protocol has issued.'),
      tokenOut,
    },
    build: (args, context) => convert(wayOf(args, context, false), args, context),
  })
  return [deposit, redeem].filter(({ action }) => converter.actions.some((one) => one === action))
}

function oneOf(tokens: readonly Address[]): string {
  return `one of ${[...new Set(tokens)].join(', ')}`
}
