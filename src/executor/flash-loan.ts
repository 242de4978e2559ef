/**
 * A flash loan as a step of a plan: borrows from a Balancer V2 vault through our FlashLoans contract, runs steps
 * in the sender's Executor and repays. Pure.
 */
import type { Abi, AbiFunction } from 'viem'
import type { Amount, AmountRef, CallStep, ExecutorStep } from '../domain/order.js'
import type { Address } from '../domain/primitives.js'
import { invalidStep } from './call-data.js'
import { contractAddress, executorContracts } from './deployments.js'

const loanAbi = functionOf('FlashLoans', 'loan')
const owedAbi = functionOf('FlashLoans', 'owed')
const atLeastAbi = functionOf('Values', 'requireAtLeast')

export interface FlashLoanArgs {
  /** Index of the step in its plan. */
  readonly index: number
  /** The vault of Balancer V2 or of a fork of it. */
  readonly lender: Address
  readonly loans: readonly { readonly token: Address; readonly amount: Amount }[]
  /** The highest fee accepted, as a fraction of each amount (10^18 is 100 %). A higher fee reverts the transaction. */
  readonly maximumFeeE18: bigint
}

export interface FlashLoan {
  /** What has to be repaid, in the order of the loans, fee included; for steps within the callback. */
  readonly owed: readonly { readonly token: Address; readonly amount: AmountRef }[]
  /** Index by which references name the first of the steps given to `step`. */
  readonly firstStep: number
  /**
   * @param steps - run while the Executor holds the loan. After them it must hold what is owed: the repayment follows,
   *   and the transaction reverts with BelowMinimum(held, owed) if it cannot be paid. The rest stays in the Executor
   *   for the steps after the loan.
   */
  step(steps: readonly ExecutorStep[]): CallStep
}

/** @throws ForkrouteError INVALID_REQUEST when a token is borrowed twice. */
export function flashLoan({ index, lender, loans, maximumFeeE18 }: FlashLoanArgs): FlashLoan {
  const target = contractAddress('FlashLoans')
  // The vault requires the tokens in the order of their addresses.
  const sorted = [...loans].sort((a, b) => (a.token < b.token ? -1 : 1))
  const tokens = sorted.map(({ token }) => token)
  if (new Set(tokens).size !== tokens.length) {
    throw invalidStep(index, 'a flash loan borrows a token only once.')
  }
  const reads = loans.map(
    ({ token }): CallStep => ({
      kind: 'call',
      target,
      abi: owedAbi,
      args: [token],
      output: { kind: 'word', index: 0 },
    }),
  )
  const owed = loans.map(({ token }, place) => {
    const amount: AmountRef = { ref: 'output', step: index + place }
    return { token, amount }
  })
  const payments = owed.flatMap(({ token, amount }): ExecutorStep[] => {
    // Checked here because a token's own revert would not say how much is missing.
    const held = { ref: 'balance', token } as const
    return [
      { kind: 'call', target: contractAddress('Values'), abi: atLeastAbi, args: [held, amount] },
      { kind: 'transfer', token, to: target, amount },
    ]
  })
  return {
    owed,
    firstStep: index + loans.length,
    step: (steps) => ({
      kind: 'call',
      target,
      abi: loanAbi,
      args: [lender, tokens, sorted.map(({ amount }) => amount), maximumFeeE18],
      callback: [...reads, ...steps, ...payments],
    }),
  }
}

function functionOf(contract: 'FlashLoans' | 'Values', name: string): AbiFunction {
  const abi: Abi = executorContracts[contract].abi
  return abi.find((item) => item.type === 'function' && item.name === name) as AbiFunction
}
