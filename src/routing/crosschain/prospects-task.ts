/**
 * What amounts of a token would give on the destination, by native math alone: to compare lanes by. One search serves
 * amounts that are close to each other, as those of several lanes are.
 */
import { at } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import type { MarketPool } from '../market/market.js'
import { isVerified } from '../market/verified.js'
import { findCandidates } from '../search/candidates.js'
import { type Flow, runFlow } from '../search/flow.js'
import { openSearch } from '../tasks/open-search.js'
import type { ProspectsArgs } from './messages.js'

/** @returns Raw units for each amount; null where no way is found. */
export async function runProspects(
  run: TaskRun,
  { request, amounts }: ProspectsArgs,
): Promise<readonly (bigint | null)[]> {
  const { token: tokenIn } = at(request.inputs, 0)
  const tokenOut = at(request.tokensOut, 0)
  const { usable, argsFor } = await run.stage('state', () => openSearch(run, request))
  const named = new Set<Address>([tokenIn, tokenOut])
  // Others may promise what they do not pay.
  const verified = usable.pools.filter((pool) => isVerified(pool, named))
  return run.stage('search', async () => {
    const among = (pools: readonly MarketPool[]) =>
      prospectsOf(
        { tokenIn, tokenOut, amounts },
        (amount) =>
          findCandidates({ ...argsFor(pools), inputs: [{ token: tokenIn, amount }] }).candidates,
      )
    const ofVerified = among(verified)
    const isEnough = !ofVerified.includes(null) || verified.length === usable.pools.length
    return isEnough ? ofVerified : among(usable.pools)
  })
}

/** An amount that differs by less than one part in this takes the ways of the other: what that costs is of second order. */
const nearly = 100n

function prospectsOf(
  asked: {
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly amounts: readonly bigint[]
  },
  search: (amount: bigint) => readonly Flow[],
): (bigint | null)[] {
  const { tokenIn, tokenOut } = asked
  let last: { readonly amount: bigint; readonly found: readonly Flow[] } | undefined
  return asked.amounts.map((amount) => {
    if (amount <= 0n) return null
    const isNear = last && (amount - last.amount) ** 2n * nearly ** 2n <= last.amount ** 2n
    last = last && isNear ? last : { amount, found: search(amount) }
    const inputs = [{ token: tokenIn, amountIn: amount }]
    return last.found.reduce<bigint | null>((best, { edges }) => {
      const { amountOut } = runFlow(edges, inputs, tokenOut)
      return best === null || amountOut > best ? amountOut : best
    }, null)
  })
}
