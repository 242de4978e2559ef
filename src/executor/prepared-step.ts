/** Steps between preparing and packing: call data is encoded, references are checked. */
import type { ApproveStep, CallStep, TransferStep } from '../domain/order.js'
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
