import { type Amount, isAmountRef } from '../../../domain/order.js'
import { type Address, defaultCentiBps } from '../../../domain/primitives.js'
import { sum } from '../../../protocols/shared/value-steps.js'
import { keepMinimum, pairsOf, receiver, slippage } from '../action-parts.js'
import type { PlannedStep } from '../planned-steps.js'
import { planRouteAction } from '../route-action.js'
import { defineServiceAction, required } from '../service-action.js'

const pairNames = ['tokenIn', 'amountIn'] as const

export const merge = defineServiceAction({
  name: 'merge',
  description: 'Several tokens into one.',
  inputs: {
    tokenIn: required('addresses', 'Tokens to give.'),
    tokenOut: required('address', 'Token to get.'),
    amountIn: required('amounts', 'Raw units of each.'),
    slippage,
    receiver,
  },
  isPriced: true,
  paysReceiver: true,
  takes: [['tokenIn', 'amountIn']],
  outputs: () => 1,
  check({ tokenIn, amountIn }, { refuse }) {
    pairsOf(tokenIn, amountIn, refuse, pairNames)
  },
  async perform({ tokenIn, amountIn, tokenOut, slippage: centiBps = defaultCentiBps }, context) {
    const { builder, index: action, refuse } = context
    const spends = pairsOf(tokenIn, amountIn, refuse, pairNames)
    const amounts: Amount[] = []
    const route: PlannedStep[] = []
    const warnings: string[] = []
    const leftovers = new Set<Address>()
    let quoted = 0n
    for (const { token, amount } of spends) {
      if (token !== tokenOut) continue
      // Before the others add to the balance.
      const isWhole = isAmountRef(amount) && amount.ref === 'balance'
      amounts.push(isWhole ? sum(context, [amount]) : amount)
      quoted += await builder.searchAmount(amount, action)
    }
    for (const [place, { token, amount }] of spends.entries()) {
      if (token === tokenOut) continue
      const besides = tokenIn.slice(place + 1)
      const args = { action, tokenIn: token, tokenOut, amountIn: amount, besides }
      const routed = await planRouteAction(builder, args)
      amounts.push(routed.output)
      quoted += routed.quoted
      route.push(...routed.route)
      warnings.push(...routed.warnings)
      for (const left of routed.leftovers) leftovers.add(left)
    }
    const amount = sum(context, amounts)
    keepMinimum(context, 0, { amount, centiBps, quoted })
    return {
      spends,
      outputs: [{ token: tokenOut, amount }],
      route,
      warnings,
      leftovers: [...leftovers],
      centiBps,
    }
  },
})
