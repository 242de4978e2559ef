/**
 * What amounts of a token would give on the destination, by native math alone: to compare lanes by. One search serves
 * amounts that are close to each other, as those of several lanes are.
 */
import { at } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import { isVerified } from '../market/verified.js'
import { findCandidates } from '../search/candidates.js'
import type { Flow } from '../search/flow.js'
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
    const ofVerified = prospectsOf(amounts, (amount, knownSplits) => {
      const inputs = [{ token: tokenIn, amount }]
      return findCandidates({ ...argsFor(verified), inputs, knownSplits }).candidates
    })
    if (!ofVerified.includes(null) || verified.length === usable.pools.length) return ofVerified
    return prospectsOf(amounts, (amount, knownSplits) => {
      const inputs = [{ token: tokenIn, amount }]
      return findCandidates({ ...argsFor(usable.pools), inputs, knownSplits }).candidates
    })
  })
}

/** Of nearly the same amount, splits are adapted. */
const nearly = 100n

function prospectsOf(
  amounts: readonly bigint[],
  search: (amount: bigint, knownSplits: readonly Flow[] | undefined) => readonly Flow[],
): (bigint | null)[] {
  let last: { readonly amount: bigint; readonly splits: readonly Flow[] } | undefined
  return amounts.map((amount) => {
    if (amount <= 0n) return null
    const isNear = last && (amount - last.amount) ** 2n * nearly ** 2n <= last.amount ** 2n
    const found = search(amount, isNear ? last?.splits : undefined)
    if (!isNear) last = { amount, splits: found.filter(({ isSplit }) => isSplit) }
    return found.reduce<bigint | null>(
      (best, { amountOut }) => (best === null || amountOut > best ? amountOut : best),
      null,
    )
  })
}
