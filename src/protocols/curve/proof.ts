/**
 * Checks whether the math here computes what the pool computes. Vintages differ in rounding, rates and fees, and an
 * imported pool may be of another kind than its parameters say, so each pool is asked for a few quotes.
 */

import { at } from '../../domain/lists.js'
import type { ReadResult } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import {
  encodeGetDy,
  encodeGetDyUnderlying,
  encodeGetter,
  encodeWithdrawal,
  wordOf,
} from './abi.js'
import { cryptoAmountOut } from './crypto-math.js'
import { isMetaPair } from './meta-math.js'
import type { Candidate, Reading } from './native-state.js'
import type { CurveParameters } from './parameters.js'
import { virtualPrice, withdrawOne } from './stable-liquidity.js'
import { exchange } from './stable-math.js'
import type { NativeState, Solvable } from './state.js'

export interface Question {
  readonly reading: Reading
  /** What the pool would answer with this state; pools of one kind quote in more than one way. */
  answersOf(state: Solvable): readonly bigint[]
}

/** Indexes of the two tokens, and raw units of the first. */
interface Quoted {
  readonly i: number
  readonly j: number
  readonly amountIn: bigint
}

/** @returns what `get_dy` takes to quote the two tokens; null where the pool does not trade them. */
export function quoteReading(
  pool: Pool,
  { kind, indexType }: CurveParameters,
  { i, j, amountIn }: Quoted,
): Reading | null {
  if (kind !== 'meta' || (i < 2 && j < 2)) {
    return { to: pool.address, data: encodeGetDy(indexType, i, j, amountIn) }
  }
  if (!isMetaPair(i, j)) return null
  // Underlying indexes leave out the shares.
  const underlying = (k: number) => Math.max(k - 1, 0)
  const data = encodeGetDyUnderlying(underlying(i), underlying(j), amountIn)
  return { to: pool.address, data }
}

/**
 * Two quotes in different directions and sizes; for a metapool also the figures of its base pool.
 *
 * @param balances - raw units; null: not readable.
 */
export function questionsOf(
  pool: Pool,
  parameters: CurveParameters,
  balances: readonly (bigint | null)[],
  candidate: Candidate,
): Question[] {
  const last = parameters.kind === 'meta' ? 1 : parameters.decimals.length - 1
  // An unreadable balance gives no amount to ask for.
  const heldOf = (k: number) => at(balances, k) ?? 0n
  const probes = [
    { i: 0, j: 1, amountIn: (heldOf(0) + 999n) / 1000n },
    { i: last, j: 0, amountIn: heldOf(last) / 7n },
  ]
  const questions = probes.flatMap((probe): Question[] => {
    const { i, j, amountIn } = probe
    const reading = quoteReading(pool, parameters, probe)
    if (!reading || amountIn === 0n) return []
    return [{ reading, answersOf: (state) => quotesOf(state, i, j, amountIn) }]
  })
  const { basePool } = parameters
  if (!basePool || candidate.proof.kind !== 'meta') return questions
  const k = candidate.proof.base.pool.balances.length - 1
  const shares = candidate.proof.base.supply / 1000n
  return [
    ...questions,
    {
      reading: { to: basePool, data: encodeGetter('get_virtual_price') },
      answersOf: (state) => (state.kind === 'meta' ? [virtualPrice(state.base)] : []),
    },
    {
      reading: { to: basePool, data: encodeWithdrawal(shares, k) },
      answersOf: (state) =>
        state.kind === 'meta' ? [withdrawOne(state.base, k, shares)?.amountOut ?? 0n] : [],
    },
  ]
}

function quotesOf(state: Solvable, i: number, j: number, amountIn: bigint): readonly bigint[] {
  const pool = state.kind === 'meta' ? state.pool : state
  if (pool.kind === 'crypto') return [cryptoAmountOut(pool, i, j, amountIn)]
  const swap = exchange(pool, i, j, amountIn)
  return swap ? [swap.amountOut, swap.quotedEarly] : [0n]
}

/**
 * The first candidate that gives every answer to the wei, else the first that comes close to all of them.
 *
 * @param answers - of `questionsOf`; failed ones are ignored.
 * @returns null when the answers contradict every candidate.
 */
export function proven(
  candidates: readonly Candidate[],
  questions: readonly Question[],
  answers: readonly ReadResult[],
): { readonly state: NativeState; readonly isProven: boolean } | null {
  const known = questions.flatMap((question, k) => {
    const answer = wordOf(answers[k])
    return answer === null ? [] : [{ question, answer }]
  })
  const [likeliest] = candidates
  if (!likeliest) return null
  if (known.length === 0) return { state: { ...likeliest.state, exact: false }, isProven: false }
  const equal = candidates.find(({ proof }) =>
    known.every(({ question, answer }) => question.answersOf(proof).includes(answer)),
  )
  if (equal) {
    const isProven = known.length === questions.length
    return { state: { ...equal.state, exact: isProven && equal.isSteady }, isProven }
  }
  const near = candidates.find(({ proof }) =>
    known.every(({ question, answer }) => isNear(proof, question.answersOf(proof), answer)),
  )
  return near ? { state: { ...near.state, exact: false }, isProven: false } : null
}

/** Close enough to rank by: one in 10 million for stable pools, one in 10,000 for crypto pools. */
function isNear(state: Solvable, computed: readonly bigint[], answer: bigint): boolean {
  const tolerance = 2n + answer / (state.kind === 'crypto' ? 10_000n : 10_000_000n)
  return computed.some((item) => {
    const difference = item > answer ? item - answer : answer - item
    return difference <= tolerance
  })
}
