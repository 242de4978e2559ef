/** `forkroute serve`: starts the service, prints its address, and stops it in order. */
import cluster from 'node:cluster'
import type { Command } from 'commander'
import { type KeyStore, openKeyStore } from '../api/key-store.js'
import { summarise } from '../cassette/summary.js'
import { chainById } from '../chains/registry.js'
import { type Config, ConfigError, loadConfig } from '../config/config.js'
import { nativeToken } from '../domain/primitives.js'
import { membership } from '../processes/member.js'
import type { ArchiveMode } from '../rpc/archive/archive-messages.js'
import type { Service } from '../service/service.js'
import { createLogger, type Logger } from '../telemetry/log.js'
import { withProgress } from './output.js'
import { nextSignal } from './process.js'

/** Anvil's first development account; rich on the sandbox chain. Its key is public. */
const sandboxSender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Null unless this start made the first account. Whoever starts the service may see and change all of it. */
function firstKey(keys: KeyStore | null): string | null {
  if (!keys || keys.listKeys().length > 0) return null
  return keys.createKey({ name: 'first start', accountName: 'default', isAdmin: true }).key
}

/**
 * One native token into the first stable coin of the chain, or of the destination: a route on the sandbox, whose sender
 * has it, else a quote.
 */
function exampleRequest(url: string, service: Service, destinationChainId?: number): string {
  const chainId = service.engine.networks()[0]?.id ?? 1
  const stable = chainById(destinationChainId ?? chainId)?.stableAnchors[0]
  const elsewhere =
    destinationChainId === undefined ? '' : `&destinationChainId=${destinationChainId}`
  const trade = `tokenIn=${nativeToken}&tokenOut=${stable}&amountIn=1000000000000000000${elsewhere}`
  return service.sandboxUrls
    ? `${url}/api/v1/shortcuts/route?chainId=${chainId}&fromAddress=${sandboxSender}&${trade}`
    : `${url}/api/v1/shortcuts/quote?chainId=${chainId}&${trade}`
}

/** Where the service answers, and requests to paste. */
export function startupText({
  url,
  hasGuide,
  sandboxUrls,
  authMode,
  key,
  examples,
}: {
  readonly url: string
  /** Whether the documents are built, which the service then has as pages. */
  readonly hasGuide: boolean
  /** By chain id; null where the chains are those of the operator's nodes. */
  readonly sandboxUrls: Service['sandboxUrls']
  readonly authMode: Config['authMode']
  /** Null unless this start made it. */
  readonly key: string | null
  readonly examples: readonly string[]
}): string {
  const header = authMode === 'open' ? '' : `-H "Authorization: Bearer ${key ?? '$FORKROUTE_KEY'}" `
  const chains = Object.entries(sandboxUrls ?? {}).map(
    ([chainId, node]) => `${`chain ${chainId}`.padEnd(12)}sandbox, JSON-RPC at ${node}`,
  )
  return [
    `forkroute   ${url}/api/v1`,
    `reference   ${url}/docs`,
    ...(hasGuide ? [`guide       ${url}/docs/guide/`] : []),
    `console     ${url}/console${key ? `#key=${key}` : ''}`,
    ...chains,
    ...(key ? [`API key     ${key}  (shown once; only its hash is stored)`] : []),
    ...examples.map((example) => `\ncurl -s ${header}"${example}"`),
    '',
  ].join('\n')
}

/** A route, and where several chains are served by the sandbox one over a bridge. */
function exampleRequests(url: string, service: Service): string[] {
  const [, other] = service.sandboxUrls ? service.engine.networks() : []
  return [exampleRequest(url, service), ...(other ? [exampleRequest(url, service, other.id)] : [])]
}

async function serve(config: Config, mode: ArchiveMode): Promise<void> {
  const logger = createLogger(config.logLevel)
  const keys = config.authMode === 'key' ? openKeyStore(config.dataDir) : null
  // Loaded when needed: the other commands start faster without it.
  const { createApiServer } = await import('../api/server.js')
  const { isSiteBuilt } = await import('../api/pages/site-page.js')
  const { createService } = await import('../service/service.js')
  const member = membership()
  // What is done once for all is done by the first.
  const isFirst = !member || member.place === 0
  const own = { followsPools: isFirst, takesUpBacktests: isFirst, sandbox: member?.sandbox }
  const start = (onProgress?: (message: string, fraction: number) => void) => {
    const progress = onProgress && { onProgress }
    return createService(config, { ...own, ...progress, logger, mode, sandboxChains: 'all' })
  }
  const service = isFirst ? await withProgress('Starting the service', start) : await start()
  const api = createApiServer({ ...service, keys, logger })
  const stop = async () => {
    await api.close()
    await service.close()
    keys?.close()
  }
  try {
    const { url, port } = await api.listen()
    const recorded = mode.kind === 'replay' ? firstRecorded(url, mode.file) : null
    const examples = recorded ? [recorded] : exampleRequests(url, service)
    if (isFirst) {
      const { sandboxUrls } = service
      const { authMode } = config
      const key = firstKey(keys)
      console.log(
        startupText({ url, hasGuide: isSiteBuilt(), sandboxUrls, authMode, key, examples }),
      )
    }
    if (mode.kind !== 'live') console.log(`${`${mode.kind}s`.padEnd(12)}${mode.file}\n`)
    logger.info({ port, ...(member && { process: member.place }) }, 'ready')
  } catch (error) {
    await stop()
    throw error
  }
  await untilStopped(logger, member?.stopAsked)
  await stop()
}

/** @param asked - resolves when the primary wants this process to stop. */
async function untilStopped(logger: Logger, asked?: Promise<void>): Promise<void> {
  const first = nextSignal()
  const signal = await Promise.race([first, ...(asked ? [asked] : [])])
  logger.info({ ...(signal && { signal }) }, 'stopping; a second signal stops at once')
  // A signal to all processes may come after the word of the primary that it makes it send.
  void first.then(nextSignal).then(() => process.exit(1))
}

/** The service as several processes. They read the command line again. */
async function serveInProcesses(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel)
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  const { startProcesses } = await import('../processes/primary.js')
  const hasNodes = Object.keys(config.rpcUrls).length > 0
  const { startOwnSandbox } = await import('../service/chosen-chains.js')
  const sandbox = hasNodes
    ? null
    : await withProgress('Starting the sandbox', (onProgress) =>
        startOwnSandbox(config, { onProgress, sandboxChains: 'all' }, closers),
      )
  try {
    const processes = await startProcesses({ count: config.processes, sandbox, logger })
    closers.push(() => processes.stop())
    await untilStopped(logger)
  } finally {
    await close()
  }
}

function firstRecorded(url: string, file: string): string | null {
  const first = summarise(file).requests.find(({ method }) => method === 'GET')
  return first ? `${url}/api/v1${first.url}` : null
}

/** Serves the API from a cassette, without keys: open to anybody who can reach the port. */
export async function serveCassette(file: string, port: string | undefined): Promise<void> {
  const { env } = process
  const config = loadConfig({
    HOST: env.HOST,
    PORT: port ?? env.PORT,
    LOG_LEVEL: env.LOG_LEVEL,
    WORKERS: env.WORKERS,
    FORKS_PER_BLOCK: env.FORKS_PER_BLOCK,
    AUTH_MODE: 'open',
  })
  await serve(config, { kind: 'replay', file })
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service; configured by the environment')
    .option('--port <number>', 'as PORT; 0: any free port')
    .option(
      '--record <file>',
      'keep every calculated answer in this cassette, with all that it needs',
    )
    .action(async (options: { port?: string; record?: string }) => {
      const config = loadConfig({ ...process.env, ...(options.port && { PORT: options.port }) })
      const { record: file } = options
      if (config.processes > 1 && cluster.isPrimary) {
        if (file === undefined) return serveInProcesses(config)
        throw new ConfigError(['PROCESSES: what is recorded is recorded by one process.'])
      }
      await serve(config, file === undefined ? { kind: 'live' } : { kind: 'record', file })
    })
}
