/**
 * What an action yields is enforced where it goes: tokens that stay in the runner when all is paid out at the end,
 * everything else by a step right after the action.
 */
import { defined } from '../../domain/defined.js'
import { type Amount, isAmountRef } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { ActionResult } from '../../protocols/positions.js'
import type { BundleContext } from './bundle-context.js'
import type { Minimum } from './draft.js'
import { minimumStep } from './tools.js'

const notSimulated =
  'skipQuote: no simulation has shown an amount that a minimum could follow from.'
const notFixed =
  'How much of a delivery arrives is not fixed, so all of it that is given to the action may be taken.'
const notBounded =
  'skipQuote: no simulation has shown what is taken of it, so all that is given may be.'

/** An action with its result. */
interface Planned
  extends Pick<ActionResult, 'outputs' | 'spends' | 'leftovers' | 'enforced' | 'atMost'> {
  readonly action: number
  /** Hundredths of a basis point that it may fall short of the simulation. */
  readonly centiBps: bigint
  /** Raw units that the only output must reach, in place of that. */
  readonly least?: bigint | undefined
  /** Id of the position that is entered. */
  readonly position: string | undefined
  /** Who gets what the action pays out itself. */
  readonly receiver: Address
  /** Whether it may take less than it is given: of a route, all or nothing is taken. */
  readonly isPartial: boolean
}

/** An amount that must not fall short. */
interface Promised extends Pick<Minimum, 'amount' | 'stated'> {
  /** Null: of a position. */
  readonly token: Address | null
  readonly receiver: Address
}

/** Adds a step that checks an amount. @returns its index; its output is the amount. */
export function addMinimum(
  { draft }: Pick<BundleContext, 'draft'>,
  action: number,
  minimum: Omit<Minimum, 'step'>,
): number {
  const step = minimumStep(minimum.amount, 0n)
  const index = draft.add(action, step)
  draft.minimums.push({ step, ...minimum })
  const isKnown = minimum.quoted !== null || minimum.least !== undefined
  draft.markChecked(minimum.amount, index, isKnown)
  return index
}

/** To be called when all steps of the action have been added, and before it is closed. */
export function protect(builder: BundleContext, planned: Planned): void {
  const { draft, args } = builder
  const { action, centiBps, position, least } = planned
  const now = promisedNow(builder, planned)
  for (const { amount, stated } of now) {
    if (draft.isChecked(amount)) continue
    addMinimum(builder, action, {
      amount,
      centiBps,
      quoted: null,
      ...defined({ stated, least }),
    })
  }
  const { atMost } = planned
  if (atMost)
    addMinimum(builder, action, { amount: atMost, centiBps, quoted: null, isMaximum: true })
  for (const { token, amount, isPaid } of planned.outputs) {
    if (!token || !isPaid) continue
    draft.payments.push({
      action,
      token,
      receiver: planned.receiver,
      amount,
      minimum: isAmountRef(amount) ? minimumOf(builder, planned, amount) : null,
    })
  }
  const returned = returnedBy(planned).map((token) => ({ token, receiver: builder.refundReceiver }))
  if (args.delivered) {
    for (const input of returned) draft.unprotected.push({ action, ...input, reason: notFixed })
  }
  if (!args.request.skipQuote) return
  const named = new Set<string>()
  for (const { amount, token, receiver } of [...now, ...promisedLater(builder, planned)]) {
    const subject = token ? { token, receiver } : { ...defined({ position }), receiver }
    const key = JSON.stringify(subject)
    if (draft.isKnown(amount) || named.has(key)) continue
    named.add(key)
    draft.unprotected.push({ action, ...subject, reason: notSimulated })
  }
  if (atMost) draft.unprotected.push({ action, reason: notBounded })
  for (const input of returned) draft.unprotected.push({ action, ...input, reason: notBounded })
}

/** Tokens of which the action may take less than it is given. */
function returnedBy({ isPartial, spends, leftovers = [] }: Planned): readonly Address[] {
  return isPartial ? leftovers.filter((token) => spends.some((one) => one.token === token)) : []
}

/** The check of an amount that is paid, by which it is measured too; added where there is none. */
function minimumOf(
  builder: BundleContext,
  { action, centiBps, least }: Planned,
  amount: Amount,
): Minimum | null {
  const { minimums } = builder.draft
  const found = minimums.find((one) => one.amount === amount)
  if (found || builder.args.request.skipQuote) return found ?? null
  const limit = { centiBps, ...defined({ least }) }
  addMinimum(builder, action, { amount, quoted: null, ...limit })
  return minimums.at(-1) ?? null
}

/** What the end of the transaction does not show. */
function promisedNow(builder: BundleContext, planned: Planned): Promised[] {
  const { action, outputs, spends, enforced, receiver } = planned
  const promised: Promised[] = outputs.flatMap(({ token, amount, isPaid, isId }, index) => {
    if (!isAmountRef(amount) || isId) return []
    // What lies in the runner may be spent before anything is paid out.
    const isDue = amount.ref === 'balance' ? builder.isReferenced(action, index) && !isPaid : isPaid
    return isDue ? [{ amount, token, receiver }] : []
  })
  if (enforced) promised.unshift({ ...enforced, token: null, receiver })
  const isMeasured = outputs.some(({ token, isPaid }) => token !== null || isPaid)
  if (isMeasured || enforced) return promised
  // Nothing that comes out shows what went in: a position, a debt that is repaid, a payment to somebody.
  const unmeasured = spends.filter(({ token, amount }) => !isStated(builder, token, amount))
  return [...promised, ...unmeasured.map((spent) => ({ ...spent, receiver }))]
}

/** Whether the amount is pulled from the sender, who has said it. */
function isStated({ draft }: BundleContext, token: Address, amount: Amount): boolean {
  return !isAmountRef(amount) || (amount.ref === 'balance' && draft.stated(token) !== undefined)
}

/** What remains to the end, unless an action spends it. */
function promisedLater(builder: BundleContext, { action, outputs }: Planned): Promised[] {
  const { receiver } = builder
  return outputs.flatMap(({ token, amount, isPaid }, index) =>
    !token || isPaid || !isAmountRef(amount) || builder.isReferenced(action, index)
      ? []
      : [{ amount, token, receiver }],
  )
}
