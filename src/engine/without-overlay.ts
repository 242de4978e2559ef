/** Next to an answer that counts on what makers publish of the next block, a way that is proven on the chain as it is. */

import type { RouteAlternative, RouteAnswer, RouteRequest } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'

/** @param plainWay - the answer at the block without the overlay. */
export async function withPlainWay(
  answer: RouteAnswer,
  { alternatives: wanted = 0 }: Pick<RouteRequest, 'alternatives'>,
  plainWay: (block: BlockPin) => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  if (wanted === 0) return answer
  const { alternatives = [] } = answer
  const { changes: _, ...block } = answer.block
  const plain = await plainWay(block).catch(unlessNoWay)
  if (typeof plain === 'string') {
    const warning = `No way was found that does not count on the overlay: ${plain}`
    return { ...answer, warnings: [...answer.warnings, warning] }
  }
  // What is proven either way does not count on it.
  if (isSame(plain, answer)) return answer
  const known = alternatives.findIndex((one) => isSame(plain, one))
  if (known >= 0) {
    const marked = alternatives.map((one, index) =>
      index === known ? { ...one, withoutOverlay: true as const } : one,
    )
    return { ...answer, alternatives: marked }
  }
  const others = alternatives.slice(0, wanted - 1)
  return { ...answer, alternatives: [...others, toAlternative(plain, [answer, ...others])] }
}

/** @returns why there is none, for errors that are about the request. */
function unlessNoWay(error: unknown): string {
  if (error instanceof ForkrouteError && error.status === 422) return error.message
  throw error
}

function isSame(a: Pick<RouteAnswer, 'tx'>, b: Pick<RouteAnswer, 'tx'>): boolean {
  return a.tx.to === b.tx.to && a.tx.data === b.tx.data
}

function toAlternative(
  plain: RouteAnswer,
  before: readonly Pick<RouteAnswer, 'route' | 'warnings'>[],
): RouteAlternative {
  const used = new Set(before.flatMap(poolsOf))
  const [best] = before
  return {
    ...plain,
    warnings: plain.warnings.filter((warning) => !best?.warnings.includes(warning)),
    lossBps: null,
    sharedPools: [...new Set(poolsOf(plain))].filter((pool) => used.has(pool)).sort(),
    withoutOverlay: true,
  }
}

function poolsOf({ route }: Pick<RouteAnswer, 'route'>): string[] {
  return route.flatMap(({ internalRoutes = [] }) => internalRoutes.map(({ pool }) => pool))
}
