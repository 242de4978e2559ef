/**
 * The main thread's half of every calculation: pins the block, leases its forks, hands the work to a thread.
 * This file puts the parts together; all of them calculate through `task-runner.ts`.
 */
import type { PositionStore } from '../catalog/position-store.js'
import type { Catalog } from '../catalog/store.js'
import type { ChainDefinition } from '../chains/chain.js'
import { chains as knownChains } from '../chains/registry.js'
import { type Engine, noAccount } from '../domain/engine.js'
import type { Token } from '../domain/primitives.js'
import type { ForkPool } from '../forks/pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import { createAccounts } from './accounts.js'
import { createBlocks } from './blocks.js'
import { createChainStatus } from './chain-status.js'
import { configuredChains } from './configured-chains.js'
import { createClaims } from './crosschain/claims.js'
import { createMessagingPools } from './crosschain/messaging-pools.js'
import { BridgeTracker } from './crosschain/track.js'
import { findTransfers } from './crosschain/transfers.js'
import { createOpportunities } from './find-opportunities.js'
import { createHindsight } from './hindsight.js'
import { createMetadata } from './metadata.js'
import type { Pins } from './pins.js'
import { createRoutes } from './routes.js'
import { createTaskRunner } from './task-runner.js'
import { createTraceBook } from './trace-book.js'
import type { WorkerPool } from './worker-pool.js'

export interface EngineParts {
  readonly chains: readonly ChainDefinition[]
  readonly archive: Archive
  readonly forks: Pick<ForkPool, 'acquire'>
  readonly pins: Pins
  readonly workers: WorkerPool
  readonly catalog: Catalog
  readonly tokens: readonly Token[]
  readonly positions: PositionStore
  /** Snapshots of positions older than this are renewed. */
  readonly positionsMaxAgeSeconds: number
  /** USD that a position must hold to be an opportunity; null: opportunities are off. */
  readonly opportunitiesMinTvlUsd: number | null
  /** Slugs of exchanges that no route uses. */
  readonly disabledAggregators: readonly string[]
  /** Whether answers say where they were simulated and how long they hold. */
  readonly marksAnswers: boolean
  /** Where CCTP's attestations are read; absent: nowhere. */
  readonly attestationUrl?: string | null
  /** Aborted when the service stops and nothing more may be read. */
  readonly stopping: AbortSignal
  /** Receives faults that no caller sees, such as a catalog that cannot be written. */
  onProblem(error: unknown): void
}

export function createEngine(parts: EngineParts): Engine {
  const { archive, pins, workers, onProblem } = parts
  const chains = configuredChains(parts.chains, parts.tokens)
  const traces = createTraceBook(parts.catalog, onProblem)
  const tasks = createTaskRunner({ chains, archive, forks: parts.forks, pins, workers, traces })
  const metadata = createMetadata({
    chains: chains.all,
    archive,
    pins,
    store: parts.positions,
    maxAgeSeconds: parts.positionsMaxAgeSeconds,
    stopping: parts.stopping,
    run: (kind, args, pin) =>
      tasks.runAt(kind, args, pin, { accountId: noAccount, signal: parts.stopping }),
    chainOf: chains.of,
    disabledAggregators: parts.disabledAggregators,
    tokens: parts.tokens,
    tokensOf: chains.tokensOf,
    onProblem,
  })
  const blocks = createBlocks({ chains, archive, pins, pin: tasks.pin })
  const { blockAtTime, changedBlocks, headAfter } = blocks
  const { marksAnswers, stopping } = parts
  const routes = createRoutes({
    chains,
    tasks,
    blockAtTime,
    changedBlocks,
    headAfter,
    threads: workers.threads,
    marksAnswers,
    stopping,
    onProblem,
  })
  const accounts = createAccounts({ chains, run: tasks.run, listings: metadata.listings })
  const opportunities = createOpportunities({
    engine: { ...metadata, ...routes, ...accounts },
    minTvlUsd: parts.opportunitiesMinTvlUsd,
    chainOf: chains.of,
  })
  const hindsight = createHindsight({
    chains,
    archive,
    forks: parts.forks,
    pin: tasks.pin,
    engine: { ...routes, ...metadata, ...accounts },
    threads: workers.threads,
  })
  const { attestationUrl = null } = parts
  const tracker = new BridgeTracker({ chains, archive, tasks, blockAtTime, attestationUrl })
  return {
    ...metadata,
    ...routes,
    ...accounts,
    ...opportunities,
    ...blocks,
    ...hindsight,
    bridgeCheck: (args, inner) => tracker.check(args, inner),
    bridgeTransfers: (address, inner) => findTransfers({ chains, tasks }, address, inner),
    ...createClaims({
      chains,
      tasks,
      attestationUrl,
      outcomeOf: (chainId, hash, inner) => tracker.outcomeOf(chainId, hash, inner),
    }),
    ...createMessagingPools({ chainOf: chains.of, known: knownChains, tokens: parts.tokens }),
    ...createChainStatus({ chains, archive, pins }),
    tokens: (chainId) => (chainId === undefined ? chains.tokens : chains.tokensOf(chainId)),
  }
}
