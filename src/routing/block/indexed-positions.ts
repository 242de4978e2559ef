/** What the index adds to the positions of a protocol: contracts of factories that keep no list, by their events. */
import type { ChainDefinition } from '../../chains/chain.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { sourcesOf } from '../../pool-index/sources.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import { type Chosen, type PoolIndex, recall, remember } from './indexed-market.js'

export interface IndexedPositions {
  /** Known, and endorsed by nobody. */
  readonly pools: readonly Pool[]
  /** Where the index does not reach the block. */
  readonly unreadable: readonly Unreadable[]
}

/** @param args.index - null: nothing is known. */
export async function indexedPositions(
  args: {
    readonly chain: ChainDefinition
    readonly pin: BlockPin
    readonly index: PoolIndex | null
  },
  reader: StateReader,
  protocol: string,
): Promise<IndexedPositions> {
  const { chain, pin, index } = args
  const sources = sourcesOf(chain).sources.flatMap((source) =>
    source.onlyListed && source.protocol === protocol ? source.key : [],
  )
  if (!index || sources.length === 0) return { pools: [], unreadable: [] }
  const { upTo, pools } = await choose(index)
  const message =
    upTo === null
      ? 'The pool index holds nothing of this chain: what its factories made is not listed.'
      : `The pool index has reached block ${upTo}, which is ${pin.number - upTo} before this one.`
  const isBehind = upTo === null || upTo < pin.number
  const unreadable = isBehind ? [{ protocol, subject: 'events of factories', message }] : []
  return { pools, unreadable }

  async function choose({ settings, reader: open }: PoolIndex): Promise<Chosen> {
    const name = `positions of ${protocol}`
    if (settings.cassette === 'replay') return recall(reader, name)
    const found = open()?.listed(pin, sources, protocol) ?? { upTo: null, pools: [] }
    const chosen = { ...found, unreadable: [] }
    if (settings.cassette === 'record') await remember(reader, name, chosen)
    return chosen
  }
}
