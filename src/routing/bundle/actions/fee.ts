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
  isPriced: false,
  takes: [['token', 'amount']],
  takesNumbers: true,
  outputs: () => 1,
  check({ bps }, { refuse }) {
    if (bps < 1 || bps > whole) refuse('bps', `a number from 1 to ${whole}`)
  },
  async perform({ token, amount, bps, receiver: to }, context) {
    const spends = [{ token, amount }]
    if (!isAmountRef(amount)) {
      const part = (amount * BigInt(bps)) / bpsDenominator
      context.add({ kind: 'transfer', token, to, amount: part })
      const fees = [{ token, amount: part }]
      return { spends, outputs: [{ token, amount: amount - part }], fees }
    }
    const { builder, index } = context
    const isSimulated = !builder.args.request.skipQuote
    const known = isSimulated ? await builder.valueOf(amount, index) : null
    const all = sum(context, [amount])
    context.add({ kind: 'transfer', token, to, amount: { ...all, bps } })
    return {
      spends,
      outputs: [{ token, amount: { ...all, bps: whole - bps } }],
      ...(known !== null && { fees: [{ token, amount: (known * BigInt(bps)) / bpsDenominator }] }),
    }
  },
})

/** The same for who pays the gas of an account's transaction. */
export const paymasterfee = {
  ...fee,
  name: 'paymasterfee',
  description: 'Sends a part of an amount to a paymaster; the output is the rest.',
}
