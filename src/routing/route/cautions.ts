/**
 * What may move in the pools of a transaction before it lands, in one list: what each protocol says of its pool, and what
 * holds for every pool with a token whose balances change by themselves.
 */
import { type Caution, cautionsWhere, type PoolCaution } from '../../domain/caution.js'
import type { Address } from '../../domain/primitives.js'
import { type Pool, poolName } from '../../protocols/pool.js'
import { quietly } from '../../telemetry/quietly.js'
import type { BlockFacts } from '../block/block-facts.js'
import type { Task } from '../block/task.js'
import { type Flow, swapsOf } from '../search/flow.js'

/**
 * In the order of the swaps; none where the service leaves them out.
 *
 * @throws ForkrouteError as any reading: of tokens that nothing else at the block has asked about.
 */
export async function cautionsOf(
  task: Pick<Task, 'settings' | 'reader'> & { readonly facts: Pick<BlockFacts, 'rebases'> },
  flow: Pick<Flow, 'edges'>,
): Promise<Caution[]> {
  if (task.settings.cautions === false) return []
  const swaps = swapsOf(flow)
  const rebasing = await rebasingOf(
    task,
    swaps.flatMap(({ loaded }) => loaded.pool.tokens),
  )
  return swaps.flatMap(({ adapter, loaded: { pool, state } }) => {
    const own = adapter.swaps.cautions?.(pool, state) ?? []
    const saysSo = own.some(({ kind }) => kind === 'rebase')
    const found = saysSo ? own : [...own, ...rebaseCautions(pool, rebasing)]
    return found.map(({ kind, message }) => {
      return { pool: poolName(pool), protocol: adapter.slug, kind, message }
    })
  })
}

/** Begins to read what `cautionsOf` asks of the tokens of a request, so that nobody waits for it in the end. */
export function readCautionsAhead(
  task: Parameters<typeof cautionsOf>[0],
  tokens: readonly Address[],
): void {
  if (task.settings.cautions === false) return
  void quietly(rebasingOf(task, tokens), 'The answer reads it again.')
}

/** Those among the tokens whose balances change by themselves. */
async function rebasingOf(
  { facts, reader }: Parameters<typeof cautionsOf>[0],
  tokens: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const distinct = [...new Set(tokens)]
  const answers = await Promise.all(distinct.map((token) => facts.rebases(reader, token)))
  return new Set(distinct.filter((_token, index) => answers[index]))
}

function rebaseCautions({ tokens }: Pool, rebasing: ReadonlySet<Address>): readonly PoolCaution[] {
  return cautionsWhere([
    tokens.some((token) => rebasing.has(token)),
    'rebase',
    'The pool holds a token whose balances change by themselves.',
  ])
}
