/** Which events of a chain tell of new pools, and what one of them says. Pure. */
import type { ChainDefinition } from '../chains/chain.js'
import { defined } from '../domain/defined.js'
import type { Address } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import type { EventSource, PoolEvents } from '../protocols/pool-events.js'
import type { ProtocolAdapter } from '../protocols/protocol.js'
import { protocols } from '../protocols/registry.js'
import type { EventLog } from '../rpc/node/mined/event-logs.js'

/** One kind of event of one contract; each has a cursor of its own. */
export interface PoolSource extends EventSource {
  /** Stored with the cursor. */
  readonly key: string
  readonly protocol: string
  /** What it tells of is listed among positions, and not for routes. */
  readonly onlyListed: boolean
}

export interface IndexedPool extends Pool {
  /** In which its creation lies. */
  readonly block: bigint
  readonly gate: Address | null
  /** True: no route finds its way by it. */
  readonly onlyListed?: true
}

export interface ChainSources {
  readonly sources: readonly PoolSource[]
  /** Exchanges of the chain whose pools no event of the venue tells. */
  readonly without: readonly string[]
  /** Null: the event tells of no pool. */
  read(log: EventLog): IndexedPool | null
}

export function sourcesOf(
  chain: ChainDefinition,
  all: readonly ProtocolAdapter[] = protocols,
): ChainSources {
  const known = new Map<
    string,
    { readonly adapter: ProtocolAdapter; readonly events: PoolEvents }
  >()
  const sources: PoolSource[] = []
  const without: string[] = []
  for (const adapter of all) {
    const venue = chain.venues[adapter.slug]
    const events = adapter.index
    if (!venue) continue
    const own = events?.sources(venue) ?? []
    if (adapter.category === 'dex' && own.length === 0) without.push(adapter.slug)
    for (const source of own) {
      const key = keyOf(source)
      // Two protocols that share a factory would be the same pools twice.
      if (!events || known.has(key)) continue
      known.set(key, { adapter, events })
      const onlyListed = events.onlyListed ?? false
      sources.push({ ...source, key, protocol: adapter.slug, onlyListed })
    }
  }
  return {
    sources,
    without,
    read(log) {
      const { address, topics, blockNumber } = log
      const source = topics[0] && known.get(keyOf({ address, topic: topics[0] }))
      if (!source) return null
      const { adapter, events } = source
      const pool = events.toPool(log, chain.venues[adapter.slug] ?? {})
      if (!pool) return null
      const { onlyListed } = events
      const gate = events.gate?.(pool) ?? null
      return {
        ...pool,
        block: blockNumber,
        gate,
        ...defined({ onlyListed: onlyListed || undefined }),
      }
    },
  }
}

function keyOf({ address, topic }: EventSource): string {
  return `${address}:${topic}`
}
