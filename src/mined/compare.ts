/** Compares what each step moved with what it moved in the simulation, and finds who gave too little. Pure. */
import { type Address, bpsDenominator } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'
import { payerOf } from '../forks/call-frame.js'

export interface Shortfall {
  /** Who gave too little: a pool, a vault, a token's owner. */
  readonly payer: Address
  readonly token: Address
  /** Raw units in the simulation. */
  readonly promised: bigint
  /** The same in proportion, where the payer got less than in the simulation; at most `promised`. */
  readonly expected: bigint
  /** Raw units. */
  readonly happened: bigint
  /** The shortfall as a share of `expected`, in hundredths of a percent, rounded down. */
  readonly bps: number
}

export interface ComparedStep {
  /** Whom the step calls. */
  readonly target: Address
  readonly promised: readonly Movement[]
  /** Null: not reached, or failed. */
  readonly happened: readonly Movement[] | null
}

/** Less than this is rounding, or interest of a few seconds. */
const leastBps = 1n

/**
 * The shortfall of each step, null where it gave what it should: what others gave less before it is not its fault.
 *
 * @param own - accounts of the sender's side, which owe nothing: the sender, the runner, the receiver.
 */
export function shortfalls(
  steps: readonly ComparedStep[],
  own: ReadonlySet<Address>,
): (Shortfall | null)[] {
  const received = { promised: new Map<Address, bigint>(), happened: new Map<Address, bigint>() }
  return steps.map(({ target, promised, happened }) => {
    count(received.promised, promised)
    count(received.happened, happened ?? [])
    if (!happened) return null
    const found = promised.flatMap((one) => {
      const payer = payerOf(one, target)
      if (own.has(payer)) return []
      const { token } = one
      const given = (list: readonly Movement[]) => sumOf(list, target, payer, token)
      const whole = given(promised)
      const [before = 0n, after = 0n] = [received.promised.get(payer), received.happened.get(payer)]
      const expected = before > 0n && after < before ? (whole * after) / before : whole
      const less = expected - given(happened)
      if (less * bpsDenominator < expected * leastBps || less <= 0n) return []
      const bps = Number((less * bpsDenominator) / expected)
      return [{ payer, token, promised: whole, expected, happened: given(happened), bps }]
    })
    return found.sort((a, b) => b.bps - a.bps)[0] ?? null
  })
}

function count(sums: Map<Address, bigint>, movements: readonly Movement[]): void {
  for (const { to, amount } of movements) sums.set(to, (sums.get(to) ?? 0n) + amount)
}

function sumOf(
  movements: readonly Movement[],
  target: Address,
  payer: Address,
  token: Address,
): bigint {
  return movements
    .filter((one) => one.token === token && payerOf(one, target) === payer)
    .reduce((sum, { amount }) => sum + amount, 0n)
}
