/**
 * Orders of which only one with the same tag can be carried out by their sender: their first step uses the tag up at
 * UsedTags, which knows whoever runs the steps. Pure.
 */
import { encodeFunctionData } from 'viem'
import type { Hex } from '../domain/primitives.js'
import { executorContracts } from './deployments.js'
import { moveRefs, type PreparedCall, type PreparedStep } from './prepared-step.js'

const { address, abi } = executorContracts.UsedTags

/** @param tag - 16 bytes; undefined: the steps stay as they are. */
export function withTag(
  steps: readonly PreparedStep[],
  tag: Hex | undefined,
): readonly PreparedStep[] {
  if (tag === undefined) return steps
  const moved = steps.map((step) =>
    moveRefs(step, (ref) => (ref.ref === 'output' ? { ...ref, step: ref.step + 1 } : ref)),
  )
  return [useTag(tag), ...moved]
}

function useTag(tag: Hex): PreparedCall {
  const data = encodeFunctionData({ abi, functionName: 'use', args: [tag] })
  return { kind: 'call', target: address, data, patches: [] }
}
