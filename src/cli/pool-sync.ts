/** `forkroute pools sync`: the index of all pools of a chain, by the events of its nodes. */
import { statSync } from 'node:fs'
import type { Command } from 'commander'
import type { ChainDefinition } from '../chains/chain.js'
import { type Config, loadConfig } from '../config/config.js'
import { indexFile } from '../pool-index/database.js'
import { type ChainSources, sourcesOf } from '../pool-index/sources.js'
import { openIndexStore } from '../pool-index/store.js'
import { type SyncProgress, type SyncResult, syncChain } from '../pool-index/sync.js'
import { withDeclaredVenues } from '../protocols/declared/venue.js'
import { chainOrEthereum, knownChain, upstreamOf } from './chains.js'
import { type ConnectionOptions, refuseUrl } from './client.js'
import { type OutputOptions, printJson, printTable, withProgress } from './output.js'
import { nodeUrls } from './process.js'

interface Options extends OutputOptions, ConnectionOptions {
  readonly chain: number
  readonly rpcUrl?: string
}

/** Time between two lines of progress in a pipe, and two changes of the line on a terminal. */
const pipePauseMs = 10_000
const terminalPauseMs = 500

export function addPoolsSync(group: Command): void {
  group
    .command('sync')
    .description('build the index of all pools, or bring it up to date; may be interrupted')
    .addOption(chainOrEthereum())
    .option('--rpc-url <url>', 'the node to ask; default: those of RPC_URL_<chain>, or the sandbox')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      refuseUrl(options, 'pools are kept in the folder DATA_DIR')
      const chain = knownChain(options.chain)
      const config = loadConfig(process.env)
      const nodes = await openNodes(config, options)
      try {
        await sync(chain, config, nodes.urls, options)
      } finally {
        await nodes.close()
      }
    })
}

/** @throws ConfigError. */
async function openNodes(config: Config, options: Options) {
  if (options.rpcUrl !== undefined || Object.keys(config.rpcUrls).length > 0) {
    return { urls: nodeUrls(config, options), close: async () => undefined }
  }
  const { startSandboxes } = await import('../sandbox/sandbox.js')
  const { sandboxChainIds } = await import('../sandbox/plans/registry.js')
  const chainId = options.chain
  if (!sandboxChainIds.includes(chainId)) nodeUrls(config, options)
  const sandboxes = await withProgress('Starting the sandbox', (onProgress) =>
    startSandboxes([chainId], { onProgress }),
  )
  return {
    urls: sandboxes.map(({ url }) => url),
    close: () => Promise.all(sandboxes.map((sandbox) => sandbox.stop())),
  }
}

async function sync(
  chain: ChainDefinition,
  config: Config,
  urls: readonly string[],
  options: Options,
): Promise<void> {
  const started = Date.now()
  const sources = sourcesOf(withDeclaredVenues(chain, config.venues))
  const store = openIndexStore(config.dataDir)
  const upstream = upstreamOf(chain, config, urls)
  const show = progressLine(`Pools of chain ${chain.id}`, started)
  try {
    const result = await syncChain({ chain, sources, store, upstream, onProgress: show.report })
    show.end()
    const protocols = store.counts(chain.id)
    // Only then the file holds everything.
    store.close()
    const bytes = statSync(indexFile(config.dataDir)).size
    printSummary(chain, sources, { ...result, protocols, bytes, started }, options)
  } finally {
    show.end()
    await upstream.close()
    store.close()
  }
}

function printSummary(
  chain: ChainDefinition,
  { sources, without }: ChainSources,
  done: SyncResult & {
    readonly protocols: readonly { readonly protocol: string; readonly pools: number }[]
    /** Size of the file. */
    readonly bytes: number
    readonly started: number
  },
  options: OutputOptions,
): void {
  const counts = new Map(done.protocols.map(({ protocol, pools }) => [protocol, pools]))
  const read = [...new Set(sources.map(({ protocol }) => protocol))].sort()
  const protocols = read.map((protocol) => ({ protocol, pools: counts.get(protocol) ?? 0 }))
  const pools = protocols.reduce((sum, each) => sum + each.pools, 0)
  const { bytes } = done
  const seconds = (Date.now() - done.started) / 1_000
  if (options.json) {
    const { head, found, rolledBack } = done
    const blocks = { head: Number(head), rolledBack: Number(rolledBack) }
    const totals = { pools, found, protocols, withoutEvents: without, bytes, seconds }
    printJson({ chainId: chain.id, ...blocks, ...totals })
    return
  }
  printTable(
    ['protocol', 'pools'],
    [
      ...protocols.map((each) => [each.protocol, each.pools]),
      ...without.map((slug) => [slug, 'no events of its venue tell of pools']),
    ],
  )
  console.log(
    `${pools} pools up to block ${done.head}, ${done.found} read now in ${seconds.toFixed(1)} s; ${(bytes / 1e6).toFixed(1)} MB.`,
  )
  if (done.rolledBack > 0n) {
    console.log(`${done.rolledBack} blocks were replaced by a reorg and read again.`)
  }
}

function progressLine(label: string, started: number) {
  const isTty = process.stderr.isTTY
  let shownAt = started
  let isShown = false
  return {
    report({ block, head, fraction, found }: SyncProgress): void {
      const now = Date.now()
      if (now - shownAt < (isTty ? terminalPauseMs : isShown ? pipePauseMs : terminalPauseMs))
        return
      shownAt = now
      isShown = true
      const left = fraction > 0 ? ((now - started) * (1 - fraction)) / fraction : Number.NaN
      const text = `${label}: block ${block} of ${head} (${Math.round(fraction * 100)}%), ${found} found, ${durationOf(left)} left`
      process.stderr.write(isTty ? `\r\x1b[K${text}` : `${text}\n`)
    },
    end(): void {
      if (isShown && isTty) process.stderr.write('\r\x1b[K')
      isShown = false
    },
  }
}

function durationOf(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown time'
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
