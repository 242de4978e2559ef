/**
 * Assembles what the archive thread owns: the disk cache, one source per chain, the HTTP server.
 * `workers/archive.ts` connects it to the main thread.
 */
import { LRUCache } from 'lru-cache'
import { unknownBlock, unknownChain } from '../../domain/common-errors.js'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import { openCassetteFile } from '../cassette/cassette-file.js'
import type { CassetteHead } from '../cassette/cassette-requests.js'
import { CassetteState } from '../cassette/cassette-state.js'
import { Recorder } from '../cassette/recorder.js'
import { openDiskCache } from '../disk/disk-cache.js'
import type {
  ArchiveRequest,
  ArchiveStats,
  ArchiveThreadData,
  ReadStats,
  ThreadMessage,
} from './archive-messages.js'
import { startArchiveServer } from './archive-server.js'
import type { ChainSource } from './chain-source.js'
import { createCodeStore } from './code-index.js'
import { createLiveChain, type LiveChain } from './live-chain.js'
import { ReplayChain, type ReplayChainOptions } from './replay-chain.js'

export interface ArchiveThread {
  readonly port: number
  handle(request: Exclude<ArchiveRequest, { kind: 'close' }>): Promise<unknown>
  close(): Promise<void>
}

/** Values in memory over all chains and blocks; about 350 bytes each. */
const maxMemoryItems = 60_000
const defaultPollIntervalMs = 3_000
const statusIntervalMs = 500
/** A recording of states alone. */
const nobody: CassetteHead = { facts: {}, version: '{}' }

/** @throws ForkrouteError STORAGE_UNAVAILABLE when a cassette cannot be opened. */
export async function startArchiveThread(
  data: ArchiveThreadData,
  post: (message: ThreadMessage) => void,
): Promise<ArchiveThread> {
  const { mode } = data
  const knownEmpty = new Set(data.knownEmpty)
  const warn = (message: string): void => post({ kind: 'log', level: 'warn', message })
  // Code and its index stay: they are small compared with the reads that they save.
  const keep = (scope: string): boolean => !scope.includes(':')
  const isReplay = mode.kind === 'replay'
  const disk = openDiskCache(isReplay ? null : data.dataDir, keep, warn)
  const codes = createCodeStore(disk)
  const memory = new LRUCache<string, Hex>({ max: maxMemoryItems })
  const cassetteFile = isReplay ? openCassetteFile(mode.file, 'read') : null
  const cassette = cassetteFile && new CassetteState(cassetteFile)
  // A restarted thread takes the port of its predecessor.
  const isResumed = data.port !== 0
  const recorder: Recorder | null =
    mode.kind === 'record'
      ? new Recorder(mode.file, mode.head ?? nobody, { isResumed, warn })
      : null

  const live: LiveChain[] = []
  const sources = new Map<number, ChainSource>()
  // Comes first: nothing else may be running if the port is not available.
  const server = await startArchiveServer(sources, data.port)
  for (const chain of data.chains) {
    const { chainId } = chain
    if (cassette) {
      const onHead: ReplayChainOptions['onHead'] = (pin) =>
        post({ kind: 'head', pin, replaced: [] })
      const head = (isReplay && mode.heads?.[chainId]) || null
      const later = (isReplay && mode.later) || []
      const options = { chainId, cassette, head, knownEmpty, later, onHead }
      sources.set(chainId, new ReplayChain(options))
      continue
    }
    const source = createLiveChain({
      chain,
      disk,
      codes,
      memory,
      knownEmpty,
      recorder,
      pollIntervalMs: data.pollIntervalMs ?? defaultPollIntervalMs,
      ...(data.upstreamTimeoutMs !== null && { upstreamTimeoutMs: data.upstreamTimeoutMs }),
      onHead(pin, replaced) {
        postStatus(chainId)
        post({ kind: 'head', pin, replaced })
      },
      onLog: (level, message) => post({ kind: 'log', level, message }),
    })
    live.push(source)
    sources.set(chainId, source)
  }

  const posted = new Map<number, string>()
  function postStatus(chainId: number): void {
    const status = sources.get(chainId)?.status()
    if (!status) return
    const text = JSON.stringify(status)
    if (posted.get(chainId) === text) return
    posted.set(chainId, text)
    post({ kind: 'status', chainId, status })
  }
  function postAll(): void {
    for (const chainId of sources.keys()) postStatus(chainId)
    for (const chain of live) {
      for (const [index, ms] of chain.takeAnswerTimes().entries()) {
        if (!ms.length) continue
        post({ kind: 'answerTimes', chainId: chain.chainId, node: index + 1, ms })
      }
    }
  }
  const timer = setInterval(postAll, statusIntervalMs)

  function sourceOf(chainId: number): ChainSource {
    const source = sources.get(chainId)
    if (source) return source
    throw unknownChain(chainId)
  }

  async function headerOf(chainId: number, number: bigint): Promise<BlockPin> {
    const found = await sourceOf(chainId).block(number)
    if (found.ok) return found.value.pin
    throw unknownBlock({ chainId, number }, `Block ${number}: ${found.message}.`)
  }

  function stats(): ArchiveStats {
    return {
      ...readStats(live),
      served: server.counters.served,
      memoryItems: memory.size,
      chains: live.map((chain) => ({
        chainId: chain.chainId,
        ...readStats([chain]),
        nodes: chain.nodeCounters(),
      })),
    }
  }

  return {
    port: server.port,
    async handle(request) {
      if (request.kind === 'pin') return sourceOf(request.chainId).pin(request.block, request)
      if (request.kind === 'header') return headerOf(request.chainId, request.block)
      if (request.kind === 'changes') {
        return sourceOf(request.chainId).changedBlocks(request.question)
      }
      if (request.kind === 'transaction') return sourceOf(request.chainId).transaction(request.hash)
      if (request.kind === 'prefetch') return sourceOf(request.pin.chainId).prefetch(request.pin)
      if (request.kind === 'record') return recorder?.request(request.entry)
      if (request.kind === 'stats') return stats()
      if (request.kind === 'standby') return server.standby(request.id, request.block)
      if (request.kind === 'change') return server.change(request.id, request.accounts)
      const firsts = [...sources.values()].map((source) => source.firstAnswers)
      await within(request.waitMs, Promise.all(firsts))
      postAll()
      return undefined
    },
    async close() {
      clearInterval(timer)
      await server.close()
      await Promise.all([...sources.values()].map((source) => source.close()))
      recorder?.close()
      cassetteFile?.close()
      disk.close()
    },
  }
}

function readStats(chains: readonly LiveChain[]): ReadStats {
  const sum = (pick: (chain: LiveChain) => number): number =>
    chains.reduce((total, chain) => total + pick(chain), 0)
  return {
    upstreamHttpRequests: sum((chain) => chain.upstreamCounters.httpRequests),
    upstreamCalls: sum((chain) => chain.upstreamCounters.calls),
    upstreamRetries: sum((chain) => chain.upstreamCounters.retries),
    upstreamHedges: sum((chain) => chain.upstreamCounters.hedges),
    coalesced: sum((chain) => chain.upstreamCounters.coalesced),
    memoryHits: sum((chain) => chain.counters.memoryHits),
    sqliteHits: sum((chain) => chain.counters.sqliteHits),
    codeHits: sum((chain) => chain.counters.codeHits),
    emptyHits: sum((chain) => chain.counters.emptyHits),
    provenHits: sum((chain) => chain.counters.provenHits),
    misses: sum((chain) => chain.counters.misses),
    unreadable: sum((chain) => chain.counters.unreadable),
    prefetched: sum((chain) => chain.counters.prefetched),
  }
}

async function within(waitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
