import type { ChainDefinition } from '../../../chains/chain.js'
import { type Address, toAddress } from '../../../domain/primitives.js'
import { flashLoan } from '../../../executor/flash-loan.js'
import { pairsOf } from '../action-parts.js'
import { defineServiceAction, type Refuse, required } from '../service-action.js'

/** Balancer's vault charges no fee, but its governance may set one. One percent. */
const highestLoanFeeE18 = 10n ** 16n
const pairNames = ['token', 'amount'] as const

/** Borrows from the Balancer vault; its outputs are what is left after the repayment. */
export const flashloan = defineServiceAction({
  name: 'flashloan',
  description: 'Borrows tokens for the actions of its callback, which must leave enough to repay.',
  inputs: {
    token: required('addresses', 'Tokens to borrow.'),
    amount: required('amounts', 'Raw units of each.'),
    callback: required('actions', 'Actions to run with them; references count from its first.'),
  },
  isListed: false,
  isPriced: false,
  check({ token, amount }, { chain, isRunByAccount, refuse }) {
    lenderOn(chain, refuse)
    if (isRunByAccount) {
      refuse('action', 'used with routingStrategy router: accounts answer no callback')
    }
    pairsOf(token, amount, refuse, pairNames)
  },
  async perform({ token, amount, callback }, { builder, index, add, refuse }) {
    const loans = pairsOf(token, amount, refuse, pairNames)
    const loan = flashLoan({
      index: builder.draft.steps.length,
      lender: lenderOn(builder.run.block.chain, refuse),
      loans,
      maximumFeeE18: highestLoanFeeE18,
    })
    const borrowed = await Promise.all(
      loans.map(async (one) => ({
        token: one.token,
        amount: await builder.valueOf(one.amount, index),
      })),
    )
    const inner = builder.within(index, callback, loan.firstStep, borrowed)
    await inner.build()
    add(loan.step(inner.draft.steps))
    builder.draft.absorb(inner.draft, index)
    const left = new Set([...token, ...inner.draft.remaining().map((one) => one.token)])
    return {
      spends: [],
      outputs: [...left].map((one) => ({ token: one, amount: { ref: 'balance', token: one } })),
      records: inner.draft.actions.flatMap(({ records }) => records),
      prerequisites: inner.draft.actions.flatMap(({ prerequisites }) => prerequisites),
      warnings: inner.draft.actions.flatMap(({ warnings }) => warnings),
    }
  },
})

function lenderOn(chain: ChainDefinition, refuse: Refuse): Address {
  const vault = chain.venues['balancer-v2']?.vault
  if (typeof vault === 'string') return toAddress(vault)
  return refuse('action', 'another: no lender is known here')
}
