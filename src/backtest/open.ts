/** Assembles store, engine and jobs of backtests as configured. */
import type { Config } from '../config/config.js'
import type { Backtests } from '../domain/backtest.js'
import { defined } from '../domain/defined.js'
import type { Engine } from '../domain/engine.js'
import type { Logger } from '../telemetry/log.js'
import { createCalculateJob } from './calculate-job.js'
import { createInProcessEngine } from './engines/in-process.js'
import type { JobEngine } from './engines/job-engine.js'
import { createResultFiles } from './files/result-files.js'
import { createBacktests } from './jobs.js'
import { openSharedStore, openStore } from './stores/open-store.js'
import type { BacktestStore } from './stores/store.js'

/** While one block waits for its simulations, another searches. */
const fewestBlocksAtOnce = 2

type Settings = Pick<
  Config,
  'dataDir' | 'workers' | 'backtests' | 'redisUrl' | 'databaseUrl' | 'serviceName'
>

interface Parts {
  readonly config: Settings
  readonly engine: Engine
  /** Shared by coordinators and workers that come to the same answers: `answersKind`. */
  readonly kind: string
  readonly logger: Logger
}

/**
 * @param args.takesUp - whether jobs that other processes left are worked on.
 * @throws ForkrouteError STORAGE_UNAVAILABLE.
 */
export async function openBacktests(
  args: Parts & { readonly takesUp: boolean },
): Promise<Backtests> {
  const { config, engine, takesUp, logger } = args
  const store = await openStore(config)
  return createBacktests({
    store,
    jobEngine: await openJobEngine(args, store),
    files: createResultFiles(config),
    engine,
    ...config.backtests,
    takesUp,
    logger,
  })
}

async function openJobEngine(
  { config, engine, kind, logger }: Parts,
  store: BacktestStore,
): Promise<JobEngine> {
  const { redisUrl, serviceName } = config
  if (redisUrl === null) {
    return createInProcessEngine(createCalculateJob(engine), {
      blocksAtOnce: blocksAtOnce(config),
    })
  }
  const { createBullmqEngine } = await import('./engines/bullmq-engine.js')
  const pending = (job: string) => store.pending(job)
  return createBullmqEngine({ redisUrl, serviceName, kind, logger, pending })
}

export interface Worker {
  readonly blocksAtOnce: number
  readonly blocksDone: number
  /** @param graceMs - a block that takes longer is given back. */
  close(graceMs: number): Promise<void>
}

/**
 * Calculates blocks for coordinators elsewhere.
 * @param args.concurrency - blocks at the same time; default: as a service would.
 * @param args.lostAfterMs - others take over its blocks when it sent no sign of life for so long; default: `lockMs`.
 */
export async function startWorker(
  args: Parts & {
    readonly redisUrl: string
    readonly concurrency: number | null
    readonly lostAfterMs: number | null
  },
): Promise<Worker> {
  const { config, engine, kind, logger, redisUrl } = args
  const { startQueueWorker } = await import('./engines/queue-worker.js')
  const store = await openSharedStore(config)
  const concurrency = args.concurrency ?? blocksAtOnce(config)
  const worker = startQueueWorker({
    redisUrl,
    serviceName: config.serviceName,
    kind,
    logger,
    calculate: createCalculateJob(engine),
    ...defined({ store: store ?? undefined }),
    chainIds: engine.networks().map(({ id }) => id),
    concurrency,
    ...defined({ lockMs: args.lostAfterMs ?? undefined }),
    onBlock: (job, block, milliseconds) =>
      logger.info(
        {
          job,
          block: Number(block.blockNumber),
          ...(block.kind === 'hindsight'
            ? { transactions: block.transactions.length }
            : { rows: block.rows.length }),
          ms: Math.round(milliseconds),
        },
        'block done',
      ),
  })
  return {
    blocksAtOnce: concurrency,
    get blocksDone() {
      return worker.blocksDone
    },
    async close(graceMs) {
      await worker.close(graceMs)
      await store?.close()
    },
  }
}

function blocksAtOnce({ workers }: Settings): number {
  return Math.max(workers, fewestBlocksAtOnce)
}
