/**
 * Looks what stands against the whole amount where no path takes it: how much would be taken, and why the pools between
 * the two tokens refuse, such as a vault that is paused or full.
 */
import { decodeErrorResult } from 'viem'
import { contractErrorsAbi } from '../../../bridges/registry.js'
import { ForkrouteError } from '../../../domain/errors.js'
import { type Address, bpsDenominator, type Hex } from '../../../domain/primitives.js'
import { executorErrorsAbi } from '../../../executor/errors.js'
import { decodeRevert } from '../../../forks/revert.js'
import { poolName } from '../../../protocols/pool.js'
import { quietly } from '../../../telemetry/quietly.js'
import type { Task } from '../../block/task.js'
import type { MarketPool } from '../../market/market-view.js'
import type { Flow } from '../../search/flow.js'
import type { PreparedRoute } from '../prepare.js'
import { prove } from '../prove.js'

/** Pools between the two tokens that are asked. */
const mostPools = 3
/** Smaller amounts are tried in steps of this. */
const step = 256n
/** The largest amount is told to within this part of it. */
const closeEnough = 1_000n

export interface RefusedAmount {
  readonly missing: { readonly tokenIn: Address; readonly tokenOut: Address }
  /** Whether there is a path for so much of the one input, fee included; false past the deadline, too. */
  isFound(amount: bigint): boolean
}

interface Refusal {
  readonly protocol: string
  readonly pool: string
  readonly reason: string
}

/** The error with the largest amount that finds a path, and what pools between the tokens say to the whole. */
export async function withRefusals(
  task: Task,
  prepared: PreparedRoute,
  args: RefusedAmount,
  error: ForkrouteError,
): Promise<ForkrouteError> {
  const [input, ...others] = prepared.request.inputs
  const isSingle = input && !others.length && prepared.request.tokensOut.length === 1
  // A stated output has no amount yet that pools could refuse.
  if (!isSingle || prepared.request.amountOut !== undefined) return error
  const refusals = await refusalsOf(task, prepared, args)
  const tried = largestAmount(input.amount, args)
  // Past the deadline no amount is tried any more, so that this one need not be near the largest.
  const largest = task.clock.isLate() ? null : tried
  if (!refusals.length && largest === null) return error
  const sentences = [
    ...refusals.map(
      ({ protocol, pool, reason }) => `${protocol} at ${pool} refuses it: ${reason}.`,
    ),
    ...(largest === null ? [] : [`About ${largest} can be routed.`]),
  ]
  return new ForkrouteError('NO_ROUTE', [error.message, ...sentences].join(' '), {
    ...error.details,
    ...(refusals.length > 0 && { refusals }),
    ...(largest !== null && {
      largestAmountIn: largest.toString(),
      next: [{ parameter: 'amountIn', value: largest.toString() }],
    }),
  })
}

/** Raw units that find a path, near the most; null where the search for smaller amounts finds none. */
function largestAmount(amount: bigint, { isFound }: RefusedAmount): bigint | null {
  let high = amount
  let low = high / step
  while (!isFound(low)) {
    if (low === 0n) return null
    high = low
    low = high / step
  }
  while (high - low > 1n + low / closeEnough) {
    const middle = (low + high) / 2n
    if (isFound(middle)) low = middle
    else high = middle
  }
  return low
}

/** What each pool between the two tokens reverts with, alone and for the whole amount. */
async function refusalsOf(
  task: Task,
  prepared: PreparedRoute,
  { missing: { tokenIn, tokenOut } }: RefusedAmount,
): Promise<Refusal[]> {
  const pools = prepared.usable.pools
    .filter(
      ({ loaded: { pool } }) => pool.tokens.includes(tokenIn) && pool.tokens.includes(tokenOut),
    )
    .slice(0, mostPools)
  const { funded } = prepared
  if (!pools.length || !funded || task.clock.isLate()) return []
  const attempts = await quietly(
    prove(
      task,
      { ...prepared, inputs: prepared.statedInputs, funded },
      pools.map((market) => alone(market, tokenIn, tokenOut)),
    ),
    'A refusal is told without its reason where the pool cannot be tried.',
  )
  return (attempts ?? []).flatMap(({ built: { candidate }, result }) => {
    const market = pools.find(({ loaded }) => poolName(loaded.pool) === candidate.key)
    if (result?.status !== 'reverted' || !market) return []
    const { adapter, loaded } = market
    const reason = inWords(market, result.returnData, result.reason)
    return [{ protocol: adapter.slug, pool: poolName(loaded.pool), reason }]
  })
}

/** The candidate that swaps in the one pool. */
function alone(market: MarketPool, tokenIn: Address, tokenOut: Address): Flow {
  return {
    edges: [{ hop: { kind: 'swap', tokenIn, tokenOut, market }, spends: Number(bpsDenominator) }],
    amountOut: 0n,
    exact: false,
    gas: 0n,
    isSplit: false,
    key: poolName(market.loaded.pool),
  }
}

/** The reason of the step that failed, in the protocol's words where it answers in codes. */
function inWords({ adapter }: MarketPool, returnData: Hex, reason: string): string {
  const { actions } = adapter
  const inner = reasonOfStep(returnData)
  const said = inner
    ? decodeRevert(inner, [...contractErrorsAbi, ...(actions?.errorsAbi ?? [])])
    : reason
  const words = actions?.explain?.(said)
  return words ? `${said}: ${words}` : said
}

/** Revert data of the step that failed; null where the transaction does not tell it. */
function reasonOfStep(returnData: Hex): Hex | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: executorErrorsAbi, data: returnData })
    const last = args.at(-1)
    return errorName === 'StepFailed' && typeof last === 'string' ? (last as Hex) : null
  } catch {
    return null
  }
}
