/** Ether and what its messaging costs, as one value of one call. Pure. */
import { parseAbi } from 'viem'
import { type Amount, type ExecutorStep, isAmountRef } from '../domain/order.js'
import { nativeToken } from '../domain/primitives.js'
import type { EncodeArgs } from './bridge.js'

const [differenceAbi, sumAbi] = parseAbi([
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
  'function sum(uint256[] amounts) pure returns (uint256 total)',
])

/** Where ether is sent, amount and fee are one value, which is the sum on chain where the amount is. */
export function nativeAmounts({ amountIn, nativeFee, firstStep, helpers }: EncodeArgs): {
  steps: ExecutorStep[]
  amount: Amount
  value: Amount
} {
  if (!isAmountRef(amountIn)) return { steps: [], amount: amountIn, value: amountIn + nativeFee }
  const output = { kind: 'word', index: 0 } as const
  const step = { kind: 'call', target: helpers.Values, output } as const
  const result: Amount = { ref: 'output', step: firstStep }
  const { bps = 10_000 } = amountIn
  if (amountIn.ref === 'balance' && amountIn.token === nativeToken && bps === 10_000) {
    const rest: ExecutorStep = { ...step, abi: differenceAbi, args: [amountIn, nativeFee] }
    return { steps: [rest], amount: result, value: amountIn }
  }
  const whole: ExecutorStep = { ...step, abi: sumAbi, args: [[amountIn, nativeFee]] }
  return { steps: [whole], amount: amountIn, value: result }
}
