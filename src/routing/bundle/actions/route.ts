import { defined } from '../../../domain/defined.js'
import { type Amount, isAmountRef } from '../../../domain/order.js'
import { type Address, bpsDenominator, centiBpsDenominator } from '../../../domain/primitives.js'
import { difference, proportion } from '../../../protocols/shared/value-steps.js'
import { checkSwap, performSwap, swapInputs } from '../action-parts.js'
import { defineServiceAction, optional, type PerformContext } from '../service-action.js'
import { minimumStep } from '../tools.js'

const highestFeeBps = 100

export const route = defineServiceAction({
  name: 'route',
  description: 'The best way from one token or position to another.',
  inputs: {
    ...swapInputs,
    amount: optional('amount', 'As in opportunities: amountIn once more; it is not looked at.'),
    minAmountOut: optional(
      'amounts',
      'Raw units of tokenOut that must come out at least, in place of slippage.',
    ),
    fee: optional('integers', `Basis points of amountIn for feeReceiver, 0 to ${highestFeeBps}.`),
    feeReceiver: optional('address', 'Who gets the fee; needed with one.'),
    refundReceiver: optional(
      'address',
      'Who gets what is left over; one for the whole bundle, as its own refundReceiver.',
    ),
    ignoreAggregators: optional('texts', 'Swap protocols to leave out, as in the query.'),
    ignoreStandards: optional('texts', 'Protocols to leave out by slug, as in the query.'),
    ignoreBridges: optional(
      'texts',
      'Bridges to leave out; a route within one chain crosses none.',
    ),
    destinationChainId: optional(
      'integer',
      'Chain on which tokenOut is wanted: the route leads over the best bridge, once in a bundle, and no action refers to its output.',
    ),
  },
  isPriced: true,
  paysReceiver: true,
  takes: [['tokenIn', 'amountIn']],
  outputs: () => 1,
  check(args, context) {
    const { destinationChainId = context.chain.id } = args
    // An address may be another token on another chain.
    if (destinationChainId === context.chain.id) checkSwap(args, context)
    const { minAmountOut, slippage, fee = [], feeReceiver } = args
    const { refuse } = context
    if (minAmountOut && minAmountOut.length !== 1) refuse('minAmountOut', 'one amount')
    if (minAmountOut && slippage !== undefined) {
      refuse('minAmountOut', 'left out with slippage: either of them sets the minimum')
    }
    if (fee.length > 1) refuse('fee', 'one number, as there is one tokenIn')
    if (fee.some((bps) => bps < 0 || bps > highestFeeBps)) {
      refuse('fee', `basis points from 0 to ${highestFeeBps}`)
    }
    if (fee.some((bps) => bps > 0) && !feeReceiver) refuse('feeReceiver', 'given with a fee')
  },
  async perform(args, context) {
    const { tokenIn, tokenOut, amountIn: given, slippage, refundReceiver } = args
    const { builder, add, refuse } = context
    const { id } = builder.task.chain
    if ((args.destinationChainId ?? id) !== id) {
      return refuse('destinationChainId', `${id}: within a callback no action leads elsewhere`)
    }
    if (refundReceiver && refundReceiver !== builder.refundReceiver) {
      const expected = `${builder.refundReceiver}: what is left over of a bundle goes to one address`
      return refuse('refundReceiver', expected)
    }
    const lower = (names: readonly string[] = []) => names.map((name) => name.toLowerCase())
    const ignored = {
      aggregators: lower(args.ignoreAggregators),
      standards: lower(args.ignoreStandards),
    }
    const { amountIn, ...charged } = await chargeFee({ ...args, tokenIn, amountIn: given }, context)
    const [minimum] = args.minAmountOut ?? []
    const { search } = charged
    // A stated minimum is the only one.
    const tolerance = minimum === undefined ? slippage : centiBpsDenominator
    const swapped = await performSwap(
      { tokenIn, tokenOut, amountIn, ...defined({ slippage: tolerance }) },
      context,
      { ignored, ...defined({ search }) },
    )
    const [output] = swapped.outputs
    if (minimum !== undefined && output) {
      const step = add(minimumStep(output.amount, minimum))
      builder.draft.markChecked(output.amount, step, true)
    }
    return {
      ...swapped,
      spends: [{ token: tokenIn, amount: given }],
      ...(charged.fee && { fees: [charged.fee] }),
      ...(typeof minimum === 'bigint' && { least: minimum }),
    }
  },
})

/** Sends the fee before anything is routed. @returns the rest. */
async function chargeFee(
  args: {
    readonly tokenIn: Address
    readonly amountIn: Amount
    readonly fee?: readonly number[]
    readonly feeReceiver?: Address
  },
  context: PerformContext,
) {
  const { tokenIn: token, amountIn, fee: [bps = 0] = [], feeReceiver: to } = args
  const { builder, index, add } = context
  if (bps === 0 || !to) return { amountIn }
  const share = (amount: bigint) => (amount * BigInt(bps)) / bpsDenominator
  const all = await builder.searchAmount(amountIn, index)
  const fee = { token, amount: share(all) }
  const search = all - fee.amount
  const isRef = isAmountRef(amountIn)
  if (!isRef || (amountIn.ref === 'balance' && amountIn.bps === undefined)) {
    add({ kind: 'transfer', token, to, amount: fee.amount })
    return { fee, search, amountIn: isRef ? amountIn : search }
  }
  const part = proportion(context, amountIn, BigInt(bps), bpsDenominator)
  add({ kind: 'transfer', token, to, amount: part })
  return { fee, search, amountIn: difference(context, amountIn, part) }
}
