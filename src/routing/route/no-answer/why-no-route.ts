/** Looks why a search found no path, once it has found none: what a caller can do about it differs. */
import { encodeFunctionData, erc20Abi } from 'viem'
import type { RouteRequest } from '../../../domain/engine.js'
import { ForkrouteError } from '../../../domain/errors.js'
import type { NextStep } from '../../../domain/next-step.js'
import { type Address, isNative, maxUint128 } from '../../../domain/primitives.js'
import { protocolBySlug } from '../../../protocols/registry.js'
import type { Task } from '../../block/task.js'
import type { MarketPools } from '../../market/market-view.js'
import { noRoute } from '../failures.js'

/** Larger amounts are tried in steps of this, below the largest that an order can have: at most 32 searches. */
const step = 16n
/**
 * Searches that halve the step between an amount that finds nothing and one that does. They lead to the single raw unit
 * below 2^64, and else to within 1e-18 of the amount.
 */
const mostHalvings = 64

export interface MissingPath {
  readonly request: RouteRequest
  readonly missing: { readonly tokenIn: Address; readonly tokenOut: Address }
  /** What the request may use, and all that there is. */
  readonly view: MarketPools
  readonly all: MarketPools
  readonly maxHops: number
  /** Whether there is a path for so much of the one input, fee included; false past the deadline, too. */
  isFound(amount: bigint): boolean
}

/** @returns NO_ROUTE, or STATE_UNAVAILABLE where too little could be read to say so. */
export async function whyNoRoute(task: Task, args: MissingPath): Promise<ForkrouteError> {
  const { missing, view, maxHops } = args
  const { chain } = task
  const strangers = await noTokens(task, [missing.tokenIn, missing.tokenOut])
  if (strangers.length) {
    const are = strangers.length === 1 ? 'is no token' : 'are no tokens'
    const place = `of chain ${chain.id} (${chain.name})`
    return new ForkrouteError(
      'NO_ROUTE',
      `${strangers.join(' and ')} ${are} at this block ${place}. Check the address, and that chainId names the chain of the token.`,
      {
        ...missing,
        notTokens: strangers,
        next: [...parametersOf(args, strangers), { parameter: 'chainId' }],
      },
    )
  }
  const why = noRoute(view, missing, chain, {
    maxHops,
    ignored: ignoredVenues(args),
    disabled: disabledVenues(args, task.settings.disabledAggregators),
  })
  if (why.code !== 'NO_ROUTE') return why
  const smallest = smallestOf(args)
  // Past the deadline no amount is tried any more, so that this one need not be the smallest.
  if (smallest === null || task.clock.isLate()) return why
  const [amountIn] = args.request.inputs
  return new ForkrouteError(
    'NO_ROUTE',
    `${amountIn?.amount} of ${missing.tokenIn} is too small for any pool on the way to ${missing.tokenOut}: the smallest amount that gives something is ${smallest.isExact ? '' : 'at most '}${smallest.amount}.`,
    {
      ...why.details,
      smallestAmountIn: smallest.amount.toString(),
      next: [{ parameter: 'amountIn', value: smallest.amount.toString() }],
    },
  )
}

/** The parameters that name the tokens. */
function parametersOf(
  { missing: { tokenIn, tokenOut } }: MissingPath,
  tokens: readonly Address[],
): NextStep[] {
  return [
    ...(tokens.includes(tokenIn) ? [{ parameter: 'tokenIn' }] : []),
    ...(tokens.includes(tokenOut) ? [{ parameter: 'tokenOut' }] : []),
  ]
}

/** The addresses that do not answer `balanceOf` with a number. */
async function noTokens(task: Task, addresses: readonly Address[]): Promise<Address[]> {
  const asked = addresses.filter((token) => !isNative(token))
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [task.chain.wrappedNative],
  })
  const answers = await task.reader.call(asked.map((to) => ({ to, data })))
  return asked.filter((_token, index) => {
    const answer = answers[index]
    return answer?.ok ? answer.value.length < 66 : answer?.reason === 'reverted'
  })
}

/** Names of the request's own ignore lists under which pools were left out. */
function ignoredVenues({ request, view, all }: MissingPath): string[] {
  const ignored = new Set([...request.ignoreAggregators, ...request.ignoreStandards])
  const names = leftOut({ view, all }).map((slug) =>
    ignored.has(slug) ? slug : (protocolBySlug(slug)?.project ?? slug),
  )
  return [...new Set(names)].filter((name) => ignored.has(name)).sort()
}

/** The service's disabled exchanges that have pools between the tokens. */
function disabledVenues(
  views: Pick<MissingPath, 'view' | 'all'>,
  disabled: readonly string[] = [],
): string[] {
  return [...new Set(leftOut(views))].filter((slug) => disabled.includes(slug)).sort()
}

/** Protocols of the pools that there are and that may not be used, each as often as it has any. */
function leftOut({ view, all }: Pick<MissingPath, 'view' | 'all'>): string[] {
  const used = new Set(view.pools)
  return all.pools.filter((market) => !used.has(market)).map(({ adapter }) => adapter.slug)
}

/** Fee included; null where no larger amount finds a path, or there are several inputs or outputs. */
function smallestOf({ request, isFound }: MissingPath): SmallestAmount | null {
  const [input, ...others] = request.inputs
  // A stated output has no input to enlarge.
  if (!input?.amount || others.length || request.tokensOut.length > 1) return null
  return smallestAmount(input.amount, isFound)
}

interface SmallestAmount {
  /** Raw units, for which there is a path. */
  readonly amount: bigint
  /** Whether there is no path for one raw unit less. */
  readonly isExact: boolean
}

/**
 * The smallest amount for which a path is found, by at most 96 searches.
 * @param tooSmall - raw units, above zero, for which there is none.
 * @returns null where none is found in steps of 16 below 2^128.
 */
export function smallestAmount(
  tooSmall: bigint,
  isFound: (amount: bigint) => boolean,
): SmallestAmount | null {
  let low = tooSmall
  let high = low * step
  while (!isFound(high)) {
    if (high > maxUint128 / step) return null
    low = high
    high *= step
  }
  for (let halvings = 0; high - low > 1n && halvings < mostHalvings; halvings += 1) {
    const middle = (low + high) / 2n
    if (isFound(middle)) high = middle
    else low = middle
  }
  return { amount: high, isExact: high - low === 1n }
}
