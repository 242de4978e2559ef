/**
 * The composition root: makes every part, joins them, and takes them down in the reverse order.
 * The server and the CLI both start here.
 */
import './forks/promise-with-resolvers.js'
import { openPositionStore } from './catalog/position-store.js'
import { openCatalog } from './catalog/store.js'
import { loadTokenLists } from './catalog/token-lists.js'
import type { ChainDefinition } from './chains/chain.js'
import { chainById, chains as supportedChains } from './chains/registry.js'
import type { Config } from './config.js'
import type { Engine } from './domain/engine.js'
import { executorAddress, executorContracts, quoteSender } from './executor/deployments.js'
import { createForkPool, type ForkPool } from './forks/fork-pool.js'
import { balanceProbe } from './forks/measure.js'
import type { Logger } from './log.js'
import { registerGauge } from './metrics.js'
import type { Pool } from './protocols/pool.js'
import { createEngine } from './routing/engine.js'
import { createPins } from './routing/pins.js'
import { createWorkerPool } from './routing/worker-pool.js'
import { type Archive, startArchive } from './rpc/archive.js'

export interface Service {
  readonly engine: Engine
  /** URL of the sandbox chain when the service runs on it. */
  readonly sandboxUrl: string | null
  close(): Promise<void>
}

export async function createService(
  config: Config,
  options: {
    readonly logger: Logger
    /** Of the sandbox build: what, and 0 to 1. */
    onProgress?(message: string, fraction: number): void
  },
): Promise<Service> {
  const { logger } = options
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) {
      try {
        await closer()
      } catch (error) {
        logger.warn({ err: error }, 'a part did not close cleanly')
      }
    }
  }
  try {
    const { chains, urls, sandboxUrl, sandboxPools } = await chooseChains(config, options, closers)
    const tokens = await loadTokenLists(config.tokenLists)
    const catalog = openCatalog(config.dataDir)
    closers.push(() => catalog.close())
    const positions = openPositionStore(config.dataDir)
    closers.push(() => positions.close())

    const archive = await startArchive({
      dataDir: config.dataDir,
      chains: chains.map(({ id }) => ({
        chainId: id,
        urls: urls[id] ?? [],
        verifyHeaderHash: config.checkHeaderHashes,
      })),
      knownEmpty: [quoteSender, executorAddress(quoteSender), balanceProbe],
      pollIntervalMs: config.headPollMs,
      upstreamTimeoutMs: config.upstreamTimeoutMs,
      logger,
    })
    closers.push(() => archive.close())

    const forks = createForkPool({
      archiveUrl: ({ chainId, number, hash }) => archive.url(chainId, number, hash),
      standby: () => archive.standby(),
      contracts: Object.fromEntries(
        Object.values(executorContracts).map(({ address, runtimeCode }) => [address, runtimeCode]),
      ),
      forksPerBlock: config.forksPerBlock,
    })
    closers.push(() => forks.close())

    const workers = createWorkerPool({
      threads: config.workers,
      settings: {
        dataDir: config.dataDir,
        candidates: config.candidates,
        maxHops: config.maxHops,
        poolBlacklist: config.poolBlacklist,
        v4HooksAllowlist: config.v4HooksAllowlist,
        liquidityFloorUsd: config.liquidityFloorUsd,
        priorityFeePerGas: config.priorityFeePerGas,
        tokens,
        sandboxPools,
      },
      onError: (error) => logger.warn({ err: error }, 'worker pool'),
    })
    closers.push(() => workers.close())

    const pins = createPins({
      archive,
      forks,
      chainIds: chains.map(({ id }) => id),
      maxHeadAgeSeconds: config.maxHeadAgeSeconds,
      onProblem: (chainId, error) => logger.warn({ chainId, err: error }, 'head not taken'),
    })
    closers.push(() => pins.close())

    const stopping = new AbortController()
    closers.push(() => stopping.abort())
    const engine = createEngine({
      chains,
      archive,
      forks,
      pins,
      workers,
      catalog,
      tokens,
      positions,
      positionsMaxAgeSeconds: config.positionsMaxAgeSeconds,
      opportunitiesMinTvlUsd: config.opportunitiesMinTvlUsd,
      stopping: stopping.signal,
      onProblem: (error) => logger.warn({ err: error }, 'engine'),
    })
    registerMetrics(archive, forks.stats, workers.queueLength)
    await waitForPins(
      chains.map(({ id }) => pins.ready(id)),
      config.firstPinWaitMs,
    )
    return { engine, sandboxUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function chooseChains(
  config: Config,
  options: { onProgress?(message: string, fraction: number): void },
  closers: (() => unknown)[],
): Promise<{
  chains: readonly ChainDefinition[]
  urls: Readonly<Record<number, readonly string[]>>
  sandboxUrl: string | null
  /** Pools of the sandbox that no look-up on the chain finds. */
  sandboxPools: readonly Pool[]
}> {
  const ids = Object.keys(config.rpcUrls).map(Number)
  if (ids.length) {
    const chains = ids.flatMap((id) => chainById(id) ?? [])
    return { chains, urls: config.rpcUrls, sandboxUrl: null, sandboxPools: [] }
  }
  // Loaded only when it is needed: an operator with nodes of his own runs none of it.
  const [{ startSandbox }, { sandboxPools }, { sandboxVenuePools }] = await Promise.all([
    import('./sandbox/sandbox.js'),
    import('./sandbox/catalog.js'),
    import('./sandbox/venues/registry.js'),
  ])
  const sandbox = await startSandbox({
    ...(options.onProgress && { onProgress: options.onProgress }),
  })
  closers.push(() => sandbox.stop())
  const [chain] = supportedChains
  if (!chain) throw new Error('no chain is registered')
  return {
    chains: [chain],
    urls: { [chain.id]: [sandbox.url] },
    sandboxUrl: sandbox.url,
    sandboxPools: [...sandboxPools(), ...sandboxVenuePools()],
  }
}

/** A node that is down must not keep the service from starting: it becomes ready when the node does. */
async function waitForPins(ready: readonly Promise<void>[], waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([Promise.all(ready), timeout])
  clearTimeout(timer)
}

function registerMetrics(
  archive: Archive,
  forkStats: ForkPool['stats'],
  queueLength: () => number,
): void {
  registerGauge(
    'archive',
    'Totals of the archive: upstream requests, cache hits, misses.',
    async () =>
      Object.entries(await archive.stats()).map(([fact, value]) => ({ labels: { fact }, value })),
    ['fact'],
  )
  registerGauge(
    'forks',
    'Anvil forks: running, leased, restarted.',
    () => {
      const { pids: _pids, ...facts } = forkStats()
      return Object.entries(facts).map(([fact, value]) => ({ labels: { fact }, value }))
    },
    ['fact'],
  )
  registerGauge('queue_length', 'Calculations waiting for a thread.', queueLength)
}
