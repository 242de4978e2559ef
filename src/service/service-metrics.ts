/** The metrics of a service that are read at a scrape, from whoever knows them. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceVersion } from '../api/version.js'
import type { Engine } from '../domain/engine.js'
import type { WorkerPool } from '../engine/worker-pool.js'
import type { ForkPool } from '../forks/pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { ArchiveStats, ReadStats } from '../rpc/archive/archive-messages.js'
import { collectMetric } from '../telemetry/metrics.js'

interface Parts {
  readonly engine: Pick<Engine, 'readiness'>
  readonly archive: Pick<Archive, 'status' | 'stats'>
  readonly forks: Pick<ForkPool, 'stats'>
  readonly workers: Pick<WorkerPool, 'threads' | 'tasks' | 'busySeconds' | 'queueLength'>
  readonly dataDir: string
}

/** Files of the cache of chain state, in the data folder. */
const cacheFiles = ['archive.sqlite', 'archive.sqlite-wal']

const sources = {
  memory: 'memoryHits',
  disk: 'sqliteHits',
  code: 'codeHits',
  empty: 'emptyHits',
  proven: 'provenHits',
  node: 'misses',
} as const satisfies Record<string, keyof ReadStats>

/** @returns one function per metric that ends it. */
export function registerMetrics(parts: Parts): (() => void)[] {
  const { engine, archive, forks, workers, dataDir } = parts
  const version = { version: serviceVersion, node_version: process.version }
  return [
    collectMetric('build_info', () => [{ labels: version, value: 1 }]),
    ...ofChains(engine, archive),
    ...ofArchive(sharedStats(archive)),
    collectMetric('cache_bytes', () => cacheBytes(dataDir)),
    collectMetric('threads', () => workers.threads),
    collectMetric('thread_tasks', workers.tasks),
    collectMetric('thread_busy_seconds_total', workers.busySeconds),
    collectMetric('queue_length', workers.queueLength),
    collectMetric('forks', () => forks.stats().forks),
    collectMetric('fork_blocks', () => forks.stats().blocks),
    collectMetric('fork_leases', () => forks.stats().leases),
    collectMetric('fork_restarts_total', () => forks.stats().restarts),
    collectMetric('fork_resident_memory_bytes', () => forks.stats().rssBytes),
  ]
}

function ofChains(engine: Parts['engine'], archive: Parts['archive']): (() => void)[] {
  const chains = () => engine.readiness().chains
  const nodes = () =>
    chains().flatMap(({ chainId }) =>
      archive.status(chainId).nodes.map((status, index) => ({
        labels: { chain: chainId, node: index + 1 },
        status,
      })),
    )
  return [
    collectMetric('chain_ready', () =>
      chains().map(({ chainId, ready }) => ({ labels: { chain: chainId }, value: Number(ready) })),
    ),
    collectMetric('head_number', () =>
      chains().flatMap(({ chainId, blockNumber }) =>
        blockNumber === null ? [] : { labels: { chain: chainId }, value: blockNumber },
      ),
    ),
    collectMetric('head_age_seconds', () =>
      chains().flatMap(({ chainId, ageSeconds }) =>
        ageSeconds === null ? [] : { labels: { chain: chainId }, value: ageSeconds },
      ),
    ),
    collectMetric('node_usable', () =>
      nodes().map(({ labels, status }) => ({ labels, value: Number(status.usable) })),
    ),
    collectMetric('node_set_aside', () =>
      nodes().map(({ labels, status }) => ({ labels, value: Number(status.isSetAside) })),
    ),
  ]
}

function ofArchive(stats: () => Promise<ArchiveStats>): (() => void)[] {
  const perChain = (pick: (chain: ReadStats) => number) => async () =>
    (await stats()).chains.map((chain) => ({
      labels: { chain: chain.chainId },
      value: pick(chain),
    }))
  const perNode = (pick: 'requests' | 'limited') => async () =>
    (await stats()).chains.flatMap(({ chainId, nodes }) =>
      nodes.map((node, index) => ({
        labels: { chain: chainId, node: index + 1 },
        value: node[pick],
      })),
    )
  return [
    collectMetric('node_requests_total', perNode('requests')),
    collectMetric('node_limited_total', perNode('limited')),
    collectMetric(
      'upstream_calls_total',
      perChain((chain) => chain.upstreamCalls),
    ),
    collectMetric(
      'upstream_retries_total',
      perChain((chain) => chain.upstreamRetries),
    ),
    collectMetric(
      'upstream_hedges_total',
      perChain((chain) => chain.upstreamHedges),
    ),
    collectMetric(
      'upstream_coalesced_total',
      perChain((chain) => chain.coalesced),
    ),
    collectMetric(
      'reads_unreadable_total',
      perChain((chain) => chain.unreadable),
    ),
    collectMetric(
      'prefetched_total',
      perChain((chain) => chain.prefetched),
    ),
    collectMetric('state_checks_total', async () =>
      (await stats()).chains.flatMap(({ chainId, ...chain }) => [
        {
          labels: { chain: chainId, outcome: 'right' },
          value: chain.stateChecked - chain.stateFalse,
        },
        { labels: { chain: chainId, outcome: 'false' }, value: chain.stateFalse },
        { labels: { chain: chainId, outcome: 'unproven' }, value: chain.stateUnproven },
      ]),
    ),
    collectMetric('reads_total', async () =>
      (await stats()).chains.flatMap((chain) =>
        Object.entries(sources).map(([source, fact]) => ({
          labels: { chain: chain.chainId, source },
          value: chain[fact],
        })),
      ),
    ),
    collectMetric('archive_served_total', async () => (await stats()).served),
    collectMetric('cache_items', async () => (await stats()).memoryItems),
  ]
}

/** One question to the thread for all metrics of a scrape: those that ask while it is under way share its answer. */
function sharedStats({ stats }: Pick<Archive, 'stats'>): () => Promise<ArchiveStats> {
  let asked: Promise<ArchiveStats> | null = null
  return () => {
    asked ??= stats().finally(() => {
      asked = null
    })
    return asked
  }
}

/** What the cache of chain state takes on disk; files that do not exist have none. */
export async function cacheBytes(dataDir: string): Promise<number> {
  const sizes = await Promise.all(
    cacheFiles.map((name) =>
      stat(join(dataDir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
