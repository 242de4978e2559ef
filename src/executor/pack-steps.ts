/**
 * Packs prepared steps into the bytes that contracts/src/StepRunner.sol runs; the layout is documented there. Pure.
 */
import type { Amount, AmountRef } from '../domain/order.js'
import { isAmountRef } from '../domain/order.js'
import type { Hex } from '../domain/primitives.js'
import { bpsDenominator } from '../domain/primitives.js'
import { invalidStep } from './call-data.js'
import type { PreparedCall, PreparedStep } from './prepared-step.js'

export const kinds = { call: 0x00, transfer: 0x01, approve: 0x02 } as const
export const flags = {
  program: 0x08,
  value: 0x10,
  payToken: 0x20,
  word: 0x40,
  increase: 0x80,
} as const
export const amountKinds = { balance: 0x40, output: 0x41 } as const
const maximumSteps = 255
const maximumDataBytes = 2 ** 24 - 1

/** What is packed in place of a reference. */
export type Resolve = (ref: AmountRef) => Amount

const asItIs: Resolve = (ref) => ref

/** @throws ForkrouteError INVALID_REQUEST when there are over 255 steps, or call data is over 16 MiB. */
export function packSteps(steps: readonly PreparedStep[], resolve = asItIs): Hex {
  if (steps.length > maximumSteps) {
    throw invalidStep(maximumSteps, `an order has at most ${maximumSteps} steps.`)
  }
  let packed = uint(steps.length, 1)
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'call') {
      packed += packCall(step, index, resolve)
    } else {
      const to = step.kind === 'transfer' ? step.to : step.spender
      const amount = packAmount(step.amount, resolve)
      packed += uint(kinds[step.kind], 1) + bytes(step.token) + bytes(to) + amount
    }
  }
  return `0x${packed}`
}

function packCall(step: PreparedCall, index: number, resolve: Resolve): string {
  const { target, value, payToken, output, data, patches, program } = step
  const length = (data.length - 2) / 2
  if (length > maximumDataBytes) throw invalidStep(index, 'its call data is over 16 MiB.')
  let kind: number = kinds.call
  let head = bytes(target)
  if (value !== undefined) {
    kind |= flags.value
    head += packAmount(value, resolve)
  }
  if (payToken) {
    kind |= flags.payToken
    head += bytes(payToken)
  }
  if (output?.kind === 'word') {
    kind |= flags.word
    head += uint(output.index, 1)
  } else if (output) {
    kind |= flags.increase
    head += bytes(output.token)
  }
  let tail = uint(patches.length, 1)
  for (const { offset, ref } of patches) tail += uint(offset, 3) + packAmount(ref, resolve)
  if (patches.length > 255) throw invalidStep(index, 'a call takes at most 255 references.')
  if (program) {
    kind |= flags.program
    tail += uint(program.offset, 3) + uint(program.length, 3)
  }
  return uint(kind, 1) + head + uint(length, 3) + bytes(data) + tail
}

function packAmount(given: Amount, resolve: Resolve): string {
  const amount = isAmountRef(given) ? resolve(given) : given
  if (!isAmountRef(amount)) {
    const digits = amount === 0n ? '' : amount.toString(16)
    const width = Math.ceil(digits.length / 2)
    return uint(width, 1) + digits.padStart(width * 2, '0')
  }
  const bps = uint(amount.bps ?? Number(bpsDenominator), 2)
  return amount.ref === 'balance'
    ? uint(amountKinds.balance, 1) + bytes(amount.token) + bps
    : uint(amountKinds.output, 1) + uint(amount.step, 1) + bps
}

/** Big-endian hexadecimal digits of a number. */
function uint(value: number, width: number): string {
  return value.toString(16).padStart(width * 2, '0')
}

function bytes(data: Hex): string {
  return data.slice(2)
}
