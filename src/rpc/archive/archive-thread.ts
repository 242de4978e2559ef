/**
 * Assembles what the archive thread owns: the disk cache, one source per chain, the HTTP server.
 * `workers/archive.ts` connects it to the main thread.
 */
import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { blockFacts, unknownBlock, unknownChain } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import { openCassetteFile } from '../cassette/cassette-file.js'
import type { CassetteHead } from '../cassette/cassette-requests.js'
import { CassetteState } from '../cassette/cassette-state.js'
import { Recorder } from '../cassette/recorder.js'
import { type DiskCache, openDiskCache, withScopesOfItsOwn } from '../disk/disk-cache.js'
import { type MinedBlock, toMinedBlock } from '../node/mined/mined-block.js'
import type {
  ArchiveChain,
  ArchiveRequest,
  ArchiveStats,
  ArchiveThreadData,
  ReadStats,
  ThreadMessage,
} from './archive-messages.js'
import { type ArchiveServer, startArchiveServer } from './archive-server.js'
import type { ChainSource } from './chain-source.js'
import { type CodeStore, createCodeStore } from './code-index.js'
import { createLiveChain, type LiveChain } from './live-chain.js'
import { ReplayChain } from './replay-chain.js'

/** Values in memory over all chains and blocks; about 350 bytes each. */
const maxMemoryItems = 60_000
const defaultPollIntervalMs = 3_000
const statusIntervalMs = 500
/** A recording of states alone. */
const nobody: CassetteHead = { facts: {}, version: '{}' }

/** What the archive thread owns, opened before any chain is. */
interface Stores {
  readonly disk: DiskCache
  readonly codes: CodeStore
  readonly memory: LRUCache<string, Hex>
  readonly recorder: Recorder | null
  readonly cassetteFile: Database.Database | null
}

type Post = (message: ThreadMessage) => void

/** @throws ForkrouteError STORAGE_UNAVAILABLE when a cassette cannot be opened. */
export async function startArchiveThread(
  data: ArchiveThreadData,
  post: Post,
): Promise<ArchiveThread> {
  const stores = openStores(data, post)
  const sources = new Map<number, ChainSource>()
  // Comes first: nothing else may be running if the port is not available.
  const server = await startArchiveServer(sources, data.port)
  return new ArchiveThread({ data, stores, sources, server, post })
}

function openStores(data: ArchiveThreadData, post: Post): Stores {
  const { mode } = data
  const warn = (message: string): void => post({ kind: 'log', level: 'warn', message })
  const isReplay = mode.kind === 'replay'
  // Code and its index stay: they are small compared with the reads that they save.
  const keep = (scope: string): boolean => !scope.includes(':')
  const file = openDiskCache(isReplay ? null : data.dataDir, keep, warn)
  // What was read without proof is not taken for proven.
  const isProven = data.chains.some(({ verifyState }) => verifyState === 'all')
  const disk = isProven ? withScopesOfItsOwn(file, 'proven') : file
  // A restarted thread takes the port of its predecessor.
  const isResumed = data.port !== 0
  return {
    disk,
    codes: createCodeStore(disk),
    memory: new LRUCache<string, Hex>({ max: maxMemoryItems }),
    cassetteFile: isReplay ? openCassetteFile(mode.file, 'read') : null,
    recorder:
      mode.kind === 'record'
        ? new Recorder(mode.file, mode.head ?? nobody, { isResumed, warn })
        : null,
  }
}

export class ArchiveThread {
  readonly #stores: Stores
  readonly #server: ArchiveServer
  readonly #post: Post
  readonly #sources: Map<number, ChainSource>
  readonly #live: LiveChain[] = []
  /** The last status of each chain, as text. */
  readonly #posted = new Map<number, string>()
  readonly #timer: NodeJS.Timeout

  /** @param parts.sources - filled with a source for each chain; the server answers from it. */
  constructor(parts: {
    readonly data: ArchiveThreadData
    readonly stores: Stores
    readonly sources: Map<number, ChainSource>
    readonly server: ArchiveServer
    readonly post: Post
  }) {
    this.#stores = parts.stores
    this.#server = parts.server
    this.#post = parts.post
    this.#sources = parts.sources
    this.#openChains(parts.data)
    this.#timer = setInterval(() => this.#postAll(), statusIntervalMs)
  }

  get port(): number {
    return this.#server.port
  }

  async handle(request: Exclude<ArchiveRequest, { kind: 'close' }>): Promise<unknown> {
    switch (request.kind) {
      case 'pin':
        return this.#sourceOf(request.chainId).pin(request.block, request.options)
      case 'header':
        return this.#headerOf(request.chainId, request.block)
      case 'changes':
        return this.#sourceOf(request.chainId).changedBlocks(request.question)
      case 'transaction':
        return this.#sourceOf(request.chainId).transaction(request.hash)
      case 'minedBlock':
        return this.#minedBlockOf(request.chainId, request.block)
      case 'prefetch':
        return this.#sourceOf(request.pin.chainId).prefetch(request.pin)
      case 'record':
        return this.#stores.recorder?.request(request.entry)
      case 'stats':
        return this.#stats()
      case 'standby':
        return this.#server.standby(request.id, request.block)
      case 'change':
        return this.#server.change(request.id, request.accounts)
      case 'firstAnswers':
        return this.#firstAnswers(request.waitMs)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#server.close()
    await Promise.all([...this.#sources.values()].map((source) => source.close()))
    this.#stores.recorder?.close()
    this.#stores.cassetteFile?.close()
    this.#stores.disk.close()
  }

  #openChains(data: ArchiveThreadData): void {
    const { mode } = data
    const knownEmpty = new Set(data.knownEmpty)
    const { cassetteFile } = this.#stores
    const cassette = cassetteFile && new CassetteState(cassetteFile)
    for (const chain of data.chains) {
      const { chainId } = chain
      if (cassette) {
        const head = (mode.kind === 'replay' && mode.heads?.[chainId]) || null
        const later = (mode.kind === 'replay' && mode.later) || []
        const onHead = (pin: BlockPin) => this.#post({ kind: 'head', pin, replaced: [] })
        const options = { chainId, cassette, head, knownEmpty, later, onHead }
        this.#sources.set(chainId, new ReplayChain(options))
      } else {
        const source = this.#openLive(chain, data, knownEmpty)
        this.#live.push(source)
        this.#sources.set(chainId, source)
      }
    }
  }

  #openLive(
    chain: ArchiveChain,
    { pollIntervalMs, upstreamTimeoutMs }: ArchiveThreadData,
    knownEmpty: ReadonlySet<Address>,
  ): LiveChain {
    const { disk, codes, memory, recorder } = this.#stores
    return createLiveChain({
      chain,
      disk,
      codes,
      memory,
      knownEmpty,
      recorder,
      pollIntervalMs: pollIntervalMs ?? defaultPollIntervalMs,
      ...defined({ upstreamTimeoutMs: upstreamTimeoutMs ?? undefined }),
      onHead: (pin, replaced) => {
        this.#postStatus(chain.chainId)
        this.#post({ kind: 'head', pin, replaced })
      },
      onLog: (level, message) => this.#post({ kind: 'log', level, message }),
    })
  }

  #postStatus(chainId: number): void {
    const status = this.#sources.get(chainId)?.status()
    if (!status) return
    const text = JSON.stringify(status)
    if (this.#posted.get(chainId) === text) return
    this.#posted.set(chainId, text)
    this.#post({ kind: 'status', chainId, status })
  }

  #postAll(): void {
    for (const chainId of this.#sources.keys()) this.#postStatus(chainId)
    for (const chain of this.#live) {
      for (const [index, ms] of chain.takeAnswerTimes().entries()) {
        if (!ms.length) continue
        this.#post({ kind: 'answerTimes', chainId: chain.chainId, node: index + 1, ms })
      }
    }
  }

  #sourceOf(chainId: number): ChainSource {
    const source = this.#sources.get(chainId)
    if (source) return source
    throw unknownChain(chainId)
  }

  async #headerOf(chainId: number, number: bigint): Promise<BlockPin> {
    const found = await this.#sourceOf(chainId).block(number)
    if (found.ok) return found.value.pin
    throw unknownBlock({ chainId, number }, `Block ${number}: ${found.message}.`)
  }

  async #minedBlockOf(chainId: number, number: bigint): Promise<MinedBlock> {
    const found = await this.#sourceOf(chainId).block(number, { full: true })
    if (!found.ok) throw unknownBlock({ chainId, number }, `Block ${number}: ${found.message}.`)
    const mined = toMinedBlock(found.value)
    if (mined) return mined
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      `The transactions of block ${number} are not known here: ask a service with a node of chain ${chainId}.`,
      blockFacts({ chainId, number }),
    )
  }

  async #firstAnswers(waitMs: number): Promise<void> {
    const firsts = [...this.#sources.values()].map((source) => source.firstAnswers)
    await within(waitMs, Promise.all(firsts))
    this.#postAll()
  }

  #stats(): ArchiveStats {
    return {
      ...readStats(this.#live),
      served: this.#server.counters.served,
      memoryItems: this.#stores.memory.size,
      chains: this.#live.map((chain) => ({
        chainId: chain.chainId,
        ...readStats([chain]),
        nodes: chain.nodeCounters(),
      })),
    }
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
    stateChecked: sum((chain) => chain.upstreamCounters.stateChecked),
    stateFalse: sum((chain) => chain.upstreamCounters.stateFalse),
    stateUnproven: sum((chain) => chain.upstreamCounters.stateUnproven),
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
