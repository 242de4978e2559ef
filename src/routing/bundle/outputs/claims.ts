/** References of an action to what earlier ones yield: which it takes, and what is wrong with one. Pure. */
import type { Reference, TypedAction } from '../../../domain/bundle.js'
import { type Amount, isAmountRef } from '../../../domain/order.js'
import { type Address, nativeToken } from '../../../domain/primitives.js'
import type { ActionOutput } from '../../../protocols/positions.js'
import { ActionError, nameIn, refuse } from '../problems.js'
import { isReferenceLike, parseReference } from '../values.js'
import type { Taker } from './quantities.js'

/** An action whose arguments are known by their kinds. */
interface ClaimingAction extends Taker, Pick<TypedAction, 'values'> {
  readonly performer: {
    readonly inputs: Readonly<Record<string, { readonly kind: string }>>
    /** Names of the tokens that it takes, null for native, each with that of its amount. */
    readonly takes?: readonly (readonly [token: string | null, amount: string])[] | undefined
  }
}

/** An output that an argument of an action names. */
export interface Claim {
  readonly by: Taker
  /** With its place in a list. */
  readonly argument: string
  readonly reference: Reference
  readonly output: ActionOutput
  /** The token of which the argument is an amount; null where only the action itself knows. */
  readonly token: Address | null
  /** Whether the action takes the amount, and does not merely look at it. */
  readonly isTaken: boolean
}

/**
 * The references among the arguments that are amounts.
 *
 * @param resolve - the output that a reference in the argument names.
 */
export function claimsOf(
  by: ClaimingAction,
  resolve: (reference: Reference, argument: string) => ActionOutput,
): Claim[] {
  const { values, performer } = by
  const pairs = new Map((performer.takes ?? []).map(([token, amount]) => [amount, token]))
  return Object.entries(values).flatMap(([name, value]) => {
    const kind = performer.inputs[name]?.kind
    if (kind !== 'amount' && kind !== 'amounts') return []
    const amounts: readonly unknown[] = Array.isArray(value) ? value : [value]
    const tokens = tokensOf(values, pairs.get(name))
    return amounts.flatMap((amount, place) => {
      if (!isReferenceLike(amount)) return []
      const argument = amounts.length > 1 ? `${name}[${place}]` : name
      const reference = parseReference(amount)
      const output = resolve(reference, argument)
      const token = tokens.length === amounts.length ? (tokens[place] ?? null) : null
      return [{ by, argument, reference, output, token, isTaken: pairs.has(name) }]
    })
  })
}

/** @param name - of the argument; null: native; undefined: none. */
function tokensOf(
  values: TypedAction['values'],
  name: string | null | undefined,
): readonly Address[] {
  if (name === null) return [nativeToken]
  const given = name === undefined ? [] : (values[name] ?? [])
  return [given].flat() as Address[]
}

/** @throws ForkrouteError INVALID_REQUEST where the output is of another token than the argument. */
export function checkToken(claim: Claim, token: Address | null = claim.token): void {
  const { by, argument, reference, output } = claim
  if (!token || !output.token || output.token === token) return
  const { useOutputOfCallAt, index } = reference
  const named = `output ${index} of ${nameIn(by, useOutputOfCallAt)}`
  refuse(by.index, argument, `an amount of ${token}, and ${named} is one of ${output.token}`)
}

/** @throws ForkrouteError INVALID_REQUEST where the action takes what has gone to a receiver. */
export function checkStays({ by, argument, reference, output, isTaken }: Claim): void {
  if (!isTaken || !output.token || !output.isPaid || output.isId) return
  const { useOutputOfCallAt, index } = reference
  const named = `output ${index} of ${nameIn(by, useOutputOfCallAt)}`
  refuse(by.index, argument, `an amount that stays here: ${named} is paid to its receiver`)
}

/** Refuses an amount that the action takes of a token, where a claim on the same amount is of another. */
export function refuseOther(claims: readonly Claim[], token: Address, amount: Amount): void {
  const other = claims.find(
    (claim) => claim.isTaken && !claim.token && isSame(claim.output.amount, amount),
  )
  if (other) checkToken(other, token)
}

export function isSame(a: Amount, b: Amount): boolean {
  if (!isAmountRef(a) || !isAmountRef(b)) return a === b
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Two actions take what there is once. */
export function takenTwice({ by, argument, reference, output }: Claim, taker: Taker): ActionError {
  const { useOutputOfCallAt, index } = reference
  const { token } = output
  const first = `${nameIn(taker, taker.index)} (${taker.protocol} ${taker.action})`
  const message =
    ` (${by.protocol} ${by.action}), ${argument}: output ${index} of ${nameIn(by, useOutputOfCallAt)} is ` +
    `taken by ${by.index === taker.index ? 'it' : first} already. An output can be taken once: split it before, or take ` +
    'a number in one of the two'
  return new ActionError('SIMULATION_REVERTED', by, message, {
    protocol: by.protocol,
    name: by.action,
    argument,
    token,
    reference: { ...reference },
    takenBy: taker.index,
  })
}
