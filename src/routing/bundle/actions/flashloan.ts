import type { ChainDefinition } from '../../../chains/chain.js'
import { type Address, toAddress } from '../../../domain/primitives.js'
import { flashLoan } from '../../../executor/flash-loan.js'
import { pairsOf, receiver } from '../action-parts.js'
import { fromCallback } from '../problems.js'
import {
  defineServiceAction,
  optional,
  type Refuse,
  required,
  type ServiceAction,
} from '../service-action.js'

/** Balancer's vault charges no fee, but its governance may set one. One percent. */
const highestLoanFeeE18 = 10n ** 16n
const pairNames = ['token', 'amount'] as const

/** Borrows from the Balancer vault; its outputs are what is left after the repayment. */
const flashloan = defineServiceAction({
  name: 'flashloan',
  description: 'Borrows tokens for the actions of its callback, which must leave enough to repay.',
  inputs: {
    token: optional('addresses', 'Tokens to borrow.'),
    amount: optional('amounts', 'Raw units of each.'),
    flashloanToken: optional('addresses', 'The same as token.'),
    flashloanAmount: optional('amounts', 'The same as amount.'),
    callback: required('actions', 'Actions to run with them; references count from its first.'),
    tokenOut: optional('addresses', 'What is left, in the order of the outputs; others follow.'),
    primaryAddress: optional('address', 'The lender: the Balancer vault.'),
    receiver,
  },
  isPriced: false,
  paysReceiver: true,
  slugs: ['balancer-v2'],
  check(args, { chain, isRunByAccount, refuse }) {
    const lender = lenderOn(chain, refuse)
    if (args.primaryAddress !== undefined && args.primaryAddress !== lender) {
      refuse('primaryAddress', `the lender, ${lender}`)
    }
    if (isRunByAccount) {
      refuse('action', 'used with routingStrategy router: accounts answer no callback')
    }
    loansOf(args, refuse)
  },
  async perform({ callback, tokenOut = [], ...args }, { builder, index, add, refuse }) {
    const loans = loansOf(args, refuse)
    const step = builder.draft.steps.length
    const loan = flashLoan({
      index: step,
      lender: lenderOn(builder.task.chain, refuse),
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
    await inner.build().catch((error: unknown) => {
      throw fromCallback(error, index)
    })
    add(loan.step(inner.draft.steps))
    builder.draft.absorb(inner.draft, index)
    builder.draft.callbacks.set(step, {
      actions: inner.own,
      firstStep: loans.length,
      actionOfStep: inner.draft.actionOfStep,
    })
    const token = loans.map((one) => one.token)
    const left = new Set([
      ...tokenOut,
      ...token,
      ...inner.draft.remaining().map((one) => one.token),
    ])
    return {
      spends: [],
      includesOthers: true,
      outputs: [...left].map((one) => ({ token: one, amount: { ref: 'balance', token: one } })),
      // What is referred to within the callback is not known outside of it.
      route: inner.draft.actions.flatMap(({ route }) => route.map(({ record }) => ({ record }))),
      prerequisites: inner.draft.actions.flatMap(({ prerequisites }) => prerequisites),
      fees: inner.draft.actions.flatMap(({ fees }) => fees),
      warnings: inner.draft.actions.flatMap(({ warnings }) => warnings),
    }
  },
})

/** Also by the names that say how many tokens are borrowed. */
export const flashloans: readonly ServiceAction[] = [
  flashloan,
  { ...flashloan, name: 'singletokenflashloan' },
  { ...flashloan, name: 'multitokenflashloan' },
]

/** Each token with its amount, by either of the names of the two arguments. */
function loansOf<A>(
  args: {
    readonly token?: readonly Address[]
    readonly amount?: readonly A[]
    readonly flashloanToken?: readonly Address[]
    readonly flashloanAmount?: readonly A[]
  },
  refuse: Refuse,
): { readonly token: Address; readonly amount: A }[] {
  const tokens = args.token ?? args.flashloanToken ?? refuse('token', 'given')
  const amounts = args.amount ?? args.flashloanAmount ?? refuse('amount', 'given')
  return pairsOf(tokens, amounts, refuse, pairNames)
}

function lenderOn(chain: ChainDefinition, refuse: Refuse): Address {
  const vault = chain.venues['balancer-v2']?.vault
  if (typeof vault === 'string') return toAddress(vault)
  return refuse('action', 'another: no lender is known here')
}
