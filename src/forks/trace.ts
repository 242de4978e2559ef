/**
 * The calls of a simulated transaction, from debug_traceCall. A tracer of our own collects them: the one that Anvil has
 * keeps all data of all calls, which a hostile contract makes gigabytes of. Knows nothing of routes.
 */
import { type Hex, numberToHex } from 'viem'
import type { SimulationRequest } from '../domain/state.js'
import type { CallFrame } from './call-frame.js'
import { askFork } from './faults.js'
import { senderBalances } from './sender-balance.js'
import type { SimulationFork } from './simulate.js'
import { encodeSimulation, firstGas, mostGas } from './simulation-codec.js'

/** Calls that are told; a route of many splits makes some hundred. */
const maxCalls = 1_000
/** Bytes of the data of a call, and of what it returns: a selector and 32 words. */
const maxBytes = 4 + 32 * 32

export interface TracedFrame extends CallFrame {
  readonly gasUsed: Hex
  readonly calls?: readonly TracedFrame[]
}

const tracer = `{
  count: 0, omitted: 0, stack: [{ calls: [] }],
  hex: function (value) { return '0x' + value.toString(16) },
  cut: function (bytes) { return toHex(bytes.length > ${maxBytes} ? bytes.slice(0, ${maxBytes}) : bytes) },
  enter: function (frame) {
    var call = null
    if (this.count >= ${maxCalls}) this.omitted++
    else {
      this.count++
      call = { type: frame.getType(), from: toHex(frame.getFrom()), to: toHex(frame.getTo()), input: this.cut(frame.getInput()), calls: [] }
      var value = frame.getValue()
      if (value) call.value = this.hex(value)
    }
    this.stack.push(call)
  },
  exit: function (result) {
    var call = this.stack.pop()
    if (call === null) return
    call.gasUsed = this.hex(result.getGasUsed())
    var error = result.getError()
    if (error) { call.error = String(error); call.output = this.cut(result.getOutput()) }
    var around = this.stack[this.stack.length - 1]
    if (around) around.calls.push(call)
  },
  fault: function () {},
  result: function (ctx) {
    var whole = { type: ctx.type, from: toHex(ctx.from), input: this.cut(ctx.input), gasUsed: this.hex(ctx.gasUsed), value: this.hex(ctx.value), calls: this.stack[0].calls }
    if (ctx.to) whole.to = toHex(ctx.to)
    if (ctx.error) { whole.error = String(ctx.error); whole.output = this.cut(ctx.output) }
    return { omitted: this.omitted, frame: whole }
  }
}`

export interface Traced {
  readonly frame: TracedFrame
  /** Calls that are left out, because there are more than may be told. */
  readonly omitted: number
}

/**
 * Runs the request as it is simulated. Null where the fork cannot tell, or where other calls have to run before it:
 * a trace runs one call alone.
 *
 * @throws ForkLostError; ForkrouteError UPSTREAM_UNAVAILABLE; the signal's reason when aborted.
 */
export async function traceSimulation(
  fork: SimulationFork,
  request: SimulationRequest,
  signal: AbortSignal,
): Promise<Traced | null> {
  const [url] = fork.urls
  if (!url) throw new RangeError('A trace needs at least one fork.')
  if (request.before?.length) return null
  const balances = await senderBalances(fork, [request], signal)
  for (const gas of [firstGas(fork.pin, request), mostGas(fork.pin, request)]) {
    const call = encodeSimulation({ ...fork, balances }, { ...request, measure: [] }, gas)
    if (!call.ok) return null
    const [payload] = call.value.params as [SimulationPayload]
    const { calls, blockOverrides, stateOverrides } = payload.blockStateCalls[0]
    const params = [
      calls[0],
      numberToHex(fork.pin.number),
      { tracer, blockOverrides, stateOverrides },
    ]
    const reply = await askFork(url, fork.pin, { method: 'debug_traceCall', params }, signal)
    if (!reply.ok) return null
    const traced = reply.value as Traced
    if (!traced.frame.error) return traced
  }
  return null
}

interface SimulationPayload {
  readonly blockStateCalls: readonly [
    {
      readonly calls: readonly [object]
      readonly blockOverrides: object
      readonly stateOverrides: object
    },
  ]
}
