/**
 * What the actions of a bundle yield, as quantities that are consumed once: by the action that refers to one, or, where
 * none refers to it and it is known in advance, by the numbers of later actions. Checks give the quantity that they look
 * at. Pure.
 */
import type { Reference } from '../../../domain/bundle.js'
import { larger } from '../../../domain/lists.js'
import { type Amount, isAmountRef } from '../../../domain/order.js'
import type { Address } from '../../../domain/primitives.js'
import type { ActionOutput } from '../../../protocols/positions.js'
import type { NamedAction } from '../failures/named-action.js'

/** How far below the simulation what remains of a quantity may fall. */
export interface Limit {
  /** Hundredths of a basis point. */
  readonly centiBps: bigint
  /** Raw units that the request states, in place of that. */
  readonly least?: bigint
}

/** A token that lies in the runner at the end. */
export interface Remaining extends Limit {
  readonly token: Address
}

/** An action that takes an output. */
export type Taker = Pick<NamedAction, 'protocol' | 'action' | 'index' | 'isNested'>

interface Quantity {
  readonly token: Address | null
  readonly amount: Amount
  /** Null: it lies in the runner from the start. */
  readonly of: Reference | null
  readonly isPaid: boolean
  /** Others of the same token that are a part of it. */
  readonly parts: readonly Quantity[]
  limit: Limit | null
  /** Raw units that no number has taken; 0 where only the chain knows the amount. */
  left: bigint
  /** Whether an unknown amount may have been taken of it. */
  isDrawn: boolean
  takenBy: Taker | null
}

export class Quantities {
  readonly #all: Quantity[] = []
  readonly #byOutput = new Map<ActionOutput, Quantity>()

  /** @param isSpent - whether an action refers to the output other than to look at it. */
  constructor(private readonly isSpent: (reference: Reference) => boolean) {}

  /** An amount that lies in the runner from the start. */
  lay(token: Address, amount: bigint): void {
    const common = { token, amount, of: null, isPaid: false, parts: [], limit: null }
    this.#all.push({ ...common, left: amount, isDrawn: false, takenBy: null })
  }

  /** @param more.includesOthers - whether it is all that lies in the runner of the token. */
  add(
    of: Reference,
    output: ActionOutput,
    { limit, includesOthers }: { readonly limit: Limit | null; readonly includesOthers: boolean },
  ): void {
    const { token, amount, isPaid = false } = output
    const left = token && !isPaid && !isAmountRef(amount) ? amount : 0n
    const parts = includesOthers && token ? this.#untaken(token) : []
    const facts = { token, amount, of, isPaid, parts, limit }
    const quantity: Quantity = { ...facts, left, isDrawn: false, takenBy: null }
    this.#all.push(quantity)
    this.#byOutput.set(output, quantity)
  }

  /** The output of a check is the quantity that it looks at. @param limit - in place of that of the action that gave it. */
  addCheck(output: ActionOutput, checked: ActionOutput, limit: Limit | null): void {
    const quantity = this.#byOutput.get(checked)
    if (!quantity) return
    this.#byOutput.set(output, quantity)
    if (limit) quantity.limit = limit
  }

  /** Who has consumed what the output is, or a part of it; null where nobody has. */
  takerOf(output: ActionOutput): Taker | null {
    const quantity = this.#byOutput.get(output)
    if (!quantity) return null
    return quantity.takenBy ?? quantity.parts.find((part) => part.takenBy !== null)?.takenBy ?? null
  }

  /** Consumes what the output is. */
  take(output: ActionOutput, by: Taker): void {
    const quantity = this.#byOutput.get(output)
    if (!quantity?.token) return
    const { token, amount, parts } = quantity
    quantity.takenBy = by
    // A balance is read when it is spent.
    const isAll = isAmountRef(amount) && amount.ref === 'balance'
    for (const part of [...parts, ...(isAll ? this.#untaken(token) : [])]) part.takenBy = by
  }

  /** Lets numbers take what is there for them. @returns raw units that are not. */
  takeNumber(token: Address, amount: bigint): bigint {
    let missing = amount
    for (const quantity of this.#forNumbers(token)) {
      const before = quantity.left
      quantity.left = before > missing ? before - missing : 0n
      missing -= before - quantity.left
    }
    return missing
  }

  /** Raw units that numbers may take. */
  freeOf(token: Address): bigint {
    return this.#forNumbers(token).reduce((sum, { left }) => sum + left, 0n)
  }

  /** An amount that only the chain knows, and that is no output of the token, is taken of whatever lies there. */
  reserve(token: Address): void {
    for (const quantity of this.#forNumbers(token)) quantity.isDrawn = true
  }

  /** Outputs that lie in the runner at the end, each token once, with the least that is tolerated of it. */
  remaining(): Remaining[] {
    const found = new Map<Address, Limit>()
    for (const { token, amount, isPaid, limit, takenBy, left } of this.#all) {
      if (!token || isPaid || !limit || takenBy !== null) continue
      if (!isAmountRef(amount) && left === 0n) continue
      const other = found.get(token)
      // No part of a sum has a minimum of its own.
      found.set(token, other ? { centiBps: larger(other.centiBps, limit.centiBps) } : limit)
    }
    return [...found].map(([token, limit]) => ({ token, ...limit }))
  }

  #untaken(token: Address): Quantity[] {
    return this.#all.filter((one) => one.token === token && !one.isPaid && one.takenBy === null)
  }

  /** What no action refers to, the first first. */
  #forNumbers(token: Address): Quantity[] {
    const isClaimed = ({ of }: Quantity) => of !== null && this.isSpent(of)
    const all = this.#all.filter(({ parts, takenBy }) => takenBy === null && parts.length > 0)
    const included = new Set(all.filter(isClaimed).flatMap(({ parts }) => parts))
    return this.#all.filter(
      (one) =>
        one.token === token &&
        one.left > 0n &&
        one.takenBy === null &&
        !one.isDrawn &&
        !isClaimed(one) &&
        !included.has(one),
    )
  }
}
