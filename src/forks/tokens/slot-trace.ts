/**
 * The steps of a call that tell which storage slots it uses, from debug_traceCall. A tracer of our own collects them:
 * the default one returns the whole memory at each step, which a hostile token makes gigabytes of.
 */

import type { Address, Hex } from '../../domain/primitives.js'
import { askAtPin, type FundingContext } from './slot-field.js'
import type { TraceStep } from './slot-rules.js'

/** Rebasing and vault tokens take up to about 150,000 gas for a balance. A trace takes time for each step. */
const traceGas = '0x493e0'
/** More steps of interest than these are no read of a token. */
const maxSteps = 2_000
/** Bytes of the longest hashed key that is looked at. */
const maxPreimageBytes = 512

/**
 * Hashing steps come with exactly the bytes that are hashed, at offset 0. Names: KECCAK256, SLOAD, SSTORE, CALL,
 * CALLCODE, DELEGATECALL, STATICCALL. Old Vyper loads with nothing but the slot on the stack.
 */
const tracer = `{
  steps: [],
  names: { 32: 'KECCAK256', 84: 'SLOAD', 85: 'SSTORE', 241: 'CALL', 242: 'CALLCODE', 244: 'DELEGATECALL', 250: 'STATICCALL' },
  hex: function (value) { return '0x' + value.toString(16) },
  step: function (log) {
    var op = this.names[log.op.toNumber()]
    if (op === undefined || this.steps.length >= ${maxSteps}) return
    var below = log.stack.length() > 1 ? this.hex(log.stack.peek(1)) : '0x0'
    var stack = [below, this.hex(log.stack.peek(0))]
    var step = { op: op, depth: log.getDepth(), stack: stack }
    if (op === 'KECCAK256') {
      var offset = Number(log.stack.peek(0)), size = Number(log.stack.peek(1)), length = log.memory.length()
      if (size === 0 || size > ${maxPreimageBytes}) return
      var bytes = offset < length ? log.memory.slice(offset, Math.min(length, offset + size)) : []
      var word = ''
      step.stack = [this.hex(size), '0x0']
      step.memory = []
      for (var at = 0; at < size; at++) {
        word += ('0' + (bytes[at] || 0).toString(16)).slice(-2)
        if (word.length === 64 || at === size - 1) { step.memory.push((word + '${'0'.repeat(64)}').slice(0, 64)); word = '' }
      }
    }
    this.steps.push(step)
  },
  fault: function () {},
  result: function (ctx) { return { failed: Boolean(ctx.error), steps: this.steps } }
}`

/** Null when the call fails, or is too long to be the read or the transfer of a token. */
export async function traceCall(
  context: FundingContext,
  call: { readonly from?: Address; readonly to: Address; readonly data: Hex },
): Promise<readonly TraceStep[] | null> {
  const trace = await askAtPin<{ failed: boolean; steps: TraceStep[] }>(
    context,
    'debug_traceCall',
    [{ ...call, gas: traceGas }],
    { tracer },
  )
  return trace && !trace.failed ? trace.steps : null
}
