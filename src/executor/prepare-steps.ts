/**
 * Steps with their call data encoded and their references checked, ready to be packed.
 * Called by `compile.ts` alone. Pure.
 */
import type { Amount, ApproveStep, CallStep, Step, TransferStep } from '../domain/plan.js'
import { isAmountRef } from '../domain/plan.js'
import type { Address, Hex } from '../domain/primitives.js'
import { bpsDenominator, isNative } from '../domain/primitives.js'
import type { Patch } from './call-data.js'
import { encodeCall, invalidStep } from './call-data.js'

export interface PreparedCall extends Omit<CallStep, 'abi' | 'args'> {
  readonly data: Hex
  readonly patches: readonly Patch[]
}

/** References count prepared steps. */
export type PreparedStep = PreparedCall | TransferStep | ApproveStep

const maximumUint256 = 2n ** 256n - 1n

/**
 * @throws ForkrouteError INVALID_REQUEST naming the step: arguments that do not fit the ABI, a reference to
 *   a step that does not come earlier or has no output, bps outside 0 to 10,000, an amount outside uint256,
 *   a malformed address.
 */
export function prepareSteps(steps: readonly Step[]): PreparedStep[] {
  return steps.map((step, index) => {
    const check = (amount: Amount) => checkAmount(steps, amount, index)
    if (step.kind !== 'call') {
      checkAddress(step.token, index)
      checkAddress(step.kind === 'transfer' ? step.to : step.spender, index)
      check(step.amount)
      if (step.kind === 'approve' && isNative(step.token)) {
        throw invalidStep(index, 'the native token knows no allowance.')
      }
      return step
    }
    const { abi, args, ...rest } = step
    checkAddress(step.target, index)
    if (step.value !== undefined) check(step.value)
    if (step.payToken) {
      checkAddress(step.payToken, index)
      if (isNative(step.payToken)) {
        throw invalidStep(index, 'a callback cannot be paid in the native token.')
      }
    }
    if (step.output?.kind === 'balance') checkAddress(step.output.token, index)
    if (step.output?.kind === 'word' && !isIndex(step.output.index, 255)) {
      throw invalidStep(index, `the output word ${step.output.index} is not within 0 to 255.`)
    }
    const call = encodeCall(abi, args, index)
    for (const { ref } of call.patches) check(ref)
    return { ...rest, ...call }
  })
}

function checkAmount(steps: readonly Step[], amount: Amount, index: number): void {
  if (!isAmountRef(amount)) {
    if (amount < 0n || amount > maximumUint256) {
      throw invalidStep(index, `the amount ${amount} is not within uint256.`)
    }
    return
  }
  const { bps = Number(bpsDenominator) } = amount
  if (!isIndex(bps, Number(bpsDenominator))) {
    throw invalidStep(index, `bps ${bps} is not a whole number within 0 to ${bpsDenominator}.`)
  }
  if (amount.ref === 'balance') {
    checkAddress(amount.token, index)
    return
  }
  if (!isIndex(amount.step, index - 1)) {
    throw invalidStep(index, `it refers to step ${amount.step}, which does not come before it.`)
  }
  const referred = steps[amount.step]
  if (referred?.kind !== 'call' || !referred.output) {
    throw invalidStep(index, `it refers to step ${amount.step}, which has no output.`)
  }
}

function checkAddress(value: Address, index: number): void {
  if (!/^0x[0-9a-f]{40}$/.test(value)) {
    throw invalidStep(index, `${value} is not a lower-case address.`)
  }
}

function isIndex(value: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maximum
}
