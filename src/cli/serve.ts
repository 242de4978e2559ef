/** `forkroute serve`: the service. Puts the parts together, says where it is, and stops in order. */
import type { Command } from 'commander'
import { type KeyStore, openKeyStore } from '../api/key-store.js'
import { chainById } from '../chains/registry.js'
import { type Config, loadConfig } from '../config.js'
import { nativeToken } from '../domain/primitives.js'
import { createLogger } from '../log.js'
import type { Service } from '../service.js'
import { withProgress } from './output.js'
import { nextSignal } from './process.js'

/** Anvil's first development account; rich on the sandbox chain. Its key is public. */
const sandboxSender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Null unless this start made the first account. */
function firstKey(keys: KeyStore | null): string | null {
  if (!keys || keys.listKeys().length > 0) return null
  return keys.createKey({ name: 'first start', accountName: 'default' }).key
}

/** One native token into the chain's first stable coin: a route on the sandbox, whose sender has it, else a quote. */
function exampleRequest(url: string, service: Service): string {
  const chainId = service.engine.networks()[0]?.id ?? 1
  const stable = chainById(chainId)?.stableAnchors[0]
  const trade = `tokenIn=${nativeToken}&tokenOut=${stable}&amountIn=1000000000000000000`
  return service.sandboxUrl
    ? `${url}/api/v1/shortcuts/route?chainId=${chainId}&fromAddress=${sandboxSender}&${trade}`
    : `${url}/api/v1/shortcuts/quote?chainId=${chainId}&${trade}`
}

function greet(url: string, service: Service, config: Config, key: string | null): void {
  const isOpen = config.authMode === 'open'
  const header = isOpen ? '' : `-H "Authorization: Bearer ${key ?? '$FORKROUTE_KEY'}" `
  console.log(`forkroute   ${url}/api/v1`)
  console.log(`reference   ${url}/docs`)
  if (service.sandboxUrl) console.log(`chain       sandbox, JSON-RPC at ${service.sandboxUrl}`)
  if (key) console.log(`API key     ${key}  (shown once; only its hash is stored)`)
  console.log(`\ncurl -s ${header}"${exampleRequest(url, service)}"\n`)
}

async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel)
  const keys = config.authMode === 'key' ? openKeyStore(config.dataDir) : null
  // Loaded when needed: the other commands start faster without it.
  const { createApiServer } = await import('../api/server.js')
  const { createService } = await import('../service.js')
  const service = await withProgress('Starting the service', (onProgress) =>
    createService(config, { logger, onProgress }),
  )
  const api = createApiServer({ engine: service.engine, config, keys, logger })
  const stop = async () => {
    await api.close()
    await service.close()
    keys?.close()
  }
  try {
    const { url, port } = await api.listen()
    greet(url, service, config, firstKey(keys))
    logger.info({ port }, 'ready')
  } catch (error) {
    await stop()
    throw error
  }
  const signal = await nextSignal()
  logger.info({ signal }, 'stopping; a second signal stops at once')
  void nextSignal().then(() => process.exit(1))
  await stop()
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service; configured by the environment')
    .option('--port <number>', 'as PORT; 0: any free port')
    .action(async (options: { port?: string }) => {
      await serve(loadConfig({ ...process.env, ...(options.port && { PORT: options.port }) }))
    })
}
