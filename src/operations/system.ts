/** What a running process is made of and has learnt: chains and their nodes, forks, threads, caches. */

import type { DeclaredVenue } from '../domain/declared-venue.js'
import type { Engine } from '../domain/engine.js'
import type { ChainState, NodeState, SystemState, VenueState } from '../domain/operations/system.js'
import type { WorkerPool } from '../engine/worker-pool.js'
import type { ForkPool } from '../forks/pool.js'
import { countOfVenues } from '../pool-index/search.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { ArchiveStats } from '../rpc/archive/archive-messages.js'
import type { NodeStatus } from '../rpc/node/node-status.js'
import { withoutAddresses } from './masked.js'

export interface SystemParts {
  readonly engine: Pick<Engine, 'networks' | 'readiness'>
  readonly archive: Pick<Archive, 'status' | 'stats'>
  readonly forks: Pick<ForkPool, 'stats'>
  readonly workers: Pick<WorkerPool, 'threads' | 'tasks' | 'queueLength'>
  readonly version: string
  readonly processes: number
  readonly venues: readonly DeclaredVenue[]
  /** Where the index of pools lies. */
  readonly indexDir: string
  /** Whether the sandbox plays the chains. */
  readonly isSandbox: boolean
  /** Size on disk of the cache of chain state. */
  diskBytes(): Promise<number>
}

/** Nothing of it names a node by its URL. */
export async function systemState(parts: SystemParts): Promise<SystemState> {
  const { archive, engine, workers } = parts
  const [stats, diskBytes] = await Promise.all([archive.stats(), parts.diskBytes()])
  const forks = parts.forks.stats()
  const names = new Map(engine.networks().map(({ id, name }) => [id, name]))
  return {
    version: parts.version,
    nodeVersion: process.versions.node,
    uptimeSeconds: Math.floor(process.uptime()),
    residentBytes: process.memoryUsage.rss(),
    processes: parts.processes,
    threads: { count: workers.threads, tasks: workers.tasks(), waiting: workers.queueLength() },
    forks: {
      count: forks.forks,
      blocks: forks.blocks,
      leases: forks.leases,
      restarts: forks.restarts,
      residentBytes: forks.rssBytes,
    },
    cache: { items: stats.memoryItems, diskBytes, served: stats.served },
    chains: engine.readiness().chains.map((chain): ChainState => {
      const { chainId, ready, problem, blockNumber, ageSeconds } = chain
      const chainStats = stats.chains.find((one) => one.chainId === chainId)
      return {
        chainId,
        ready,
        blockNumber,
        ageSeconds,
        isSandbox: parts.isSandbox,
        name: names.get(chainId) ?? String(chainId),
        problem: problem && withoutAddresses(problem),
        nodes: archive
          .status(chainId)
          .nodes.map((status, index) => nodeOf(status, index, chainStats)),
        reads: {
          memory: chainStats?.memoryHits ?? 0,
          disk: chainStats?.sqliteHits ?? 0,
          code: chainStats?.codeHits ?? 0,
          empty: chainStats?.emptyHits ?? 0,
          proven: chainStats?.provenHits ?? 0,
          node: chainStats?.misses ?? 0,
          unreadable: chainStats?.unreadable ?? 0,
        },
      }
    }),
    venues: venuesOf(parts),
  }
}

function venuesOf({ venues, indexDir }: Pick<SystemParts, 'venues' | 'indexDir'>): VenueState[] {
  const made = venues.some(({ factory }) => factory) ? countOfVenues(indexDir) : new Map()
  return venues.map(({ name, chainId, trust, pools, factory }) => ({
    name,
    chainId,
    trust,
    pools: pools.length,
    factory: factory?.address ?? null,
    indexedPools: factory ? (made.get(name) ?? 0) : null,
  }))
}

function nodeOf(
  { usable, isSetAside, problem, abilities, limits, latencyMs }: NodeStatus,
  index: number,
  chain: ArchiveStats['chains'][number] | undefined,
): NodeState {
  const flags = Object.entries(abilities ?? {}).flatMap(([name, value]) =>
    typeof value === 'boolean' ? [[name, value] as const] : [],
  )
  return {
    number: index + 1,
    usable,
    isSetAside,
    problem: problem && withoutAddresses(problem),
    abilities: Object.fromEntries(flags),
    archiveDepth: abilities?.archiveDepth ?? null,
    mostCalls: limits.batch,
    mostRequests: limits.requests,
    latencyMs: limits.medianMs ?? latencyMs,
    requests: chain?.nodes[index]?.requests ?? 0,
    limited: chain?.nodes[index]?.limited ?? 0,
  }
}
