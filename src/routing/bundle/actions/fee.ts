import { isAmountRef } from '../../../domain/order.js'
import { bpsDenominator } from '../../../domain/primitives.js'
import { sum } from '../../../protocols/shared/value-steps.js'
import { defineServiceAction, required } from '../service-action.js'

const whole = Number(bpsDenominator)

export const fee = defineServiceAction({
  name: 'fee',
  description: 'Sends a part of an amount; the output is the rest.',
  inputs: {
    token: required('address', 'Token, or the native token.'),
    amount: required('amount', 'Raw units that the fee is a part of.'),
    bps: required('integer', 'Basis points, 1 to 10000.'),
    receiver: required('address', 'Who gets the fee.'),
  },
  isListed: false,
  isPriced: false,
  outputs: () => 1,
  check({ bps }, { refuse }) {
    if (bps < 1 || bps > whole) refuse('bps', `a number from 1 to ${whole}`)
  },
  perform({ token, amount, bps, receiver: to }, context) {
    const spends = [{ token, amount }]
    if (!isAmountRef(amount)) {
      const part = (amount * BigInt(bps)) / bpsDenominator
      context.add({ kind: 'transfer', token, to, amount: part })
      return { spends, outputs: [{ token, amount: amount - part }] }
    }
    const all = sum(context, [amount])
    context.add({ kind: 'transfer', token, to, amount: { ...all, bps } })
    return { spends, outputs: [{ token, amount: { ...all, bps: whole - bps } }] }
  },
})
