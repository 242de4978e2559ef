/**
 * Encodes the call data of steps and checks their references, so that they are ready to be packed. Pure.
 */
import { size } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import type { Amount, CallStep, ExecutorStep } from '../domain/order.js'
import { isAmountRef } from '../domain/order.js'
import type { Address } from '../domain/primitives.js'
import { bpsDenominator, isNative, maxUint256 } from '../domain/primitives.js'
import { encodeCall, invalidStep } from './call-data.js'
import { packProgram } from './pack-program.js'
import type { PreparedStep } from './prepared-step.js'

/**
 * @param before - for a callback: the outer steps before its call.
 * @throws ForkrouteError INVALID_REQUEST naming the step: arguments that do not fit the ABI, a reference to
 *   a step that does not come earlier or has no output, bps outside 0 to 10,000, an amount outside uint256,
 *   a malformed address, a callback that is both paid and given steps.
 */
export function prepareSteps(
  steps: readonly ExecutorStep[],
  before: readonly ExecutorStep[] = [],
): PreparedStep[] {
  const known = before.length > 0 ? [...before, ...steps] : steps
  return steps.map((step, place) => {
    const index = before.length + place
    const check = (amount: Amount) => checkAmount(known, amount, index)
    if (step.kind !== 'call') {
      checkAddress(step.token, index)
      checkAddress(step.kind === 'transfer' ? step.to : step.spender, index)
      check(step.amount)
      if (step.kind === 'approve' && isNative(step.token)) {
        throw invalidStep(index, 'the native token knows no allowance.')
      }
      return step
    }
    const { abi, args, callback, ...rest } = step
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
    const call = callback
      ? encodeWithCallback(step, prepareCallback(callback, known.slice(0, index)), index)
      : encodeCall(abi, args, index)
    for (const { ref } of call.patches) check(ref)
    return { ...rest, ...call }
  })
}

function prepareCallback(
  callback: readonly ExecutorStep[],
  before: readonly ExecutorStep[],
): PreparedStep[] {
  try {
    return prepareSteps(callback, before)
  } catch (error) {
    if (!(error instanceof ForkrouteError)) throw error
    throw invalidStep(before.length, `in its callback: ${error.message}`, error)
  }
}

/** The call with the packed steps as its last argument. */
function encodeWithCallback(step: CallStep, callback: readonly PreparedStep[], index: number) {
  const { abi, args, payToken } = step
  if (payToken) throw invalidStep(index, 'a callback is either paid or given steps.')
  if (abi.inputs.at(-1)?.type !== 'bytes') {
    throw invalidStep(
      index,
      `the last parameter of ${abi.name} cannot take steps: it is not bytes.`,
    )
  }
  const program = packProgram(callback, index)
  const { data, patches } = encodeCall(abi, [...args, program.data], index)
  const length = size(program.data)
  // The last parameter's bytes end the call data, padded to whole words.
  const offset = size(data) - Math.ceil(length / 32) * 32
  const inside = program.patches.map((patch) => ({ ...patch, offset: offset + patch.offset }))
  return { data, patches: [...patches, ...inside], program: { offset, length } }
}

function checkAmount(steps: readonly ExecutorStep[], amount: Amount, index: number): void {
  if (!isAmountRef(amount)) {
    if (amount < 0n || amount > maxUint256) {
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
