/**
 * Why there is no answer: no path, no path that works, or too little readable state to decide.
 */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { MarketPools } from '../market/market-view.js'
import { type Attempt, describe, unreadableReason } from './built.js'
import { leftOutWarnings, unreadableWarnings } from './warnings.js'

export function noRoute(
  view: MarketPools,
  missing: { tokenIn: Address; tokenOut: Address },
  chain: Pick<ChainDefinition, 'wrappedNative'>,
  limits: {
    readonly maxHops: number
    /** Exchanges that the request leaves out; absent: none. */
    readonly ignored?: readonly string[]
    /** Exchanges that the service leaves out; absent: none. */
    readonly disabled?: readonly string[]
  },
): ForkrouteError {
  const { maxHops, ignored = [], disabled = [] } = limits
  const warnings = [...unreadableWarnings(view.unreadable), ...leftOutWarnings(view.unreadable)]
  const canonical = (token: Address) => canonicalToken(chain, token)
  const ends = [canonical(missing.tokenIn), canonical(missing.tokenOut)]
  // A failed look-up of one of the two tokens could have found exactly the missing pool.
  const isUndecided = view.unreadable.some(
    ({ pair, isLeftOut }) =>
      !isLeftOut && (!view.pools.length || pair?.some((token) => ends.includes(canonical(token)))),
  )
  if (isUndecided) {
    return new ForkrouteError(
      'STATE_UNAVAILABLE',
      'Not every pool could be looked up at this block, so whether a route exists is not known. Try again, or ask at another block.',
      { ...missing, warnings },
    )
  }
  const reasons = [
    ...(ignored.length ? [`; left out, as the request says: ${ignored.join(', ')}`] : []),
    ...(disabled.length ? [`; disabled in this service: ${disabled.join(', ')}`] : []),
  ]
  return new ForkrouteError(
    'NO_ROUTE',
    `No route from ${missing.tokenIn} to ${missing.tokenOut} within ${maxHops} hops takes the whole amount${reasons.join('')}.`,
    {
      ...missing,
      maxHops,
      ...(ignored.length && { ignored }),
      ...(disabled.length && { disabled }),
      ...(warnings.length && { warnings }),
      ...(ignored.length && {
        next: ['ignoreAggregators', 'ignoreStandards'].map((parameter) => ({
          parameter,
          value: null,
        })),
      }),
    },
  )
}

/** @param most - raw units of the same token that would be found. */
export function outputTooLarge(
  tokenIn: Address,
  { token: tokenOut, amount }: TokenAmount,
  most: bigint,
): ForkrouteError {
  return new ForkrouteError(
    'NO_ROUTE',
    `No input of ${tokenIn} gives ${amount} of ${tokenOut}: the pools hold too little. Ask for ${most} or less.`,
    {
      tokenIn,
      tokenOut,
      amountOut: amount.toString(),
      largestAmountOut: most.toString(),
      next: [{ parameter: 'amountOut', value: most.toString() }],
    },
  )
}

export function nothingInTime({ deadlineMs }: Pick<RouteRequest, 'deadlineMs'>): ForkrouteError {
  return new ForkrouteError(
    'DEADLINE_EXCEEDED',
    `Nothing was found within ${deadlineMs ?? 0} ms. A larger deadlineMs gives the search more time.`,
    { next: [{ parameter: 'deadlineMs' }] },
  )
}

export function nothingProven(attempts: readonly Attempt[], request: RouteRequest): ForkrouteError {
  if (attempts.some(({ result }) => result === null)) return nothingInTime(request)
  const candidates = attempts.map(({ built: { candidate }, result }) => {
    const reason =
      result?.status === 'reverted'
        ? result.reason
        : result?.status === 'unreadable'
          ? unreadableReason
          : 'no output'
    return describe(candidate, reason)
  })
  if (attempts.every(({ result }) => result?.status === 'unreadable')) {
    return new ForkrouteError(
      'STATE_UNAVAILABLE',
      'Paths exist, but each of them needs state that the node does not give at this block. Try again, or ask at a newer block: old ones need an archive node.',
      { candidates },
    )
  }
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    `All ${attempts.length} candidates failed in simulation, most of them so: ${mostFrequent(candidates.map(({ reason }) => reason))}.`,
    { candidates, next: [{ parameter: 'explain', value: 'true' }] },
  )
}

/** The first of those that come most often. */
function mostFrequent(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return first?.[0] ?? ''
}
