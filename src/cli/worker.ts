/** `forkroute worker`: calculates blocks of backtests for other services. Opens a port only for probes; stops in order. */
import type { Command } from 'commander'
import { type ProbeServer, startProbeServer } from '../api/probe-server.js'
import { serviceVersion } from '../api/version.js'
import { answersKind } from '../backtest/kind.js'
import { startWorker } from '../backtest/open.js'
import { type Config, ConfigError, loadConfig } from '../config/config.js'
import { createLogger } from '../telemetry/log.js'
import { withProgress } from './output.js'
import { nextSignal } from './process.js'

interface Options {
  readonly concurrency?: string
  readonly lostAfter?: string
}

/** Null: not given. @throws ConfigError. */
function count(name: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (/^\d{1,4}$/.test(text) && value >= 1 && value <= max) return value
  throw new ConfigError([`${name}: must be an integer from 1 to ${max}.`], 'command line')
}

async function work(config: Config, options: Options): Promise<void> {
  const concurrency = count('--concurrency', options.concurrency, 256)
  const lostAfter = count('--lost-after', options.lostAfter, 3_600)
  const { redisUrl } = config
  if (redisUrl === null) {
    throw new ConfigError(['REDIS_URL: must be set: it is where the work comes from.'])
  }
  const logger = createLogger(config.logLevel)
  // Loaded when needed: the other commands start faster without it.
  const { createService } = await import('../service/service.js')
  const service = await withProgress('Starting the worker', (onProgress) =>
    createService(config, {
      logger,
      onProgress,
      sandboxChains: 'all',
      takesUpBacktests: false,
    }),
  )
  let probes: ProbeServer | null = null
  try {
    const { engine } = service
    const { host, workerPort } = config
    if (workerPort !== null) probes = await startProbeServer(engine, { host, port: workerPort })
    const kind = answersKind(config, serviceVersion)
    const worker = await startWorker({
      config,
      redisUrl,
      engine,
      kind,
      logger,
      concurrency,
      lostAfterMs: lostAfter && lostAfter * 1_000,
    })
    const chains = engine.networks().map(({ id, name }) => `${id} (${name})`)
    console.log(`forkroute worker ${kind}`)
    console.log(`chains    ${chains.join(', ')}${service.sandboxUrls ? ', the sandbox' : ''}`)
    console.log(`at once   ${worker.blocksAtOnce} blocks`)
    console.log(`results   ${config.databaseUrl ? 'to Postgres' : 'through Redis to the service'}`)
    if (probes) console.log(`probes    port ${probes.port}: /health, /ready, /metrics`)
    const signal = await nextSignal()
    logger.info({ signal }, 'finishing the blocks under way; a second signal stops at once')
    void nextSignal().then(() => process.exit(1))
    await worker.close(config.shutdownTimeoutMs)
    logger.info({ blocks: worker.blocksDone }, 'stopped')
  } finally {
    await probes?.close()
    await service.close()
  }
}

export function addWorker(program: Command): void {
  program
    .command('worker')
    .description(
      'calculate backtests of services that share REDIS_URL; configured by the environment',
    )
    .option(
      '--concurrency <number>',
      'blocks at the same time; default: as many as WORKERS, at least 2',
    )
    .option(
      '--lost-after <seconds>',
      'others take over its blocks when it sent no sign of life for so long; default: 10',
    )
    .action((options: Options) => work(loadConfig(process.env), options))
}
