/**
 * What a transaction does to whoever sends it, and what that is worth where nobody has moved a price: what is taken
 * and not given back is a loss wherever it stays, in a pool, too.
 */
import { expect } from 'vitest'
import { type Address, nativeToken } from '../../../../src/domain/primitives.js'
import type { Answer } from '../../service/service.js'

/** Raw units that somebody gains; of debts that are repaid. */
export interface Change {
  readonly tokens: ReadonlyMap<Address, bigint>
  readonly holdings: readonly bigint[]
}

/** Of the answer, and the native token, which may go as value. */
export function tokensOf(body: Answer['body']): Address[] {
  const named = [...Object.keys(body.amountsIn), ...Object.keys(body.amountsOut)] as Address[]
  return [...new Set([...named, nativeToken])]
}

/** Units by which rounding may differ. */
const rounding = 2n

/**
 * Fails where more is taken, or less is given, than the answer says; of what has no token, than the slippage allows.
 *
 * @param alone - what the transaction does by itself.
 */
export function expectPromise(
  body: Answer['body'],
  slippageBps: bigint,
  { change, alone }: { readonly change: Change; readonly alone: Change },
): void {
  for (const [token, delta] of change.tokens) {
    const least = BigInt(body.minAmountsOut[token] ?? 0) - BigInt(body.maxAmountsIn[token] ?? 0)
    expect(delta, `${token}, of which the answer promises ${least}`).toBeGreaterThanOrEqual(least)
  }
  for (const [index, delta] of change.holdings.entries()) {
    const before = alone.holdings[index] ?? 0n
    const size = before < 0n ? -before : before
    const least = before - (size * slippageBps) / 10_000n - rounding
    expect(delta, `holding ${index}`).toBeGreaterThanOrEqual(least)
  }
}

/**
 * What is lost against the transaction alone, of what it gives in (or, where that is nothing, brings).
 *
 * @param prices - USD per raw unit; one thing without a price is worth what is given for it alone.
 * @returns basis points; null where several have no price.
 */
export function lossBps(
  { change, alone }: { readonly change: Change; readonly alone: Change },
  prices: ReadonlyMap<Address, number>,
): number | null {
  const rows = [
    ...[...alone.tokens].map(([token, delta]) => ({
      alone: Number(delta),
      now: Number(change.tokens.get(token) ?? 0n),
      price: prices.get(token) ?? null,
    })),
    ...alone.holdings.map((delta, index) => ({
      alone: Number(delta),
      now: Number(change.holdings[index] ?? 0n),
      price: null,
    })),
  ].filter((row) => row.alone !== 0 || row.now !== 0)
  const unknown = rows.filter(({ price }) => price === null)
  const [first] = unknown
  if (unknown.length > 1 || first?.alone === 0) return null
  const known = rows.reduce((sum, row) => sum + row.alone * (row.price ?? 0), 0)
  const priced = rows.map((row) => ({ ...row, price: row.price ?? -known / row.alone }))
  const given = priced.reduce((sum, { alone: each, price }) => sum + Math.max(0, -each * price), 0)
  const brought = priced.reduce((sum, { alone: each, price }) => sum + Math.max(0, each * price), 0)
  const lost = priced.reduce((sum, row) => sum + (row.alone - row.now) * row.price, 0)
  const whole = given || brought
  // What goes in and comes out again is nothing together.
  if (whole === 0) return lost > 0 ? Number.POSITIVE_INFINITY : 0
  return (lost / whole) * 10_000
}

/** What of the inputs it takes, in words. */
export function takenOf({
  change,
  alone,
}: {
  readonly change: Change
  readonly alone: Change
}): string {
  const pairs = [
    ...[...alone.tokens].map(([token, delta]) => [delta, change.tokens.get(token) ?? 0n] as const),
    ...alone.holdings.map((delta, index) => [delta, change.holdings[index] ?? 0n] as const),
  ].filter(([delta]) => delta < 0n)
  if (!pairs.length) return 'nothing'
  if (pairs.every(([before, after]) => after === before)) return 'as simulated'
  return pairs.every(([before, after]) => after >= before)
    ? 'no more than simulated'
    : 'within the maximum'
}
