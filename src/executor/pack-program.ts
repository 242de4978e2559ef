/**
 * Packs the steps of a callback, which run apart from the steps around them and see no outputs but their own.
 * Called by `prepare-steps.ts` alone. Pure.
 */
import type { AmountRef } from '../domain/order.js'
import type { Hex } from '../domain/primitives.js'
import { type PatchableCall, wordOf } from './call-data.js'
import { packSteps } from './pack-steps.js'
import type { PreparedStep } from './prepared-step.js'

/** Packs to 32 bytes, like any value that a patch writes over it. */
const placeholder = 2n ** 255n

/**
 * A reference to an outer step becomes a literal that a patch fills in before the call. Its place is found as
 * in call data: packed twice, where do the two differ.
 *
 * @param first - index that the references give to the first step; lower ones are outer steps.
 * @returns bytes, and patches by their offset in these.
 */
export function packProgram(steps: readonly PreparedStep[], first: number): PatchableCall {
  const outer: AmountRef[] = []
  const pack = (isRaised: (ref: AmountRef) => boolean): Hex =>
    packSteps(steps, (ref) => {
      if (ref.ref !== 'output') return ref
      if (ref.step >= first) return { ...ref, step: ref.step - first }
      return isRaised(ref) ? placeholder + 1n : placeholder
    })
  const data = pack((ref) => {
    outer.push(ref)
    return false
  })
  const patches = outer.map((ref, index) => {
    let met = 0
    return {
      offset: wordOf(
        data,
        pack(() => met++ === index),
      ),
      ref,
    }
  })
  return { data, patches }
}
