/**
 * Reads the events of a chain into the pool index: up to 64 blocks below its head in ranges as large as the nodes take,
 * from there on block by block, by hash. A reorg shows by the hash of a block that was read, and is taken back.
 */
import type { ChainDefinition } from '../chains/chain.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import { type BlockSpan, inRanges, type RangeAnswer } from '../rpc/node/log-ranges.js'
import type { EventLog } from '../rpc/node/mined/event-logs.js'
import type { Upstream } from '../rpc/node/upstream.js'
import type { ChainSources, IndexedPool, PoolSource } from './sources.js'
import type { IndexStore } from './store.js'

type Nodes = Pick<Upstream, 'latestOf' | 'nodes' | 'block' | 'logs'>

export interface SyncProgress {
  readonly block: bigint
  readonly head: bigint
  /** Share that is done of what this run has to read, 0 to 1. */
  readonly fraction: number
  /** Events of pools that this run has read. */
  readonly found: number
}

export interface SyncOptions {
  readonly chain: Pick<ChainDefinition, 'id' | 'name'>
  readonly sources: ChainSources
  readonly store: IndexStore
  readonly upstream: Nodes
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: SyncProgress) => void
}

export interface SyncResult {
  readonly head: bigint
  readonly found: number
  /** Blocks that were taken back because the chain does not have them any more. */
  readonly rolledBack: bigint
}

/** Blocks this far below the head are out of reach of reorgs; `rpc/node/chain-tip.ts` has the same number. */
const reorgWindow = 64n
/** Blocks in one request at first; nodes that take less say so. */
const mostBlocks = 100_000n
/** A range above this that no node answers in time may be too much work rather than out of reach. */
const patientBlocks = 5_000n
/** Newest blocks that are read together. */
const tailBlocks = 32n
/** How often the newest blocks may change while they are read. */
const mostChanges = 16

/**
 * Reads up to the newest block as it is at the start. May be interrupted at any time: what is written is whole ranges.
 *
 * @throws ForkrouteError STATE_UNAVAILABLE where no node gives events, or one block alone is refused;
 *   UPSTREAM_UNAVAILABLE; STORAGE_UNAVAILABLE; the signal's reason.
 */
export async function syncChain(options: SyncOptions): Promise<SyncResult> {
  const { chain, sources, store, upstream, signal } = options
  const keys = sources.sources.map(({ key }) => key)
  store.begin(chain.id, sources.sources)
  const head = await headOf(chain, upstream)
  let rolledBack = 0n
  let found = 0
  let first: bigint | null = null
  let changes = 0
  for (;;) {
    signal?.throwIfAborted()
    rolledBack += await takeBackReorg(options, head)
    const cursors = store.cursors(chain.id, keys)
    const lowest = minimum([...cursors.values()], head.number)
    if (lowest >= head.number) return { head: head.number, found, rolledBack }
    first ??= lowest
    // Sources that stand alike are read by one request; one that was added later catches up alone.
    const group = sources.sources.filter(({ key }) => cursors.get(key) === lowest)
    const next = minimum(
      [...cursors.values()].filter((block) => block > lowest),
      head.number,
    )
    const span = { from: lowest + 1n, to: next }
    const begun = first
    const onRead = (block: bigint, pools: number) => {
      found += pools
      const total = Number(head.number - begun)
      const fraction = total > 0 ? Number(block - begun) / total : 1
      options.onProgress?.({ block, head: head.number, fraction, found })
    }
    const isFinal = span.from + reorgWindow <= head.number
    if (isFinal) {
      const to = minimum([span.to], head.number - reorgWindow)
      await readRanges(options, group, { from: span.from, to }, onRead)
    } else if (!(await readTail(options, group, span, onRead))) {
      changes += 1
      if (changes > mostChanges) throw restless(chain)
    }
  }
}

async function headOf(chain: SyncOptions['chain'], upstream: Nodes): Promise<BlockPin> {
  const count = upstream.nodes().length
  const heads = await Promise.all(Array.from({ length: count }, (_, k) => upstream.latestOf(k)))
  const [head] = heads
    .flatMap((block) => block?.pin ?? [])
    .toSorted((a, b) => (a.number > b.number ? -1 : 1))
  if (!head) {
    const problem = upstream.nodes().find((node) => node.problem)?.problem ?? 'none answers'
    const text = `No node of chain ${chain.id} (${chain.name}) can be used: ${problem}`
    throw new ForkrouteError('UPSTREAM_UNAVAILABLE', text, { chainId: chain.id })
  }
  if (upstream.nodes().every((node) => node.abilities?.logs === false)) throw noEvents(chain)
  return head
}

function noEvents({ id, name }: SyncOptions['chain']): ForkrouteError {
  return new ForkrouteError(
    'STATE_UNAVAILABLE',
    `No node of chain ${id} (${name}) gives events (eth_getLogs), by which pools are found; routes use look-ups alone, as without an index.`,
    { chainId: id },
  )
}

/** @returns how many blocks were forgotten. */
async function takeBackReorg(
  { chain, store, upstream }: SyncOptions,
  head: BlockPin,
): Promise<bigint> {
  // A node that lags shows nothing about blocks above its head.
  const known = store.checkpoints(chain.id)
  const [newest, ...older] = known.filter(({ number }) => number <= head.number)
  const isThere = async (one: { readonly number: bigint; readonly hash: Hex }) => {
    const block = await upstream.block(one.number)
    return block.ok && block.value.pin.hash === one.hash
  }
  if (newest ? await isThere(newest) : known.length === 0) return 0n
  const kept = await Promise.all(older.map(isThere))
  const place = kept.indexOf(true)
  const to = older[place]?.number ?? -1n
  store.rollBack(chain.id, to)
  return (known[0]?.number ?? to) - to
}

async function readRanges(
  { chain, sources, store, upstream, signal }: SyncOptions,
  group: readonly PoolSource[],
  span: BlockSpan,
  onRead: (block: bigint, pools: number) => void,
): Promise<void> {
  type Part = { readonly logs: readonly EventLog[]; readonly to: bigint; readonly hash: Hex }
  const ask = async (range: BlockSpan): Promise<RangeAnswer<Part>> => {
    signal?.throwIfAborted()
    const [logs, last] = await Promise.all([
      upstream.logs({ ...range, ...filterOf(group) }).catch((error: unknown) => {
        if (!isOutOfReach(error) || range.to - range.from < patientBlocks) throw error
        return { ok: false as const, message: (error as Error).message }
      }),
      upstream.block(range.to),
    ])
    if (!logs.ok) return logs
    if (!last.ok) return last
    return { ok: true, value: { logs: logs.value, to: range.to, hash: last.value.pin.hash } }
  }
  for await (const part of inRanges(span, { mostBlocks }, ask)) {
    if (!part.ok) throw refused(chain, part.from, part.message)
    const { logs, to, hash } = part.value
    const pools = poolsIn(logs, sources, group)
    const isAdded = store.add({
      chainId: chain.id,
      sources: group,
      from: part.from,
      to,
      pools,
      checkpoints: [{ number: to, hash }],
    })
    // Another process has gone on: where it stands is where to go on.
    if (!isAdded) return
    onRead(to, pools.length)
  }
}

/**
 * Blocks that may still be replaced: named by their hashes, each the parent of the next.
 * @returns false where they changed while they were read.
 */
async function readTail(
  { chain, sources, store, upstream }: SyncOptions,
  group: readonly PoolSource[],
  span: BlockSpan,
  onRead: (block: bigint, pools: number) => void,
): Promise<boolean> {
  const to = minimum([span.to], span.from + tailBlocks - 1n)
  const numbers = Array.from(
    { length: Number(to - span.from) + 1 },
    (_, k) => span.from + BigInt(k),
  )
  const blocks: BlockPin[] = []
  for (const [k, answer] of (await Promise.all(numbers.map((n) => upstream.block(n)))).entries()) {
    if (!answer.ok) throw refused(chain, numbers[k] ?? span.from, answer.message)
    blocks.push(answer.value.pin)
  }
  const before = store.checkpoints(chain.id).find(({ number }) => number === span.from - 1n)
  const isLine = blocks.every((block, k) => {
    const parent = k === 0 ? before?.hash : blocks[k - 1]?.hash
    return parent === undefined || block.parentHash === parent
  })
  // A reorg while it was read: the next round takes it back.
  if (!isLine) return false
  const answers = await Promise.all(
    blocks.map(({ number, hash }) =>
      upstream.logs({ from: number, to: number, blockHash: hash, ...filterOf(group) }),
    ),
  )
  const pools = answers.flatMap((answer, k) => {
    if (!answer.ok) throw refused(chain, numbers[k] ?? span.from, answer.message)
    return poolsIn(answer.value, sources, group)
  })
  const checkpoints = blocks.map(({ number, hash }) => ({ number, hash }))
  const isAdded = store.add({
    chainId: chain.id,
    sources: group,
    from: span.from,
    to,
    pools,
    checkpoints,
  })
  if (isAdded) onRead(to, pools.length)
  return true
}

/** An event may tell of pools of another source as well, which stands elsewhere. */
function poolsIn(
  logs: readonly EventLog[],
  sources: ChainSources,
  group: readonly PoolSource[],
): IndexedPool[] {
  const read = new Set(group.map(({ key }) => key))
  return logs.flatMap((log) => sources.read(log)).filter(({ source = '' }) => read.has(source))
}

/** Every contract with every topic: fewer requests than one per source, and each event is looked at anyway. */
function filterOf(group: readonly PoolSource[]): {
  readonly address: readonly Address[]
  readonly topics: readonly (readonly Hex[])[]
} {
  return {
    address: [...new Set(group.map(({ address }) => address))],
    topics: [[...new Set(group.map(({ topic }) => topic))]],
  }
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof ForkrouteError && error.code === 'UPSTREAM_UNAVAILABLE'
}

function restless({ id, name }: SyncOptions['chain']): ForkrouteError {
  const text = `The newest blocks of chain ${id} (${name}) are not the same from one answer to the next.`
  return new ForkrouteError('UPSTREAM_UNAVAILABLE', text, { chainId: id })
}

function refused({ id, name }: SyncOptions['chain'], block: bigint, message: string) {
  return new ForkrouteError(
    'STATE_UNAVAILABLE',
    `The events of block ${block} of chain ${id} (${name}) are not available: ${message}.`,
    { chainId: id, blockNumber: block.toString() },
  )
}

function minimum(values: readonly bigint[], most: bigint): bigint {
  let least = most
  for (const value of values) if (value < least) least = value
  return least
}
