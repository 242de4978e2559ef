/**
 * Funds an address with a token whose balances no slot holds (rebasing, shares, checkpoints): a known holder
 * sends it the tokens in calls that run before the measured one, inside the same simulated block.
 */
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'
import type { PrecedingCall, SimulationResult } from '../../domain/state.js'
import type { GasBudget } from '../gas-budget.js'
import { type SimulationFork, simulate } from '../simulate.js'
import type { FundingRequest } from './funding.js'

/** Attempts with a raised amount when a transfer delivers too little (rounding, a fee). */
const attempts = 3

/**
 * Calls for `SimulationRequest.before` after which the owner has at least the amount (a few raw units more where
 * the token rounds) and has allowed it; each plan was run before it is returned. Null when no holder can.
 *
 * @param holders - tried in order; none may be on the path of the transaction, whose pools it would change.
 * @throws what `simulate` throws.
 */
export async function fundFromHolder(
  fork: SimulationFork,
  request: FundingRequest & { readonly holders: readonly Address[] },
  options: { readonly signal?: AbortSignal; readonly budget?: GasBudget } = {},
): Promise<readonly PrecedingCall[] | null> {
  const { allowance } = request
  // Some tokens know only all and nothing.
  const ways = allowance
    ? [allowance.amount, maxUint256].map((amount) => ({ ...allowance, amount }))
    : [undefined]
  for (const holder of request.holders) {
    if (holder === request.owner) continue
    for (const way of ways) {
      let sent = request.amount
      for (let attempt = 0; attempt < attempts; attempt++) {
        const before = planOf(request, way, holder, sent)
        const [balance, allowed] = await outcome(fork, request, before, options)
        if (balance === null || allowed === null) break
        if (balance >= request.amount) {
          if (allowed >= (allowance?.amount ?? 0n)) return before
          break
        }
        sent += request.amount - balance + 1n
      }
    }
  }
  return null
}

function planOf(
  { token, owner }: FundingRequest,
  allowance: FundingRequest['allowance'],
  holder: Address,
  sent: bigint,
): PrecedingCall[] {
  const transfer = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [owner, sent],
  })
  const calls: PrecedingCall[] = [{ from: holder, to: token, data: transfer }]
  if (allowance) {
    // Some tokens refuse to change an allowance that is not zero.
    for (const amount of [0n, allowance.amount]) {
      const args = [allowance.spender, amount] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
      calls.push({ from: owner, to: token, data })
    }
  }
  return calls
}

/** Balance and allowance of the owner after the plan; null where the plan or the read fails. */
async function outcome(
  fork: SimulationFork,
  { token, owner, allowance }: FundingRequest,
  before: readonly PrecedingCall[],
  options: Parameters<typeof simulate>[2],
): Promise<readonly [bigint | null, bigint | null]> {
  const read = (data: Hex) => ({ from: owner, to: token, data, value: 0n, before, overrides: {} })
  const requests = [
    read(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })),
  ]
  if (allowance) {
    const args = [owner, allowance.spender] as const
    requests.push(read(encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args })))
  }
  const [balance, allowed] = await simulate(fork, requests, options)
  return [toAmount(balance), allowance ? toAmount(allowed) : 0n]
}

function toAmount(result: SimulationResult | undefined): bigint | null {
  if (result?.status !== 'success' || result.returnData.length !== 66) return null
  return decodeFunctionResult({
    abi: erc20Abi,
    functionName: 'balanceOf',
    data: result.returnData,
  })
}
