/**
 * The composition root: creates every part, connects them, and closes them in reverse order.
 * The server and the CLI both start here.
 */
import { defined } from '../domain/defined.js'
import '../forks/promise-with-resolvers.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceVersion } from '../api/version.js'
import { answersKind } from '../backtest/kind.js'
import { openBacktests } from '../backtest/open.js'
import {
  type CassetteContents,
  contentsToAdd,
  laterOf,
  readContents,
  readVersions,
  toHead,
  versionWarnings,
} from '../cassette/contents.js'
import { createRecordings, openRecordings, recordedHeads } from '../cassette/recordings.js'
import { OrderStore } from '../catalog/order-store.js'
import { openPositionStore } from '../catalog/position-store.js'
import { openCatalog } from '../catalog/store.js'
import { loadTokenLists } from '../catalog/token-lists.js'
import { laterBridges, laterVenues, withProtocols } from '../chains/chain.js'
import { hardForkAt } from '../chains/registry.js'
import { type Config, ConfigError } from '../config/config.js'
import type { TracesConfig } from '../config/traces.js'
import type { Backtests } from '../domain/backtest.js'
import type { Engine } from '../domain/engine.js'
import type { Operations } from '../domain/operations/operations.js'
import type { Token } from '../domain/primitives.js'
import type { Recordings } from '../domain/recording.js'
import { createEngine } from '../engine/engine.js'
import { Pins } from '../engine/pins.js'
import { unknownAggregators } from '../engine/protocol-records.js'
import { createWorkerPool } from '../engine/worker-pool.js'
import { executorAddress, executorContracts, quoteSender } from '../executor/deployments.js'
import { balanceProbe } from '../forks/measure.js'
import { ForkPool } from '../forks/pool.js'
import { type OpenMakers, openMakers } from '../makers/makers.js'
import { type Overlays, openOverlays } from '../makers/overlays.js'
import { createOperations } from '../operations/operations.js'
import { compileLess } from '../platform/threads.js'
import { followChains } from '../pool-index/follow.js'
import { protocols } from '../protocols/registry.js'
import type { WorkerSettings } from '../routing/block/worker-settings.js'
import { type Archive, startArchive } from '../rpc/archive/archive.js'
import type { ArchiveMode } from '../rpc/archive/archive-messages.js'
import type { Logger } from '../telemetry/log.js'
import { count, noteHead, observe } from '../telemetry/metrics.js'
import { logIgnoredErrors, logsIgnoredErrors } from '../telemetry/quietly.js'
import { startTracing } from '../telemetry/tracing.js'
import { type Chosen, chooseChains, type SandboxNode, servedChains } from './chosen-chains.js'
import { openEvidence } from './evidence.js'
import { laterAccounts } from './later-accounts.js'
import { readOrder } from './read-order.js'
import { cacheBytes, registerMetrics } from './service-metrics.js'
import { softwareVersion } from './software-version.js'

export interface Service {
  readonly engine: Engine
  /**
   * The given configuration, but with the cassette's settings in a replay. Whoever serves the engine must use this one.
   */
  readonly config: Config
  /** Null unless the service records or replays; given to the API server. */
  readonly recordings: Recordings | null
  readonly backtests: Backtests
  readonly operations: Operations
  /** Node of each chain by its id when the service runs on the sandbox. */
  readonly sandboxUrls: Readonly<Record<number, string>> | null
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly logger: Logger
  /** Progress of the sandbox build: the current stage, and the fraction done, 0 to 1. */
  onProgress?(message: string, fraction: number): void
  /** Default live. In a replay no node is asked, and no sandbox is started. */
  readonly mode?: ArchiveMode
  /** Nodes of a sandbox that already runs; absent or null: one is started where no nodes are configured. */
  readonly sandbox?: readonly SandboxNode[] | null | undefined
  /** Chains of the sandbox, where neither nodes nor `SANDBOX_CHAINS` are given. Default: Ethereum. */
  readonly sandboxChains?: readonly number[] | 'all'
  /** Whether the index of pools is kept up to date here, where the configuration wants one. Default true. */
  readonly followsPools?: boolean
  /** Whether backtests that another process left unfinished are continued here. Default true. */
  readonly takesUpBacktests?: boolean
}

/** What closes the parts that were made so far, in the order of their making. */
type Closers = (() => unknown)[]

/**
 * Recordings and replays work in a temporary folder that holds only the imported pools: nothing learnt in earlier runs
 * changes what they read, and a replay needs no data folder.
 */
export async function createService(given: Config, options: ServiceOptions): Promise<Service> {
  const { logger } = options
  compileLess()
  const closers: Closers = [logIgnoredErrors(logger)]
  const close = () => closeAll(closers, logger)
  try {
    const prepared = await prepare(given, options, closers)
    const { config, chains, urls, sandboxUrls, tokens, sandboxPools, mode } = prepared
    if (config.traces)
      closers.push(await startTraces(config.traces, config.shutdownTimeoutMs, logger))
    const catalog = catalogFor(prepared, closers)
    const orders = ordersFor(prepared, given.dataDir, closers)
    const positions = openPositionStore(config.dataDir)
    closers.push(() => positions.close())
    const archive = await archiveFor(prepared, logger)
    closers.push(() => archive.close())
    const forks = forksFor(archive, config.forksPerBlock)
    closers.push(() => forks.close())
    if (config.poolIndex && mode.kind !== 'replay' && (options.followsPools ?? true)) {
      const follower = followPools(prepared, given.dataDir, logger)
      closers.push(() => follower.close())
    }
    const workers = createWorkerPool({
      threads: config.workers,
      settings: workerSettings(prepared, given.dataDir),
      onError: (error) => logger.warn({ err: error }, 'worker pool'),
    })
    closers.push(() => workers.close())
    const pins = new Pins({
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
      disabledAggregators: config.disabledAggregators,
      marksAnswers: config.marksAnswers,
      attestationUrl: config.cctpAttestationUrl ?? Object.values(sandboxUrls ?? {})[0] ?? null,
      stopping: stopping.signal,
      onProblem: (error) => logger.warn({ err: error }, 'engine'),
    })
    closers.push(
      archive.onHead(({ chainId, hash }) => noteHead(chainId, hash)),
      ...registerMetrics({ engine, archive, forks, workers, dataDir: config.dataDir }),
    )
    const makers = makersFor(prepared, logger)
    closers.push(() => makers.close())
    await waitForPins(
      chains.map(({ id }) => pins.ready(id)),
      config.firstPinWaitMs,
    )
    // A recording begins with what they offer.
    await makers.asked
    const recordings = recordingsFor(mode, archive, closers)
    const backtests = await openBacktests({
      // Backtests outlive a recording, but not a replay.
      config: mode.kind === 'record' ? { ...config, dataDir: given.dataDir } : config,
      engine,
      kind: answersKind(config, serviceVersion),
      takesUp: options.takesUpBacktests ?? true,
      logger,
    })
    closers.push(() => backtests.close())
    const overlays = overlaysFor(prepared, logger)
    closers.push(() => overlays.close())
    const operations = createOperations({
      config,
      engine,
      archive,
      forks,
      workers,
      catalog,
      orders,
      overlays,
      makers,
      evidence: openEvidence({ ...prepared, archive, dataDir: given.dataDir }),
      chains,
      urls,
      sandboxPools,
      version: serviceVersion,
      indexDir: given.dataDir,
      isSandbox: sandboxUrls !== null,
      diskBytes: () => cacheBytes(config.dataDir),
    })
    closers.push(() => operations.close())
    return { engine, backtests, operations, config, recordings, sandboxUrls, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function closeAll(closers: Closers, logger: Logger): Promise<void> {
  for (const closer of closers.splice(0).reverse()) {
    try {
      await closer()
    } catch (error) {
      logger.warn({ err: error }, 'a part did not close cleanly')
    }
  }
}

/** The catalog of the data folder, with the pools that a recording or a replay puts into it. */
function catalogFor({ config, importedPools }: Prepared, closers: Closers) {
  const catalog = openCatalog(config.dataDir)
  closers.push(() => catalog.close())
  for (const [chainId, pools] of Object.entries(importedPools)) {
    catalog.importPools(Number(chainId), pools)
  }
  return catalog
}

/** The orders of the data folder; a recording has them in a folder of its own. */
function ordersFor({ config, mode }: Prepared, dataDir: string, closers: Closers): OrderStore {
  const orders = new OrderStore(config.dataDir)
  closers.push(() => orders.close())
  if (mode.kind === 'record') orders.takeFrom(dataDir)
  return orders
}

/** A replay takes overlays from its cassette, with the requests that used them. */
function overlaysFor({ config, mode }: Prepared, logger: Logger): Overlays {
  return openOverlays(mode.kind === 'replay' ? {} : config.overlays, {
    pollMs: config.overlayPollMs,
    onProblem: (message) => logger.warn(message),
  })
}

/** A replay has the orders that makers signed from its cassette. */
function makersFor({ config, mode }: Prepared, logger: Logger): OpenMakers {
  return openMakers(mode.kind === 'replay' ? [] : config.makers, {
    pollMs: config.makerPollMs,
    signMs: config.makerSignMs,
    readOrder,
    onProblem: (message) => logger.warn(message),
    onAsked: (maker, outcome) => count('maker_orders_total', { maker, outcome }),
  })
}

/** The nodes of each chain, as the archive and the index of pools ask them. */
function nodesOf({ chains, urls, config }: Prepared) {
  return chains.map(({ id, wrappedNative }) => ({
    chainId: id,
    urls: urls[id] ?? [],
    verifyHeaderHash: config.checkHeaderHashes,
    ...defined({
      verifyState: config.verifyState ?? undefined,
      trustedBlock: config.trustedBlocks[id],
    }),
    anchor: wrappedNative,
  }))
}

function archiveFor(prepared: Prepared, logger: Logger): Promise<Archive> {
  const { config, mode } = prepared
  return startArchive({
    dataDir: config.dataDir,
    mode,
    chains: nodesOf(prepared),
    knownEmpty: [quoteSender, executorAddress(quoteSender), balanceProbe],
    pollIntervalMs: config.headPollMs,
    upstreamTimeoutMs: config.upstreamTimeoutMs,
    logger,
    onAnswerTimes({ chainId, node, ms }) {
      for (const each of ms) observe('node_latency_seconds', { chain: chainId, node }, each / 1_000)
    },
  })
}

function forksFor(archive: Archive, forksPerBlock: Config['forksPerBlock']): ForkPool {
  return new ForkPool({
    archiveUrl: archive.forkUrl,
    standby: () => archive.standby(),
    hardForkOf: hardForkAt,
    contracts: Object.fromEntries(
      Object.values(executorContracts).map(({ address, runtimeCode }) => [address, runtimeCode]),
    ),
    forksPerBlock,
  })
}

/** @param dataDir - the folder that was given, also while a recording works in one of its own. */
function followPools(prepared: Prepared, dataDir: string, logger: Logger) {
  const { headPollMs: pollIntervalMs, upstreamTimeoutMs, venues } = prepared.config
  return followChains(
    { dataDir, venues, chains: nodesOf(prepared), pollIntervalMs, upstreamTimeoutMs },
    ({ level, message }) => logger[level](message),
  )
}

/** @param indexDir - folder of the index of pools. */
function workerSettings(
  { config, mode, tokens, sandboxPools, protocols: known }: Prepared,
  indexDir: string,
): WorkerSettings {
  return {
    dataDir: config.dataDir,
    candidates: config.candidates,
    maxHops: config.maxHops,
    proof: config.proof,
    dataFee: config.dataFee,
    cautions: config.cautions,
    widensPools: config.widensPools,
    countsHoldings: config.countsHoldings,
    boundsPools: config.boundsPools,
    mergesInputs: config.mergesInputs,
    narrowsSearches: config.narrowsSearches,
    findsRebases: config.findsRebases,
    poolBlacklist: config.poolBlacklist,
    disabledAggregators: config.disabledAggregators,
    v4Hooks: config.v4Hooks,
    runsBalancerHooks: config.runsBalancerHooks,
    runsHooksOfMany: config.runsHooksOfMany,
    countsFeeOrder: config.countsFeeOrder,
    v4HooksAllowlist: config.v4HooksAllowlist,
    venues: config.venues,
    ...defined({
      protocols: known,
      poolIndex: config.poolIndex
        ? { dataDir: mode.kind === 'replay' ? null : indexDir }
        : undefined,
    }),
    liquidityFloorUsd: config.liquidityFloorUsd,
    priorityFeePerGas: config.priorityFeePerGas,
    across: { feeBps: BigInt(config.acrossFeeBps), maxUsd: config.acrossMaxUsd },
    // What a service says at one moment is in no cassette.
    cctp: { attestationUrl: mode.kind === 'live' ? config.cctpAttestationUrl : null },
    tokens,
    sandboxPools,
    ...defined({ cassette: mode.kind === 'live' ? undefined : mode.kind }),
    isTraced: config.traces !== null,
    logsIgnoredErrors: logsIgnoredErrors(),
  }
}

interface Prepared extends Chosen {
  readonly config: Config
  readonly tokens: readonly Token[]
  readonly mode: ArchiveMode
  /** Protocols, later venues and later bridges that a cassette knows; absent: all. */
  readonly protocols?: readonly string[]
  /** Pools that the caller puts into an empty data folder. */
  readonly importedPools: CassetteContents['importedPools']
}

async function prepare(
  config: Config,
  options: ServiceOptions,
  closers: Closers,
): Promise<Prepared> {
  const { mode = { kind: 'live' } } = options
  if (mode.kind === 'replay') return prepareReplay(config, mode.file, options.logger, closers)
  checkAggregators(config)
  const chosen = await chooseChains(config, options, closers)
  const tokens = await loadTokenLists(config.tokenLists)
  if (mode.kind === 'live') return { ...chosen, config, tokens, mode, importedPools: {} }
  const chainIds = chosen.chains.map(({ id }) => id)
  const importedPools = importedPoolsOf(config.dataDir, chainIds)
  const { sandboxPools } = chosen
  const contents = contentsToAdd(mode.file, {
    settings: { ...config, chainIds, protocols: knownProtocols() },
    tokens,
    importedPools,
    sandboxPools,
  })
  const { protocols: known, ...later } = laterOf(contents.settings)
  return {
    ...chosen,
    chains: chosen.chains.map((chain) => withProtocols(chain, known)),
    protocols: known,
    config: { ...config, ...later, dataDir: temporaryFolder(closers) },
    tokens,
    mode: { ...mode, head: toHead(contents, softwareVersion()) },
    importedPools,
  }
}

/** What a cassette names: slugs, and the venues and bridges that chains have had since later. */
function knownProtocols(): string[] {
  return [...protocols.map(({ slug }) => slug), ...laterVenues, ...laterBridges]
}

/** Here and not with the other variables, since which exchanges there are is known to the protocols alone. */
function checkAggregators({ disabledAggregators }: Config): void {
  const { unknown, known } = unknownAggregators(disabledAggregators)
  if (!unknown.length) return
  throw new ConfigError([
    `DISABLED_AGGREGATORS: no exchange is called ${unknown.join(', ')}; known: ${known.join(', ')}.`,
  ])
}

function prepareReplay(config: Config, file: string, logger: Logger, closers: Closers): Prepared {
  const { settings, tokens, importedPools, sandboxPools } = readContents(file)
  for (const warning of versionWarnings(readVersions(file), softwareVersion())) logger.warn(warning)
  const { chainIds, protocols: known, ...own } = settings
  return {
    config: {
      ...config,
      ...own,
      rpcUrls: {},
      dataDir: temporaryFolder(closers),
      maxHeadAgeSeconds: null,
      opportunitiesMinTvlUsd: null,
    },
    chains: servedChains(chainIds, { ...own, protocols: known }),
    protocols: known,
    urls: {},
    sandboxUrls: null,
    sandboxPools,
    tokens,
    mode: { kind: 'replay', file, heads: recordedHeads(file), later: laterAccounts(file) },
    importedPools,
  }
}

function importedPoolsOf(
  dataDir: string,
  chainIds: readonly number[],
): CassetteContents['importedPools'] {
  const catalog = openCatalog(dataDir)
  try {
    return Object.fromEntries(
      chainIds.map((id) => [
        id,
        catalog.listPools(id).filter(({ source }) => source === 'imported'),
      ]),
    )
  } finally {
    catalog.close()
  }
}

function temporaryFolder(closers: Closers): string {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-cassette-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Longest wait for a collector when the service stops. */
const mostFlushMs = 5_000

function startTraces(
  traces: TracesConfig,
  shutdownMs: number,
  logger: Logger,
): Promise<() => Promise<void>> {
  return startTracing({
    ...traces,
    version: serviceVersion,
    closeMs: Math.min(mostFlushMs, shutdownMs),
    onProblem: (reason) =>
      reason === null
        ? logger.info('the collector takes traces again')
        : logger.warn({ reason }, 'the collector does not take traces; they are lost'),
  })
}

function recordingsFor(mode: ArchiveMode, archive: Archive, closers: Closers): Recordings | null {
  if (mode.kind === 'live') return null
  if (mode.kind === 'record') return createRecordings((entry) => archive.record(entry))
  const recordings = openRecordings(mode.file)
  closers.push(() => recordings.close())
  return recordings
}

/** A node that is down must not keep the service from starting: the chain becomes ready when the node does. */
async function waitForPins(ready: readonly Promise<void>[], waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([Promise.all(ready), timeout])
  clearTimeout(timer)
}
