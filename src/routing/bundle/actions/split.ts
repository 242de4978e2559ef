import { type Amount, isAmountRef } from '../../../domain/order.js'
import { type Address, bpsDenominator, defaultCentiBps } from '../../../domain/primitives.js'
import type { ActionOutput } from '../../../protocols/positions.js'
import { keepMinimum, receiver, slippage } from '../action-parts.js'
import type { PlannedStep } from '../planned-steps.js'
import { planRouteAction } from '../route-action.js'
import { defineServiceAction, required } from '../service-action.js'

/** Equal parts, one per token; the last also gets the rounding remainder. */
export const split = defineServiceAction({
  name: 'split',
  description: 'One token into several, equal parts of it each.',
  inputs: {
    tokenIn: required('address', 'Token to give.'),
    tokenOut: required('addresses', 'Tokens to get: the outputs, in this order.'),
    amountIn: required('amount', 'Raw units of tokenIn, or a reference.'),
    slippage,
    receiver,
  },
  isPriced: true,
  paysReceiver: true,
  takes: [['tokenIn', 'amountIn']],
  outputs: ({ tokenOut }) => tokenOut.length,
  async perform({ tokenIn, tokenOut, amountIn, slippage: centiBps = defaultCentiBps }, context) {
    const { builder, index: action } = context
    const outputs: ActionOutput[] = []
    const route: PlannedStep[] = []
    const warnings: string[] = []
    const leftovers = new Set<Address>()
    const stated = isAmountRef(amountIn) ? builder.draft.stated(tokenIn) : undefined
    const parts = partsOf(stated ?? amountIn, tokenOut)
    const last = parts.at(-1)
    const takes = parts.map(({ amount }) => amount)
    // Less of a taxed token arrives, so the last part is whatever balance is left.
    if (last && stated !== undefined && !tokenOut.includes(tokenIn)) last.amount = amountIn
    const search = (await builder.searchAmount(amountIn, action)) / BigInt(tokenOut.length)
    for (const [place, { token, amount }] of parts.entries()) {
      if (token === tokenIn) {
        outputs.push({ token, amount })
        continue
      }
      const args = {
        action,
        tokenIn,
        tokenOut: token,
        amountIn: amount,
        search,
        takes: takes[place],
        besides: tokenOut.slice(0, place),
      }
      const routed = await planRouteAction(builder, args)
      keepMinimum(context, place, { amount: routed.output, centiBps, quoted: routed.quoted })
      outputs.push({ token, amount: routed.output })
      route.push(...routed.route)
      warnings.push(...routed.warnings)
      for (const left of routed.leftovers) leftovers.add(left)
    }
    const spends = [{ token: tokenIn, amount: amountIn }]
    return { spends, outputs, route, warnings, leftovers: [...leftovers], centiBps }
  },
})

function partsOf(total: Amount, tokens: readonly Address[]): { token: Address; amount: Amount }[] {
  const count = tokens.length
  if (!isAmountRef(total)) {
    const part = total / BigInt(count)
    const rest = total - part * BigInt(count - 1)
    return tokens.map((token, index) => ({ token, amount: index === count - 1 ? rest : part }))
  }
  const whole = total.bps ?? Number(bpsDenominator)
  const part = Math.floor(whole / count)
  const rest = whole - part * (count - 1)
  return tokens.map((token, index) => ({
    token,
    amount: { ...total, bps: index === count - 1 ? rest : part },
  }))
}
