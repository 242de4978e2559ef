/**
 * Steps of the answer of a bundle with what the plan knows of their amounts: numbers, or references to what the
 * simulation will show. Pure.
 */
import { defined } from '../../domain/defined.js'
import { type Amount, type AmountRef, isAmountRef } from '../../domain/order.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type { ActionResult, StatedMinimums } from '../../protocols/positions.js'
import type { FlowEdge } from '../search/flow.js'

/** For each token of a list, in its order, the parts whose sum is the amount. */
type Parts = readonly (readonly Amount[])[]

export interface PlannedStep {
  readonly record: RouteStepRecord
  /** Amounts of its tokenIn and tokenOut. Absent: the record says them, or the plan cannot tell. */
  readonly amounts?: { readonly taken: Parts; readonly given: Parts }
  /** What it takes at most is in `amounts`; this call tells how much it took. */
  readonly stated?: StatedMinimums
  /** The split that it is a step of, whose transfers tell the amounts. */
  readonly split?: PlannedSplit
}

/** A route whose steps share tokens between them. */
export interface PlannedSplit {
  readonly records: readonly RouteStepRecord[]
  readonly edges: readonly FlowEdge[]
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly takes: Amount
  readonly output: Amount
}

/** References that mean the same wherever they are read; what a balance was is gone at the end. */
function isKept(amount: Amount): boolean {
  return !isAmountRef(amount) || amount.ref === 'output'
}

/**
 * What an action takes and gives, by the tokens of its record.
 *
 * @param pulledOf - raw units that were pulled from the sender for this action alone, in place of a balance.
 */
export function amountsOf(
  record: Pick<RouteStepRecord, 'tokenIn' | 'tokenOut'>,
  { spends, outputs, leftovers = [], enforced }: ActionResult,
  pulledOf: (token: Address) => bigint | undefined,
): Omit<PlannedStep, 'record'> {
  const stated = enforced?.stated
  // Nobody says how much was taken of what may be left over.
  const isVague = !stated && spends.some(({ token }) => leftovers.includes(token))
  if (isVague || outputs.some(({ token, isId }) => token && isId)) return {}
  const taken = record.tokenIn.map((token) =>
    spends
      .filter((one) => one.token === token)
      .map(({ amount }) =>
        isAmountRef(amount) && amount.ref === 'balance' ? (pulledOf(token) ?? amount) : amount,
      ),
  )
  const given = record.tokenOut.map((token) =>
    outputs.filter((one) => one.token === token).map(({ amount }) => amount),
  )
  if (!taken.flat().every(isKept) || !given.flat().every(isKept)) return {}
  return { amounts: { taken, given }, ...defined({ stated }) }
}

/** What the steps refer to, each reference once. */
export function referencesOfSteps(steps: readonly PlannedStep[]): AmountRef[] {
  const all = steps.flatMap(({ amounts, split }) => [
    ...(amounts ? [...amounts.taken.flat(), ...amounts.given.flat()] : []),
    ...(split ? [split.takes, split.output] : []),
  ])
  return [...new Map(all.filter(isAmountRef).map((ref) => [JSON.stringify(ref), ref])).values()]
}

/** What a simulation has shown; undefined where it has not. */
export interface Shown {
  valueOf(reference: AmountRef): bigint | undefined
  /** Raw units that the call took, keyed by token. */
  takenBy(stated: StatedMinimums): ReadonlyMap<Address, bigint> | undefined
  /** The records of the split with what the transfers of the transaction tell of them. */
  measured(split: PlannedSplit, inputs: readonly TokenAmount[]): readonly RouteStepRecord[]
}

/** Splits no pool of which serves another route of the bundle, so that its transfers are theirs alone. */
export function splitsAlone(steps: readonly PlannedStep[]): ReadonlySet<PlannedSplit> {
  const splits = new Set(steps.flatMap(({ split }) => split ?? []))
  const poolsOf = (records: readonly RouteStepRecord[]) =>
    new Set(records.flatMap(({ internalRoutes = [] }) => internalRoutes.map(({ pool }) => pool)))
  return new Set(
    [...splits].filter((split) => {
      const splitPools = poolsOf(split.records)
      const others = poolsOf(
        steps.filter((step) => step.split !== split).map(({ record }) => record),
      )
      return [...splitPools].every((pool) => !others.has(pool))
    }),
  )
}

/** The record with its amounts, as far as they are known. */
export function toRecord(
  { record, amounts, stated, split }: PlannedStep,
  shown: Shown,
): RouteStepRecord {
  const known = (amount: Amount) => (isAmountRef(amount) ? shown.valueOf(amount) : amount)
  const sumOf = (parts: readonly Amount[]) => total(parts.map(known))
  if (split) {
    const { tokenIn, tokenOut, records } = split
    const [amount, output] = [known(split.takes), known(split.output)]
    if (amount === undefined) return record
    const measured = shown.measured(split, [{ token: tokenIn, amount }])
    const paid = measured.flatMap((one) => (one.tokenOut.includes(tokenOut) ? [one.amountOut] : []))
    const sum = total(paid.map((amounts) => amounts?.[0]))
    return (sum !== undefined && sum === output && measured[records.indexOf(record)]) || record
  }
  if (!amounts || !(record.tokenIn.length || record.tokenOut.length)) return record
  const took = stated && shown.takenBy(stated)
  if (stated && !took) return record
  const amountIn = record.tokenIn.map((token, place) =>
    took ? took.get(token) : sumOf(amounts.taken[place] ?? []),
  )
  const amountOut = amounts.given.map(sumOf)
  return isWhole(amountIn) && isWhole(amountOut) ? { ...record, amountIn, amountOut } : record
}

function total(parts: readonly (bigint | undefined)[]): bigint | undefined {
  return parts.reduce(
    (sum, part) => (sum === undefined || part === undefined ? undefined : sum + part),
    0n,
  )
}

function isWhole(amounts: readonly (bigint | undefined)[]): amounts is readonly bigint[] {
  return !amounts.includes(undefined)
}
