/**
 * The steps of a bundle while it is planned: what they take from the sender, what each action yields, and which action
 * a failing step belongs to. Pure.
 */

import type { Reference, Unprotected } from '../../domain/bundle.js'
import { type Amount, type AmountRef, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type {
  ActionOutput,
  ActionResult,
  Prerequisite,
  StatedMinimums,
} from '../../protocols/positions.js'
import type { PlannedStep } from './planned-steps.js'
import { refuse } from './problems.js'
import { missingOutput } from './values.js'

/** A minimum that is filled in once a simulation has shown the amount. */
export interface Minimum {
  /** The step that checks it. */
  readonly step: ExecutorStep
  readonly amount: Amount
  readonly centiBps: bigint
  /** Raw units that a separate quote gave; null: the minimum follows from the simulation alone. */
  readonly quoted: bigint | null
  /** Raw units that the request states; absent: the minimum follows from the simulation. */
  readonly least?: bigint
  /** Arguments of a call before it that are filled in as well. */
  readonly stated?: StatedMinimums
}

/** What an action pays to a receiver that it names. */
export interface PlannedPayment {
  readonly action: number
  readonly token: Address
  readonly receiver: Address
  readonly amount: Amount
  /** That checks the amount; null where the amount is known without a simulation, or nothing is simulated. */
  readonly minimum: Minimum | null
}

/** A token that lies in the runner at the end. */
export interface Remaining {
  readonly token: Address
  /** Hundredths of a basis point that it may fall short of the simulation. */
  readonly centiBps: bigint
  /** Raw units that the request states, in place of that. */
  readonly least?: bigint
}

export interface PlannedAction {
  /** False where value goes elsewhere than into the outputs. */
  readonly isPriced: boolean
  readonly outputs: readonly ActionOutput[]
  /** Hundredths of a basis point that an output paid to the receiver may fall short of the simulation. */
  readonly centiBps: bigint
  /** Raw units that the only output must reach, in place of that. */
  readonly least?: bigint
  /** What it has charged. */
  readonly fees: readonly TokenAmount[]
  readonly route: readonly PlannedStep[]
  readonly prerequisites: readonly Prerequisite[]
  readonly warnings: readonly string[]
}

export class BundleDraft {
  readonly steps: ExecutorStep[] = []
  readonly actions: PlannedAction[] = []
  readonly minimums: Minimum[] = []
  readonly payments: PlannedPayment[] = []
  readonly unprotected: Unprotected[] = []
  /** Index of the action of each step. */
  readonly actionOfStep: number[] = []
  /** Raw units pulled from the sender. */
  readonly inputs = new Map<Address, bigint>()
  /** Tokens that may be left in the runner. */
  readonly touched = new Set<Address>()
  /** Exact amounts that actions have yielded and that are not spent yet. */
  readonly #credits = new Map<Address, bigint>()
  /** How often each reference has been spent: two actions may yield the same one. */
  readonly #spent = new Map<string, number>()
  /** Steps whose output is checked or is a check, and whether its minimum is known without a simulation. */
  readonly #checked = new Map<number, boolean>()
  /** Literal amounts that actions received as the runner's whole balance of the token. */
  readonly #stated = new Map<Address, bigint>()

  /** @param firstStep - index by which references name the first step: for the steps within a flash loan. */
  constructor(readonly firstStep = 0) {}

  add(action: number, step: ExecutorStep): number {
    this.actionOfStep.push(action)
    return this.firstStep + this.steps.push(step) - 1
  }

  /** Takes the runner's balance of a token that is pulled for one action alone: correct despite a transfer tax. */
  stateAsBalance(token: Address, amount: bigint): AmountRef {
    this.#stated.set(token, amount)
    return { ref: 'balance', token }
  }

  /** An amount that lies in the runner from the start. */
  credit(token: Address, amount: bigint): void {
    this.touched.add(token)
    this.#credits.set(token, (this.#credits.get(token) ?? 0n) + amount)
  }

  /** Whether the token is spent from what earlier actions yielded. */
  hasCredit(token: Address): boolean {
    return (this.#credits.get(token) ?? 0n) > 0n
  }

  /**
   * Remembers that the output of a step is checked, whatever part of it is spent.
   *
   * @param check - index of the step that checks it.
   * @param isKnown - whether its minimum is known without a simulation.
   */
  markChecked(amount: Amount, check: number, isKnown: boolean): void {
    this.#checked.set(check, isKnown)
    if (isAmountRef(amount) && amount.ref === 'output') this.#checked.set(amount.step, isKnown)
  }

  isChecked(amount: Amount): boolean {
    return this.#stateOf(amount) !== undefined
  }

  /** Whether it is checked against a minimum that is known without a simulation. */
  isKnown(amount: Amount): boolean {
    return this.#stateOf(amount) === true
  }

  #stateOf(amount: Amount): boolean | undefined {
    if (!isAmountRef(amount) || amount.ref !== 'output') return undefined
    return this.#checked.get(amount.step)
  }

  /** Adds the needs and leftovers of a flash loan's actions. @param action - that borrows. */
  absorb(inner: BundleDraft, action: number): void {
    for (const { token, amount } of inner.pulled()) this.#pull(token, amount)
    for (const token of inner.touched) this.touched.add(token)
    this.minimums.push(...inner.minimums)
    this.payments.push(...inner.payments.map((one) => ({ ...one, action })))
    this.unprotected.push(...inner.unprotected.map((one) => ({ ...one, action })))
  }

  /** Raw units behind the balance that an action received; undefined where it received none. */
  stated(token: Address): bigint | undefined {
    return this.#stated.get(token)
  }

  /** What the transaction pulls from the sender, including for the action being planned. */
  pulled(): TokenAmount[] {
    const all = new Map(this.inputs)
    for (const [token, amount] of this.#stated) all.set(token, (all.get(token) ?? 0n) + amount)
    return [...all].map(([token, amount]) => ({ token, amount }))
  }

  /** Records what an action takes and yields. */
  close(action: PlannedAction, { spends, leftovers = [] }: ActionResult): void {
    for (const { token, amount } of spends) this.#spend(token, amount)
    for (const { token, amount, isPaid } of action.outputs) {
      // A token that an action pays out is not swept: an account may be its own receiver.
      if (!token || isPaid) continue
      this.touched.add(token)
      if (typeof amount === 'bigint') this.credit(token, amount)
    }
    for (const token of leftovers) this.touched.add(token)
    this.actions.push(action)
  }

  #spend(token: Address, amount: Amount): void {
    this.touched.add(token)
    if (isAmountRef(amount)) {
      const key = amountKey(token, amount)
      this.#spent.set(key, (this.#spent.get(key) ?? 0) + 1)
      const stated = amount.ref === 'balance' ? this.#stated.get(token) : undefined
      if (stated !== undefined) {
        this.#stated.delete(token)
        this.#pull(token, stated)
      }
      return
    }
    const credit = this.#credits.get(token) ?? 0n
    const own = credit < amount ? credit : amount
    this.#credits.set(token, credit - own)
    if (amount > own) this.#pull(token, amount - own)
  }

  #pull(token: Address, amount: bigint): void {
    this.inputs.set(token, (this.inputs.get(token) ?? 0n) + amount)
  }

  /** @throws ForkrouteError INVALID_REQUEST naming the action that refers. */
  resolve({ useOutputOfCallAt, index }: Reference, from: number, argument: string): ActionOutput {
    const action = this.actions[useOutputOfCallAt]
    const output = action?.outputs[index]
    if (output) return output
    return refuse(from, argument, missingOutput(useOutputOfCallAt, action?.outputs.length ?? 0))
  }

  /** Outputs that lie in the runner at the end, each token once, with the least that is tolerated of it. */
  remaining(): Remaining[] {
    const found = new Map<Address, Omit<Remaining, 'token'>>()
    const spent = new Map(this.#spent)
    for (const { outputs, centiBps, least } of this.actions) {
      for (const { token, amount, isPaid } of outputs) {
        if (!token || isPaid) continue
        if (isAmountRef(amount)) {
          const key = amountKey(token, amount)
          const times = spent.get(key) ?? 0
          spent.set(key, times - 1)
          if (times > 0) continue
        } else if (!this.hasCredit(token)) {
          continue
        }
        const other = found.get(token)
        if (!other) found.set(token, { centiBps, ...(least !== undefined && { least }) })
        // Of a sum, no part has a minimum of its own.
        else found.set(token, { centiBps: max(other.centiBps, centiBps) })
      }
    }
    return [...found].map(([token, limit]) => ({ token, ...limit }))
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function amountKey(token: Address, { ref, bps = 10_000, ...rest }: AmountRef): string {
  const source = 'step' in rest ? rest.step : rest.token
  return `${token}:${ref}:${source}:${bps}`
}
