/**
 * What comes back of the tokens that a bundle takes: a minimum on the rest is a maximum on what is taken. Without it
 * somebody who moves a price has a deposit of two tokens take more of the one that is there in plenty.
 */
import { larger } from '../../domain/lists.js'
import { type Amount, isAmountRef } from '../../domain/order.js'
import { type Address, centiBpsDenominator } from '../../domain/primitives.js'
import type { BundleContext } from './bundle-context.js'

/** Balances of tokens that round are a unit off, and their transfers another. */
const roundingUnits = 2n

/** A token of which some may lie in the runner when all actions are done. */
export interface Rest {
  readonly token: Address
  /** The last action that takes of it. */
  readonly action: number
  /** Hundredths of a basis point; the widest of the actions that move it. */
  readonly centiBps: bigint
  /** What actions bring of it; null: not known. */
  readonly brought: readonly Amount[] | null
}

/** What actions may leave of the tokens that they take, except of tokens that simulations put into the runner. */
export function restsOf({ draft, loans, args }: BundleContext): Rest[] {
  // Less than was planned with may arrive by a delivery, and then less is left, though nobody has moved a price.
  if (args.delivered !== undefined) return []
  const assumed = new Set(loans.map(({ token }) => token))
  const found = new Map<Address, Rest>()
  for (const [action, { takes, centiBps }] of draft.actions.entries()) {
    for (const token of takes) {
      const before = found.get(token)
      found.set(token, {
        token,
        action,
        centiBps: larger(before?.centiBps ?? 0n, centiBps),
        brought: before ? before.brought : [],
      })
    }
  }
  for (const { takes, outputs, centiBps } of draft.actions) {
    for (const { token, amount, isPaid } of outputs) {
      const rest = token && found.get(token)
      // What an action takes and yields of one token is a part of it.
      if (!rest || isPaid || takes.includes(rest.token)) continue
      const isVague = isAmountRef(amount) && amount.ref === 'balance'
      found.set(rest.token, {
        ...rest,
        centiBps: larger(rest.centiBps, centiBps),
        brought: isVague || !rest.brought ? null : [...rest.brought, amount],
      })
    }
  }
  for (const [token, { action, centiBps }] of draft.uncounted) {
    const outside = found.get(token)
    found.set(token, {
      token,
      action: outside?.action ?? action,
      brought: null,
      centiBps: larger(outside?.centiBps ?? 0n, centiBps),
    })
  }
  return [...found.values()].filter(({ token }) => !assumed.has(token))
}

/**
 * The least that must be left, so that no more is taken than the simulation took, and the slippage of that.
 *
 * @param shown.pulled - raw units that the sender gives of it.
 * @param shown.left - raw units that were left in the simulation.
 * @returns raw units; 0 where all that there is may be taken.
 */
export function leastLeft(
  { centiBps, brought }: Pick<Rest, 'centiBps' | 'brought'>,
  shown: {
    readonly pulled: bigint
    readonly left: bigint
    valueOf(brought: Amount): bigint
  },
): bigint {
  const { pulled, left } = shown
  if (!brought) return (left * (centiBpsDenominator - centiBps)) / centiBpsDenominator
  const amounts = brought.map((amount) => ({ value: shown.valueOf(amount), amount }))
  const all = amounts.reduce((sum, { value }) => sum + value, pulled)
  const taken = all > left ? all - left : 0n
  // What a swap has brought may itself be less by its slippage.
  const varying = amounts.reduce(
    (sum, { value, amount }) => (isAmountRef(amount) ? sum + value : sum),
    0n,
  )
  const slack = ((taken + varying) * centiBps) / centiBpsDenominator
  const least = left - (slack > roundingUnits ? slack : roundingUnits)
  return least > 0n ? least : 0n
}
