/**
 * Packs the steps of a callback. They run apart from the steps around them, so they can refer to their own outputs
 * only. Pure.
 */
import type { AmountRef } from '../domain/order.js'
import type { Hex } from '../domain/primitives.js'
import { type PatchableCall, wordOf } from './call-data.js'
import { packSteps } from './pack-steps.js'
import type { PreparedStep } from './prepared-step.js'

/** A value of full width: it packs to 32 bytes, as does any value that a patch writes over it. */
const placeholder = 2n ** 255n

/**
 * A reference to an outer step becomes a literal that a patch fills in before the call. Its place is found as in
 * `call-data.ts`: the steps are packed twice with different values, and the packed bytes compared.
 *
 * @param first - index that the references give to the first step; lower ones are outer steps.
 * @returns bytes, and patches by their offset in these bytes.
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
