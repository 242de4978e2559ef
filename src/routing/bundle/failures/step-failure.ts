/** Why a bundle fails, in the words of its actions: which action, in which call, of which callback. */
import { decodeErrorResult } from 'viem'
import { contractErrorsAbi } from '../../../bridges/registry.js'
import type { PrerequisiteRecord } from '../../../domain/bundle.js'
import { ForkrouteError } from '../../../domain/errors.js'
import { type CallStep, type ExecutorStep, isAmountRef, type Order } from '../../../domain/order.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import { executorErrorsAbi } from '../../../executor/errors.js'
import { runsOwnOrders } from '../../../executor/strategies.js'
import { decodeRevert } from '../../../forks/revert.js'
import type { BundleContext } from '../bundle-context.js'
import { ActionError } from '../problems.js'
import type { NamedAction } from './named-action.js'

interface Reverted {
  readonly returnData: Hex
  readonly reason: string
}

interface Ran {
  readonly steps: readonly ExecutorStep[]
  /** Index of the action of each step. */
  readonly actionOfStep: readonly number[]
  /** Index of the step that failed where the transaction itself does not say which. */
  readonly transfer: number | null
  readonly prerequisites: readonly PrerequisiteRecord[]
}

/** A step that has failed. */
interface Failed {
  readonly step: ExecutorStep | undefined
  readonly reason: string
}

export function failure(
  builder: BundleContext,
  { steps, actionOfStep, transfer, prerequisites }: Ran,
  reverted: Reverted,
): ForkrouteError {
  const { reason } = reverted
  const at = stepOf(reverted.returnData)
  const step = at ? originalStep(builder, steps, at.step) : transfer
  const index = step === null ? undefined : actionOfStep[step]
  // What comes before the steps of a callback that is planned belongs to the bundle.
  const actions = step !== null && step >= builder.draft.firstStep ? builder.own : builder.all
  const parsed = index === undefined ? undefined : actions[index]
  if (step === null || !parsed || index === undefined) {
    return new ForkrouteError('SIMULATION_REVERTED', `The bundle fails: ${reason}.`, { reason })
  }
  const called = steps[step]
  const within = at?.reason ? inCallback(builder, step, called, at.reason) : null
  const failed = within?.action ?? parsed
  const why = within?.reason ?? explained(at?.reason, reason, parsed)
  const call = callOf(within ? within.step : called)
  const verb = within?.isRepayment ? 'cannot be repaid' : `fails in ${call.function}`
  const { protocol, action: name } = failed
  const actionError = new ActionError(
    'SIMULATION_REVERTED',
    failed,
    ` (${protocol} ${name}) ${verb}: ${why}`,
    {
      protocol,
      name,
      call,
      reason: why,
      ...within?.details,
      // In this mode they were not simulated, so a missing one may be the cause.
      ...(builder.args.request.executionMode === 'user' && {
        prerequisites,
      }),
    },
  )
  return within?.action ? actionError.within(index) : actionError
}

/** In words where the protocol answers in codes. @param data - revert data of the call; absent: what is known is `reason`. */
function explained(data: Hex | undefined, reason: string, { performer }: NamedAction): string {
  const actions = performer.adapter?.actions
  const inner = data
    ? decodeRevert(data, [...contractErrorsAbi, ...(actions?.errorsAbi ?? [])])
    : reason
  const words = actions?.explain?.(inner)
  return words ? `${inner}: ${words}` : inner
}

interface InCallback extends Failed {
  readonly action?: NamedAction
  readonly isRepayment?: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** What failed of the steps that a flash loan runs; null where it was the loan itself. */
function inCallback(
  { draft }: BundleContext,
  at: number,
  step: ExecutorStep | undefined,
  data: Hex,
): InCallback | null {
  const callback = step?.kind === 'call' ? step.callback : undefined
  const inner = stepOf(data)
  const actions = draft.callbacks.get(at)
  // A failure counts the steps of the callback from its first.
  const failed = inner && callback?.[inner.step]
  if (!inner || !failed || !actions) return null
  const place = inner.step - actions.firstStep
  const index = actions.actionOfStep[place]
  const action = index === undefined ? undefined : actions.actions[index]
  if (action) {
    const reason = explained(inner.reason, decodeRevert(data, executorErrorsAbi), action)
    return { step: failed, reason, action }
  }
  return failed.kind === 'call' ? unpaid(failed, inner.reason) : null
}

/** The check of what is there to repay a loan. */
function unpaid(step: CallStep, data: Hex | undefined): InCallback | null {
  const [held] = step.args
  const token = isAmountRef(held) && held.ref === 'balance' ? held.token : undefined
  const amounts = data && belowMinimum(data)
  if (!token || !amounts) return null
  const [amount, owed] = amounts
  return {
    step,
    isRepayment: true,
    reason: `its callback leaves ${amount} of ${token}, and ${owed} are owed: ${owed - amount} are missing`,
    details: { token, left: String(amount), owed: String(owed), missing: String(owed - amount) },
  }
}

function belowMinimum(data: Hex): readonly [amount: bigint, minimum: bigint] | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: executorErrorsAbi, data })
    const [amount, minimum] = args as readonly unknown[]
    if (errorName !== 'BelowMinimum') return null
    return typeof amount === 'bigint' && typeof minimum === 'bigint' ? [amount, minimum] : null
  } catch {
    return null
  }
}

/**
 * The transfer or approval that fails: of a call our contracts say which it is, of these the token's own error comes out.
 *
 * @param fails - whether an order reverts.
 * @returns null where it is none of them.
 */
export async function failedTransfer(
  { args }: BundleContext,
  order: Order,
  { returnData }: Pick<Reverted, 'returnData'>,
  fails: (order: Order) => Promise<boolean>,
): Promise<number | null> {
  if (stepOf(returnData) || runsOwnOrders(args.request.strategy)) return null
  const places = order.steps.flatMap(({ kind }, index) => (kind === 'call' ? [] : [index]))
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const steps = order.steps.slice(0, (places[middle] ?? 0) + 1)
    if (await fails({ ...order, steps, outputs: [] })) high = middle
    else low = middle + 1
  }
  return places[low] ?? null
}

function callOf(step: ExecutorStep | undefined): {
  readonly function: string
  readonly target?: Address
} {
  if (!step) return { function: 'an unknown step' }
  return step.kind === 'call'
    ? { function: step.abi.name, target: step.target }
    : { function: step.kind, target: step.token }
}

/** The step that our contracts report as failed, and its revert data. */
function stepOf(returnData: Hex): { readonly step: number; readonly reason?: Hex } | null {
  try {
    const { errorName, args } = decodeErrorResult({ abi: executorErrorsAbi, data: returnData })
    const error = executorErrorsAbi.find(({ name }) => name === errorName)
    const at = error?.inputs.findIndex(({ name }) => name === 'step') ?? -1
    const step = at < 0 ? undefined : (args as readonly unknown[])[at]
    if (typeof step !== 'bigint') return null
    const last = (args as readonly unknown[]).at(-1)
    const isReason = errorName === 'StepFailed' && typeof last === 'string'
    return { step: Number(step), ...(isReason && { reason: last as Hex }) }
  } catch {
    return null
  }
}

/** For accounts, a step paid by callback was split in two (a transfer before it); maps back to the original. */
function originalStep(
  { args }: BundleContext,
  steps: readonly ExecutorStep[],
  packed: number,
): number | null {
  const { strategy } = args.request
  if (!runsOwnOrders(strategy)) return packed
  let position = 0
  for (const [index, step] of steps.entries()) {
    position += step.kind === 'call' && step.payToken ? 2 : 1
    if (packed < position) return index
  }
  return null
}
