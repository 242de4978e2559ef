/**
 * The main thread's side of the archive: starts the thread `workers/archive.ts`, which owns the nodes, the caches and
 * the loopback HTTP server that forks read from, and talks to it by messages. Nothing here blocks.
 *
 * The folder owns the state of all chains as forks and threads read it, live or from a cassette. In: blocks to pin, and
 * JSON-RPC at a pinned block (`protocol.ts` has our own methods). Out: pins, heads, values. Errors: ForkrouteError
 * UNKNOWN_CHAIN, UNKNOWN_BLOCK, CHAIN_NOT_READY, STATE_UNAVAILABLE and UPSTREAM_UNAVAILABLE; forks get texts that begin
 * with `state unreadable: ` or `upstream unavailable: `.
 */
import { pino } from 'pino'
import type { ChangedAccounts } from '../../domain/changes/what-if.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { NumberedEntry } from '../cassette/cassette-requests.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { MinedBlock } from '../node/mined/mined-block.js'
import { ArchiveLink, type ArchiveLogger, type ThreadEvent } from './archive-link.js'
import type {
  AnswerTimes,
  ArchiveChain,
  ArchiveMode,
  ArchiveStats,
  ChainStatus,
  PinOptions,
} from './archive-messages.js'
import type { TransactionFate } from './chain-source.js'
import { type ChangedState, DecidedStates, type Standby } from './decided-states.js'

export interface ArchiveOptions {
  /** Folder of `archive.sqlite`; null keeps everything in memory. */
  readonly dataDir: string | null
  readonly chains: readonly ArchiveChain[]
  /** Default live. */
  readonly mode?: ArchiveMode
  /** Accounts that exist only in simulations: answered as empty without asking a node. */
  readonly knownEmpty?: readonly Address[]
  /** Time between two polls of a node. */
  readonly pollIntervalMs?: number
  /** Timeout of one HTTP request to a node; a read takes at most twice this over all nodes and retries. */
  readonly upstreamTimeoutMs?: number
  readonly logLevel?: string
  /** Default: a logger of its own on standard error. */
  readonly logger?: ArchiveLogger
  /** Told twice a second how long nodes took to answer. */
  readonly onAnswerTimes?: (times: AnswerTimes) => void
}

/** State that one request changed. */
export interface Archive {
  /**
   * For `anvil --fork-url`: always the state of exactly this block. Without a hash, the block that has the number at
   * the time of each request, which a reorg may change; callers with a pin must pass its hash.
   * @param stateId - of `change`: the state as one request changed it.
   */
  url(chainId: number, blockNumber: bigint, blockHash?: Hex, stateId?: string | null): string
  /** The same for a fork of the pool, which is made to read each account in one request instead of three. */
  forkUrl(pin: BlockPin): string
  /** Has these accounts read as changed, at any block, by whoever names the id. */
  change(accounts: ChangedAccounts): Promise<ChangedState>
  /** For an `anvil --fork-url` whose block is decided later: requests wait until then. */
  standby(): Standby
  /** @throws ForkrouteError UNKNOWN_CHAIN, UNKNOWN_BLOCK, CHAIN_NOT_READY or UPSTREAM_UNAVAILABLE. */
  pin(chainId: number, block: bigint | 'latest', options?: PinOptions): Promise<BlockPin>
  /** Like `pin`, from the header alone: no node needs to have the block's state. */
  header(chainId: number, block: bigint): Promise<BlockPin>
  /**
   * Numbers of the blocks in which one of the contracts left an event, ascending.
   * @throws ForkrouteError STATE_UNAVAILABLE when no node knows, UPSTREAM_UNAVAILABLE.
   */
  changedBlocks(chainId: number, question: ChangesQuestion): Promise<readonly bigint[]>
  /**
   * What became of a transaction, by its hash.
   * @throws ForkrouteError STATE_UNAVAILABLE in a replay, UPSTREAM_UNAVAILABLE.
   */
  transaction(chainId: number, hash: Hex): Promise<TransactionFate>
  /**
   * A block with its transactions.
   * @throws ForkrouteError UNKNOWN_BLOCK, STATE_UNAVAILABLE in a replay, UPSTREAM_UNAVAILABLE.
   */
  minedBlock(chainId: number, block: bigint): Promise<MinedBlock>
  /** The newest known block, or null before the first. */
  head(chainId: number): BlockPin | null
  /** `reorgOf`: a block that is no longer part of the chain; called once per block. Returns how to stop. */
  onHead(listener: (pin: BlockPin, event: { reorgOf?: Hex }) => void): () => void
  /** Reads in bulk, at this block, the state that was read at recent blocks. Never throws for what a node does. */
  prefetch(pin: BlockPin): Promise<{ items: number; failed: number }>
  status(chainId: number): ChainStatus & { readonly headAgeSeconds: number | null }
  /**
   * Writes an answered request into the cassette, with everything that was read for it.
   * @returns its number there.
   * @throws ForkrouteError STORAGE_UNAVAILABLE: it is not recorded.
   */
  record(entry: NumberedEntry): Promise<number>
  stats(): Promise<ArchiveStats>
  close(): Promise<void>
}

/** How long a start waits for the nodes' first answers; a chain whose node is down becomes ready later. */
const startWaitMs = 3_000
/** Remembered hashes of pinned numbers, oldest forgotten first. */
const maxPins = 4_096

const absent: ChainStatus = {
  connected: false,
  capabilities: {},
  problem: 'The chain has not been asked yet.',
  headSeenAt: null,
  nodes: [],
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE when a cassette cannot be opened. Never for a node that is down. */
export async function startArchive(options: ArchiveOptions): Promise<Archive> {
  const { logger = pino({ level: options.logLevel ?? 'warn' }, pino.destination(2)) } = options
  const statuses = new Map<number, ChainStatus>()
  const heads = new Map<number, BlockPin>()
  const hashes = new Map<string, Hex>()
  const listeners = new Set<(pin: BlockPin, event: { reorgOf?: Hex }) => void>()

  function remember(pin: BlockPin): void {
    const key = `${pin.chainId}/${pin.number}`
    hashes.delete(key)
    hashes.set(key, pin.hash)
    const [oldest] = hashes.keys()
    if (hashes.size > maxPins && oldest !== undefined) hashes.delete(oldest)
  }

  const data = {
    dataDir: options.dataDir,
    chains: options.chains,
    mode: options.mode ?? ({ kind: 'live' } as const),
    knownEmpty: options.knownEmpty ?? [],
    pollIntervalMs: options.pollIntervalMs ?? null,
    upstreamTimeoutMs: options.upstreamTimeoutMs ?? null,
  }
  const onRestart = () => decided.tellAgain()
  const onThreadEvent = (threadEvent: ThreadEvent): void => {
    if (threadEvent.kind === 'status') {
      statuses.set(threadEvent.chainId, threadEvent.status)
      return
    }
    if (threadEvent.kind === 'answerTimes') {
      options.onAnswerTimes?.(threadEvent)
      return
    }
    const { pin, replaced } = threadEvent
    heads.set(pin.chainId, pin)
    for (const { number } of replaced) hashes.delete(`${pin.chainId}/${number}`)
    remember(pin)
    const events = replaced.map(({ hash }) => ({ reorgOf: hash }))
    for (const event of events.length > 0 ? events : [{}]) {
      for (const listener of listeners) listener(pin, event)
    }
  }
  const link = await ArchiveLink.start({ data, logger, onRestart, onThreadEvent })
  const decided = new DecidedStates(link)
  await link.ask<void>({ kind: 'firstAnswers', waitMs: startWaitMs })

  return {
    url(chainId, blockNumber, blockHash, stateId) {
      const hash = blockHash ?? hashes.get(`${chainId}/${blockNumber}`)
      const path = `${chainId}/${blockNumber}${hash ? `/${hash}` : ''}${stateId ? `/${stateId}` : ''}`
      return `http://127.0.0.1:${link.port}/${path}`
    },
    forkUrl({ chainId, number, hash, changes }) {
      const path = `${chainId}/${number}/${hash}/fork${changes?.stateId ? `/${changes.stateId}` : ''}`
      return `http://127.0.0.1:${link.port}/${path}`
    },
    change: (accounts) => decided.change(accounts),
    standby: () => decided.standby(),
    async pin(chainId, block, options = {}) {
      const pin = await link.ask<BlockPin>({ kind: 'pin', chainId, block, options })
      remember(pin)
      return pin
    },
    header: (chainId, block) => link.ask({ kind: 'header', chainId, block }),
    changedBlocks: (chainId, question) => link.ask({ kind: 'changes', chainId, question }),
    transaction: (chainId, hash) => link.ask({ kind: 'transaction', chainId, hash }),
    minedBlock: (chainId, block) => link.ask({ kind: 'minedBlock', chainId, block }),
    head: (chainId) => heads.get(chainId) ?? null,
    onHead(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    prefetch: (pin) => link.ask({ kind: 'prefetch', pin }),
    status(chainId) {
      const status = statuses.get(chainId) ?? absent
      const { headSeenAt } = status
      const headAgeSeconds =
        headSeenAt === null ? null : Math.max(0, Math.floor((Date.now() - headSeenAt) / 1000))
      return { ...status, headAgeSeconds }
    },
    record: (entry) => link.ask({ kind: 'record', entry }),
    stats: () => link.ask({ kind: 'stats' }),
    close: () => link.close(),
  }
}
