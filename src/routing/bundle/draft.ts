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
import type { NamedAction } from './failures/named-action.js'
import { type Claim, isSame, refuseOther, takenTwice } from './outputs/claims.js'
import { type Limit, Quantities, type Remaining } from './outputs/quantities.js'
import type { PlannedStep } from './planned-steps.js'
import { nameIn, refuse } from './problems.js'
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
  /** True: the amount may be no more than the simulation has shown, and as much more as it could be less. */
  readonly isMaximum?: true
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

export interface PlannedAction {
  /** False where value goes elsewhere than into the outputs. */
  readonly isPriced: boolean
  readonly outputs: readonly ActionOutput[]
  /** What it has charged. */
  readonly fees: readonly TokenAmount[]
  readonly route: readonly PlannedStep[]
  readonly prerequisites: readonly Prerequisite[]
  readonly warnings: readonly string[]
  /** Hundredths of a basis point that what it yields, and takes, may differ from the simulation. */
  readonly centiBps: bigint
  /** Tokens that it takes out of the runner. */
  readonly takes: readonly Address[]
}

/** The result of an action, as far as it concerns what lies in the runner. */
interface ClosedOutcome extends Pick<ActionResult, 'spends' | 'leftovers'> {
  /** The output that it looks at, and gives. */
  readonly checks?: ActionOutput
  /** Limit of its outputs; null: the limit of the output that it checks. */
  readonly limit: Limit | null
  /** Whether its outputs are all that lies in the runner of their tokens. */
  readonly includesOthers?: boolean
}

/** The actions of a flash loan. */
interface Callback {
  readonly actions: readonly NamedAction[]
  /** Steps of the callback before theirs. */
  readonly firstStep: number
  /** Index among the actions, of each of their steps. */
  readonly actionOfStep: readonly number[]
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
  /** Tokens that actions within a flash loan move, of which nothing outside of it tells how much. */
  readonly uncounted = new Map<Address, { readonly action: number; readonly centiBps: bigint }>()
  /** Keyed by the index of the step that borrows. */
  readonly callbacks = new Map<number, Callback>()
  readonly #quantities: Quantities
  /** Outputs that the action which is planned refers to, and those that were approved to what it calls. */
  #claims: readonly Claim[] = []
  /** Steps whose output is checked or is a check, and whether its minimum is known without a simulation. */
  readonly #checked = new Map<number, boolean>()
  /** Literal amounts that actions received as the runner's whole balance of the token. */
  readonly #stated = new Map<Address, bigint>()

  /**
   * @param isSpent - whether an action refers to the output other than to look at it.
   * @param firstStep - index by which references name the first step: for the steps within a flash loan.
   * @param isNested - whether its actions are a callback's.
   */
  constructor(
    isSpent: (reference: Reference) => boolean,
    readonly firstStep = 0,
    readonly isNested = false,
  ) {
    this.#quantities = new Quantities(isSpent)
  }

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
    this.#quantities.lay(token, amount)
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
    for (const { token, amount } of inner.pulled()) this.#takeNumber(token, amount)
    for (const token of inner.touched) this.touched.add(token)
    for (const { takes, centiBps } of inner.actions) {
      for (const token of takes) this.uncounted.set(token, { action, centiBps })
    }
    this.minimums.push(...inner.minimums)
    this.payments.push(...inner.payments.map((one) => ({ ...one, action })))
    this.unprotected.push(...inner.unprotected.map((one) => ({ ...one, action })))
  }

  /** Raw units behind the balance that an action received; undefined where it received none. */
  stated(token: Address): bigint | undefined {
    return this.#stated.get(token)
  }

  /**
   * What the transaction pulls from the sender, including for the action being planned.
   *
   * @param more - that a flash loan's actions take, of what lies here first.
   */
  pulled(more: readonly TokenAmount[] = []): TokenAmount[] {
    const all = new Map(this.inputs)
    const add = (token: Address, amount: bigint) => all.set(token, (all.get(token) ?? 0n) + amount)
    for (const [token, amount] of this.#stated) add(token, amount)
    for (const { token, amount } of more) {
      const free = this.#quantities.freeOf(token)
      if (amount > free) add(token, amount - free)
    }
    return [...all].map(([token, amount]) => ({ token, amount }))
  }

  /**
   * Begins the next action.
   *
   * @param claims - outputs that its arguments refer to.
   * @throws ForkrouteError SIMULATION_REVERTED where it takes one that another action has taken.
   */
  begin(claims: readonly Claim[]): void {
    this.#claims = claims
    for (const claim of claims) if (claim.isTaken) this.#refuseTaken(claim)
  }

  /** The output that an argument of the action names; undefined where it is a number. */
  claimOf(argument: string): Claim | undefined {
    return this.#claims.find((claim) => claim.argument === argument)
  }

  /** Lets the action take what an earlier one refers to. */
  addClaim(claim: Claim): void {
    this.#claims = [...this.#claims, claim]
  }

  /** Records what an action takes and yields. @throws ForkrouteError as `begin`; INVALID_REQUEST for another token. */
  close(action: PlannedAction, outcome: ClosedOutcome): void {
    const { spends, leftovers = [], checks, limit, includesOthers = false } = outcome
    for (const { token, amount } of spends) {
      this.touched.add(token)
      if (!checks) this.#spend(token, amount)
    }
    for (const [index, output] of action.outputs.entries()) {
      const { token, isPaid } = output
      // A token that an action pays out is not swept: an account may be its own receiver.
      if (token && !isPaid) this.touched.add(token)
      const of = { useOutputOfCallAt: this.actions.length, index }
      if (checks) this.#quantities.addCheck(output, checks, limit)
      else this.#quantities.add(of, output, { limit, includesOthers })
    }
    for (const token of leftovers) this.touched.add(token)
    this.actions.push(action)
    this.#stated.clear()
    this.#claims = []
  }

  #spend(token: Address, amount: Amount): void {
    const claim = this.#claims.find(
      ({ output }) => output.token === token && isSame(output.amount, amount),
    )
    if (claim) {
      this.#refuseTaken(claim)
      this.#quantities.take(claim.output, claim.by)
      this.#claims = this.#claims.filter((one) => one !== claim)
      return
    }
    refuseOther(this.#claims, token, amount)
    const stated =
      isAmountRef(amount) && amount.ref === 'balance' ? this.#stated.get(token) : undefined
    if (stated !== undefined) this.#pull(token, stated)
    else if (isAmountRef(amount)) this.#quantities.reserve(token)
    else this.#takeNumber(token, amount)
  }

  #refuseTaken(claim: Claim): void {
    const taker = this.#quantities.takerOf(claim.output)
    if (taker) throw takenTwice(claim, taker)
  }

  #takeNumber(token: Address, amount: bigint): void {
    const missing = this.#quantities.takeNumber(token, amount)
    if (missing > 0n) this.#pull(token, missing)
  }

  #pull(token: Address, amount: bigint): void {
    this.inputs.set(token, (this.inputs.get(token) ?? 0n) + amount)
  }

  /** @throws ForkrouteError INVALID_REQUEST naming the action that refers. */
  resolve({ useOutputOfCallAt, index }: Reference, from: number, argument: string): ActionOutput {
    const action = this.actions[useOutputOfCallAt]
    const output = action?.outputs[index]
    if (output) return output
    const name = nameIn(this, useOutputOfCallAt)
    return refuse(from, argument, missingOutput(name, action?.outputs.length ?? 0))
  }

  /** Outputs that lie in the runner at the end, each token once, with the least that is tolerated of it. */
  remaining(): Remaining[] {
    return this.#quantities.remaining()
  }
}
