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
export interface PoolSource extends Omit<EventSource, 'onlyListed'> {
  /** Stored with the cursor; by default the event's own. */
  readonly key: string
  readonly protocol: string
  /** What it tells of is listed among positions, and not for routes. */
  readonly onlyListed: boolean
}

export interface IndexedPool extends Pool {
  /** In which its creation lies. */
  readonly block: bigint
  readonly gate: Address | null
  /** Key of the source that tells of it; absent where it is read from the file. */
  readonly source?: string
  /** True: no route finds its way by it. */
  readonly onlyListed?: true
}

export interface ChainSources {
  readonly sources: readonly PoolSource[]
  /** Exchanges of the chain whose pools no event of the venue tells. */
  readonly without: readonly string[]
  /** Empty: the event tells of no pool. Several: a declared factory may be that of a protocol, too. */
  read(log: EventLog): readonly IndexedPool[]
}

export function sourcesOf(
  chain: ChainDefinition,
  all: readonly ProtocolAdapter[] = protocols,
): ChainSources {
  type Teller = {
    readonly adapter: ProtocolAdapter
    readonly events: PoolEvents
    readonly onlyListed: true | undefined
  }
  const known = new Map<string, Teller>()
  const keys = new Map<string, string[]>()
  const sources: PoolSource[] = []
  const without: string[] = []
  for (const adapter of all) {
    const venue = chain.venues[adapter.slug]
    const events = adapter.index
    if (!venue) continue
    const own = events?.sources(venue) ?? []
    if (adapter.category === 'dex' && own.length === 0) without.push(adapter.slug)
    for (const source of own) {
      const event = eventOf(source)
      const { key = event } = source
      // Two protocols that share a factory would be the same pools twice.
      if (!events || known.has(key)) continue
      known.set(key, { adapter, events, onlyListed: source.onlyListed })
      keys.set(event, [...(keys.get(event) ?? []), key])
      const onlyListed = source.onlyListed ?? false
      sources.push({ ...source, key, protocol: adapter.slug, onlyListed })
    }
  }
  return {
    sources,
    without,
    read(log) {
      const { address, topics, blockNumber } = log
      const [topic] = topics
      return (topic ? (keys.get(eventOf({ address, topic })) ?? []) : []).flatMap((source) => {
        const teller = known.get(source)
        if (!teller) return []
        const { adapter, events, onlyListed } = teller
        const pool = events.toPool(log, chain.venues[adapter.slug] ?? {})
        if (!pool) return []
        const gate = events.gate?.(pool) ?? null
        return { ...pool, source, block: blockNumber, gate, ...defined({ onlyListed }) }
      })
    },
  }
}

function eventOf({ address, topic }: EventSource): string {
  return `${address}:${topic}`
}
