/**
 * The address of whoever runs an order's steps, in an order that must name it before it can be known: the Executor of a
 * delivery follows from the message that contains the steps. A stand-in is encoded, and what the first step reports is
 * written over it on chain. Pure.
 */
import { type AbiFunction, keccak256, stringToHex } from 'viem'
import type { CallStep } from '../domain/order.js'
import type { Address, Hex } from '../domain/primitives.js'
import { invalidStep } from './call-data.js'
import { executorContracts } from './deployments.js'
import type { PreparedCall, PreparedStep } from './prepared-step.js'

/** Nobody's; to be given as the executor to whatever encodes steps. */
export const selfAddress: Address = `0x${keccak256(stringToHex('forkroute.self')).slice(-40)}`

const { address: target, abi: callerAbi } = executorContracts.Caller
const caller = callerAbi.find((item): item is Extract<typeof item, AbiFunction> => {
  return item.type === 'function'
}) as AbiFunction

/** Must be the order's first step. */
export const selfStep: CallStep = {
  kind: 'call',
  target,
  abi: caller,
  args: [],
  output: { kind: 'word', index: 0 },
}

const self = selfAddress.slice(2)
const padding = '0'.repeat(24)

/**
 * Has the stand-in replaced wherever call data has it as a whole word. Orders without it stay as they are.
 * @throws ForkrouteError INVALID_REQUEST naming the step that has it in another form, or where the first is not `selfStep`.
 */
export function throughSelf(steps: readonly PreparedStep[]): PreparedStep[] {
  return steps.map((step, index) => {
    const addresses =
      step.kind === 'call' ? [step.target] : [step.kind === 'transfer' ? step.to : step.spender]
    if (addresses.includes(selfAddress)) {
      throw invalidStep(index, 'it names the contract that runs it as its target.')
    }
    if (step.kind !== 'call' || !step.data.includes(self)) return step
    const [first] = steps
    if (first?.kind !== 'call' || first.target !== target || index === 0) {
      throw invalidStep(index, 'nothing before it tells the address of who runs it.')
    }
    return filledIn(step, index)
  })
}

function filledIn(step: PreparedCall, index: number): PreparedCall {
  const patches = [...step.patches]
  let data: string = step.data
  for (let at = data.indexOf(self); at >= 0; at = data.indexOf(self)) {
    const start = at - padding.length
    if (at % 2 || data.slice(start, at) !== padding) {
      throw invalidStep(index, 'it names the contract that runs it, and not as a word.')
    }
    patches.push({ offset: (start - 2) / 2, ref: { ref: 'output', step: 0 } })
    data = `${data.slice(0, at)}${'0'.repeat(self.length)}${data.slice(at + self.length)}`
  }
  return { ...step, data: data as Hex, patches }
}
