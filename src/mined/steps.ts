/** Finds the calls of an order's steps in what its transaction did. Pure. */
import { size, slice } from 'viem'
import { type Address, type Hex, isNative, toAddress } from '../domain/primitives.js'
import { type DecodedOrder, decodeOrder } from '../executor/decode-order.js'
import type { PreparedStep } from '../executor/prepared-step.js'
import type { CallFrame } from '../forks/call-frame.js'

export interface FoundOrder {
  readonly order: DecodedOrder
  readonly frame: CallFrame
}

/** The outermost call that carries an order: the transaction itself, or one that a Safe makes. */
export function findOrder(frame: CallFrame): FoundOrder | null {
  const { from, to, input, type, value } = frame
  if (to) {
    const account = type === 'DELEGATECALL' ? from : to
    const call = {
      from: toAddress(from),
      to: toAddress(account),
      data: input,
      value: BigInt(value ?? 0),
    }
    const order = decodeOrder(call)
    if (order) return { order, frame }
  }
  for (const call of frame.calls ?? []) {
    const found = findOrder(call)
    if (found) return found
  }
  return null
}

/** The call of each step, in their order; null for those that were not reached. */
export function framesOfSteps({ order, frame }: FoundOrder): (CallFrame | null)[] {
  const calls = callsOf(frame, order.runner)
  let next = 0
  return order.steps.map((step) => {
    const at = calls.findIndex((call, index) => index >= next && isCallOf(step, call))
    if (at < 0) return null
    next = at + 1
    return calls[at] ?? null
  })
}

/** What the runner calls, not what those calls call in turn. */
function callsOf(frame: CallFrame, runner: Address): CallFrame[] {
  return (frame.calls ?? []).flatMap((call) =>
    call.type === 'CALL' && toAddress(call.from) === runner ? [call] : callsOf(call, runner),
  )
}

/** transfer(address,uint256) and approve(address,uint256). */
const selectors = { transfer: '0xa9059cbb', approve: '0x095ea7b3' } as const

function isCallOf(step: PreparedStep, { to, input, value }: CallFrame): boolean {
  if (!to) return false
  if (step.kind === 'call')
    return toAddress(to) === step.target && selectorOf(input) === selectorOf(step.data)
  if (step.kind === 'transfer' && isNative(step.token)) {
    return toAddress(to) === step.to && BigInt(value ?? 0) > 0n
  }
  return toAddress(to) === step.token && selectorOf(input) === selectors[step.kind]
}

/** The first four bytes; of less than that all. */
export function selectorOf(data: Hex): Hex {
  return size(data) < 4 ? data : slice(data, 0, 4)
}

/** Whom a step calls or pays. */
export function targetOf(step: PreparedStep): Address {
  return step.kind === 'call' ? step.target : step.token
}
