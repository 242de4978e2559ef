/** Steps between preparing and packing: call data is encoded, references are checked. */
import { defined } from '../domain/defined.js'
import {
  type Amount,
  type AmountRef,
  type ApproveStep,
  type CallStep,
  isAmountRef,
  type TransferStep,
} from '../domain/order.js'
import type { Hex } from '../domain/primitives.js'
import type { Patch } from './call-data.js'

export interface PreparedCall extends Omit<CallStep, 'abi' | 'args' | 'callback'> {
  readonly data: Hex
  readonly patches: readonly Patch[]
  /** Where the packed callback steps lie in `data`, in bytes. */
  readonly program?: { readonly offset: number; readonly length: number }
}

/** References count prepared steps; in a callback as `CallStep.callback` says. */
export type PreparedStep = PreparedCall | TransferStep | ApproveStep

/** The step with other references; those within the bytes of a program are its own. */
export function moveRefs(step: PreparedStep, move: (ref: AmountRef) => AmountRef): PreparedStep {
  const moved = (amount: Amount): Amount => (isAmountRef(amount) ? move(amount) : amount)
  if (step.kind !== 'call') return { ...step, amount: moved(step.amount) }
  const patches = step.patches.map(({ offset, ref }) => ({ offset, ref: move(ref) }))
  const value = step.value === undefined ? undefined : moved(step.value)
  return { ...step, ...defined({ value }), patches }
}
