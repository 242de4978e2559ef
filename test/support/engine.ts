/** The calculation core without HTTP: archive, forks, pins, threads and engine on a folder of their own. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPositionStore } from '../../src/catalog/position-store.js'
import { openCatalog } from '../../src/catalog/store.js'
import { ethereum } from '../../src/chains/ethereum.js'
import { hardForkAt } from '../../src/chains/registry.js'
import type { Engine } from '../../src/domain/engine.js'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { createEngine } from '../../src/engine/engine.js'
import { Pins } from '../../src/engine/pins.js'
import { createWorkerPool } from '../../src/engine/worker-pool.js'
import { executorAddress, executorContracts, quoteSender } from '../../src/executor/deployments.js'
import { balanceProbe } from '../../src/forks/measure.js'
import { ForkPool } from '../../src/forks/pool.js'
import { type Archive, startArchive } from '../../src/rpc/archive/archive.js'
import type { ArchiveMode } from '../../src/rpc/archive/archive-messages.js'
import { sandboxPools } from '../../src/sandbox/market/catalog.js'
import { sandboxVenuePools } from '../../src/sandbox/venues/registry.js'

/** Of routing threads whose folder holds nothing but what a test puts there. */
export const plainSettings = {
  candidates: 24,
  maxHops: 3,
  poolBlacklist: [],
  liquidityFloorUsd: 0,
  priorityFeePerGas: {},
  tokens: [],
}

export interface TestEngine {
  readonly engine: Engine
  readonly archive: Archive
  readonly forks: ForkPool
  /** Faults that no caller saw. */
  readonly problems: readonly unknown[]
  stop(): Promise<void>
}

export async function startEngine(options: {
  readonly url: string
  readonly mode?: ArchiveMode
  readonly threads?: number
  readonly pollIntervalMs?: number
  /** Where forks and threads find the archive, by its own URL. Default: there. */
  readonly archiveAt?: (url: string) => string
  /** How often forks are still killed right before a calculation gets them; counted down. Default: never. */
  readonly losses?: { left: number }
}): Promise<TestEngine> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forkroute-engine-'))
  const problems: unknown[] = []
  const note = (problem: unknown) => problems.push(problem)
  const catalog = openCatalog(dataDir)
  const positions = openPositionStore(dataDir)
  const stopping = new AbortController()
  const { archiveAt = (url: string) => url } = options
  const own = await startArchive({
    dataDir,
    chains: [{ chainId: 1, urls: options.mode?.kind === 'replay' ? [] : [options.url] }],
    ...(options.mode && { mode: options.mode }),
    knownEmpty: [quoteSender, executorAddress(quoteSender), balanceProbe],
    pollIntervalMs: options.pollIntervalMs ?? 50,
    logLevel: 'silent',
  })
  const archive: Archive = {
    ...own,
    url: (...place) => archiveAt(own.url(...place)),
    forkUrl: (pin) => archiveAt(own.forkUrl(pin)),
    standby: () => {
      const standby = own.standby()
      return { ...standby, url: archiveAt(standby.url) }
    },
  }
  const contracts: Record<Address, Hex> = Object.fromEntries(
    Object.values(executorContracts).map(({ address, runtimeCode }) => [address, runtimeCode]),
  )
  const forks = new ForkPool({
    archiveUrl: archive.forkUrl,
    standby: () => archive.standby(),
    hardForkOf: hardForkAt,
    contracts,
    forksPerBlock: 1,
    maxBlocks: 2,
  })
  const workers = createWorkerPool({
    threads: options.threads ?? 1,
    settings: {
      ...plainSettings,
      dataDir,
      sandboxPools: [...sandboxPools(), ...sandboxVenuePools()],
      ...(options.mode && options.mode.kind !== 'live' && { cassette: options.mode.kind }),
    },
    onError: note,
  })
  const pins = new Pins({
    archive,
    forks,
    chainIds: [1],
    maxHeadAgeSeconds: null,
    onProblem: (_chainId, error) => note(error),
  })
  const engine = createEngine({
    chains: [ethereum],
    archive,
    forks: { acquire: killing(forks, options.losses ?? { left: 0 }) },
    pins,
    workers,
    catalog,
    tokens: [],
    positions,
    opportunitiesMinTvlUsd: null,
    disabledAggregators: [],
    marksAnswers: true,
    positionsMaxAgeSeconds: 300,
    stopping: stopping.signal,
    onProblem: note,
  })
  await pins.ready(1)
  return {
    engine,
    archive,
    forks,
    problems,
    async stop() {
      stopping.abort()
      pins.close()
      await workers.close()
      await forks.close()
      await archive.close()
      positions.close()
      catalog.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Leases as the pool gives them, whose forks are dead so often: at first, and each time they have been replaced. */
function killing(forks: ForkPool, losses: { left: number }): ForkPool['acquire'] {
  const kill = (urls: readonly string[]) => {
    if (losses.left === 0) return
    losses.left -= 1
    for (const pid of forks.stats().pids) {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      const isOne = urls.some((url) => command.includes(new URL(url).port))
      if (isOne) process.kill(pid, 'SIGKILL')
    }
  }
  return async (pin) => {
    const lease = await forks.acquire(pin)
    kill(lease.urls)
    return {
      pin: lease.pin,
      isFilled: lease.isFilled,
      get urls() {
        return lease.urls
      },
      async reportLost(url) {
        const urls = await lease.reportLost(url)
        kill(urls)
        return urls
      },
      release: (isDone) => lease.release(isDone),
    }
  }
}
