/** Reads packed steps back: the inverse of `pack-steps.ts`, for what transactions on chain carry. Pure. */
import { defined } from '../domain/defined.js'
import type { Amount } from '../domain/order.js'
import { type Address, bpsDenominator, type Hex } from '../domain/primitives.js'
import type { Patch } from './call-data.js'
import { amountKinds, flags, kinds } from './pack-steps.js'
import type { PreparedCall, PreparedStep } from './prepared-step.js'

const kindMask = 0x07

/** @throws RangeError when the bytes are not packed steps, exactly. */
export function unpackSteps(packed: Hex): PreparedStep[] {
  const digits = packed.slice(2)
  let position = 0
  const take = (bytes: number): string => {
    const end = position + 2 * bytes
    if (end > digits.length) throw new RangeError('The packed steps end too early.')
    const taken = digits.slice(position, end)
    position = end
    return taken
  }
  const number = (bytes: number): number => Number.parseInt(take(bytes), 16)
  const address = (): Address => `0x${take(20)}`

  function amount(): Amount {
    const kind = number(1)
    if (kind <= 32) return kind === 0 ? 0n : BigInt(`0x${take(kind)}`)
    if (kind === amountKinds.balance) return { ref: 'balance', token: address(), ...scale() }
    if (kind === amountKinds.output) return { ref: 'output', step: number(1), ...scale() }
    throw new RangeError(`${kind} is no kind of amount.`)
  }

  function scale(): { bps?: number } {
    const bps = number(2)
    return bps === Number(bpsDenominator) ? {} : { bps }
  }

  function call(kind: number): PreparedCall {
    const target = address()
    const value = kind & flags.value ? amount() : undefined
    const payToken = kind & flags.payToken ? address() : undefined
    const word = kind & flags.word ? number(1) : undefined
    const increase = kind & flags.increase ? address() : undefined
    const data: Hex = `0x${take(number(3))}`
    const patches: Patch[] = Array.from({ length: number(1) }, () => {
      return { offset: number(3), ref: amount() as Patch['ref'] }
    })
    const program = kind & flags.program ? { offset: number(3), length: number(3) } : undefined
    return {
      kind: 'call',
      target,
      data,
      patches,
      ...defined({ value, payToken }),
      ...(word !== undefined && { output: { kind: 'word', index: word } }),
      ...(increase && { output: { kind: 'balance', token: increase } }),
      ...defined({ program }),
    }
  }

  function step(): PreparedStep {
    const kind = number(1)
    if ((kind & kindMask) === kinds.call) return call(kind)
    if (kind === kinds.transfer) {
      return { kind: 'transfer', token: address(), to: address(), amount: amount() }
    }
    if (kind === kinds.approve) {
      return { kind: 'approve', token: address(), spender: address(), amount: amount() }
    }
    throw new RangeError(`${kind} is no kind of step.`)
  }

  const steps = Array.from({ length: number(1) }, step)
  if (position !== digits.length) throw new RangeError('Bytes follow the last packed step.')
  return steps
}
