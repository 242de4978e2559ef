/**
 * For accounts that cannot answer a callback (a Safe) or should not (a wallet): splits a step that is paid by callback
 * into a transfer to the CallbackPayer and a call through it. Pure.
 */
import { encodeFunctionData, size } from 'viem'
import { defined } from '../domain/defined.js'
import type { AmountRef } from '../domain/order.js'
import { invalidStep } from './call-data.js'
import { contractAddress, executorContracts } from './deployments.js'
import { moveRefs, type PreparedStep } from './prepared-step.js'

/**
 * The transfer sends everything that may be spent of the token, and the CallbackPayer returns the rest. So a balance
 * of that token inside the call becomes the output of the transfer.
 *
 * @throws ForkrouteError INVALID_REQUEST when such a step also sends value, or a step has callback steps.
 */
export function throughCallbackPayer(steps: readonly PreparedStep[]): PreparedStep[] {
  const payer = contractAddress('CallbackPayer')
  const rewritten: PreparedStep[] = []
  /** Original index of a step to its new index. */
  const moved: number[] = []
  const moveRef = (ref: AmountRef): AmountRef =>
    ref.ref === 'output' ? { ...ref, step: moved[ref.step] ?? ref.step } : ref

  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'call') {
      rewritten.push(moveRefs(step, moveRef))
    } else if (step.program) {
      throw invalidStep(index, 'steps within a callback need the routing strategy router.')
    } else if (!step.payToken) {
      rewritten.push(moveRefs(step, moveRef))
    } else {
      const { payToken, value, ...rest } = step
      if (value !== undefined) throw invalidStep(index, 'a call paid by callback sends no value.')
      const brought = rewritten.length
      const amount = { ref: 'balance', token: payToken } as const
      rewritten.push({ kind: 'transfer', token: payToken, to: payer, amount })
      const data = encodeFunctionData({
        abi: executorContracts.CallbackPayer.abi,
        functionName: 'callAndPay',
        args: [step.target, payToken, step.data],
      })
      // The inner call data is the last argument, padded to whole words.
      const start = size(data) - Math.ceil(size(step.data) / 32) * 32
      const patches = step.patches.map(({ offset, ref }) => {
        const { bps } = ref
        const isBrought = ref.ref === 'balance' && ref.token === payToken
        const inner = isBrought
          ? ({ ref: 'output', step: brought, ...defined({ bps }) } as const)
          : moveRef(ref)
        return { offset: start + offset, ref: inner }
      })
      rewritten.push({ ...rest, target: payer, data, patches })
    }
    moved.push(rewritten.length - 1)
  }
  return rewritten
}
