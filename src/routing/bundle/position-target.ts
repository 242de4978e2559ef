/** Finds the position without a token that a request names, by its id or by the address that it lies at. */
import { invalidRequest, notFound } from '../../domain/common-errors.js'
import { addressPattern } from '../../domain/grammar.js'
import type { Position, PositionAdapter } from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import type { TaskRun } from '../context/task-context.js'

export interface Target {
  readonly adapter: ProtocolAdapter
  readonly positions: PositionAdapter
  readonly position: Position
}

/** Ids that an error names. */
const shownIds = 10

export function positionIdOf(run: TaskRun, { position }: Pick<Target, 'position'>): string {
  return `${run.block.chain.id}:${position.primaryAddress}:${position.key}`
}

/**
 * @param named - id, or the `address` under which /nontokenized lists it, in lower case.
 * @throws ForkrouteError NOT_FOUND; INVALID_REQUEST for the address of several positions.
 */
export async function findTarget(run: TaskRun, named: string): Promise<Target> {
  const isNamed = addressPattern.test(named)
    ? ({ position }: Target) => position.poolAddress === named
    : (target: Target) => positionIdOf(run, target) === named
  const found = await firstOf(run, named, isNamed)
  const [target, ...others] = found
  if (!target) throw notFound(`position ${named} that a route can enter`, { positionOut: named })
  if (others.length === 0) return target
  const ids = found.map((one) => positionIdOf(run, one))
  const shown = ids.slice(0, shownIds).join(', ')
  throw invalidRequest([
    `positionOut must be the id of one of the ${ids.length} positions at ${named}: ${shown}`,
  ])
}

/** Those of the first protocol that has any. */
async function firstOf(
  run: TaskRun,
  named: string,
  isNamed: (target: Target) => boolean,
): Promise<readonly Target[]> {
  const { reader, block } = run
  const enterable = protocols.flatMap((adapter) => {
    const { positions } = adapter
    return positions?.enter && block.chain.venues[adapter.slug] ? [{ adapter, positions }] : []
  })
  for (const { adapter, positions } of enterable) {
    const all = await block.positions(reader, adapter)
    const found = all.map((position) => ({ adapter, positions, position })).filter(isNamed)
    if (found.length > 0) return found
  }
  // A pool between other tokens than connectors is listed once it is known, and exists either way.
  const key = named.split(':').at(-1) ?? ''
  if (!addressPattern.test(key.slice(0, 42))) return []
  for (const { adapter, positions } of enterable) {
    const [a, b] = (await positions.tokensOf?.({ reader, key })) ?? []
    if (!a || !b) continue
    const all = await block.positionsBetween(reader, adapter, [a, b])
    const found = all.map((position) => ({ adapter, positions, position })).filter(isNamed)
    if (found.length > 0) return found
  }
  return []
}
