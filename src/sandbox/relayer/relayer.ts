/**
 * Delivers between the chains of the sandbox what their bridges have sent, in the order (chain, block, log), from three
 * fixed accounts, a block each: the same transactions make the same blocks.
 */
import type { Hex } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { SandboxAccount } from '../accounts.js'
import { acrossDelivery, fundsDeposited } from './across.js'
import { arbitrumDelivery, messageNumbered } from './arbitrum.js'
import { canonicalDelivery, transactionDeposited } from './canonical.js'
import { cctpDelivery, messageSent } from './cctp.js'
import { finalityBlocks, type HostileCounts, Hostility } from './hostile.js'
import { layerZeroDelivery, packetSent } from './layerzero.js'
import { alignNonces } from './nonces.js'
import { type PendingDelivery, type RelayerMode, relayerModes } from './pending-delivery.js'
import type { RelayedCall, RelayedChain, RelayedLog } from './relayed-chain.js'

export interface RelayerReport {
  readonly mode: RelayerMode
  /** In the order of delivery; `failed` ones are tried again when a mode is set. */
  readonly waiting: readonly {
    readonly bridge: PendingDelivery['bridge']
    readonly id: string
    readonly sourceChainId: number
    readonly destinationChainId: number
    readonly hasFailed: boolean
  }[]
  /** Since the mode was set; of a hostile relayer alone. */
  readonly hostile?: HostileCounts
}

interface Known {
  readonly chain: RelayedChain
  /** Number of the newest block when the relayer started. */
  readonly start: number
  /** Up to this block, all that was sent is known. */
  seen: number
  /** Newest blocks after earlier work, ascending: which of them still stand tells how far the chain was put back. */
  marks: readonly { readonly number: number; readonly hash: Hex }[]
  hasRestarted: boolean
}

interface Waiting {
  readonly delivery: PendingDelivery
  /** What it was sent by. */
  readonly log: RelayedLog
  hasFailed: boolean
}

interface Delivered extends Omit<Waiting, 'hasFailed'> {
  /** Of the destination, at which it is delivered. */
  readonly blockNumber: number
}

/** Marks of each chain that are kept. */
const mostMarks = 1_000

export class Relayer {
  readonly #chains: readonly RelayedChain[]
  readonly #known: readonly Known[]
  #mode: RelayerMode = 'deliver'
  #hostility: Hostility | null = null
  #waiting: Waiting[] = []
  #delivered: Delivered[] = []
  #running: Promise<unknown> = Promise.resolve()
  #isScheduled = false
  #hasStopped = false

  /** @param heads - blocks of the chains from which on it delivers. */
  constructor(chains: readonly RelayedChain[], heads: ReadonlyMap<number, number>) {
    this.#chains = chains
    this.#known = chains.map((chain) => {
      const start = heads.get(chain.chainId) ?? 0
      return { chain, start, seen: start, marks: [], hasRestarted: false }
    })
  }

  /** @param blockNumber - of the newest block of the chain. */
  onHead(chainId: number, blockNumber: number): void {
    const entry = this.#entryOf(chainId)
    // Blocks of its own deliveries are looked at by the pass that made them.
    if (entry && (entry.seen !== blockNumber || this.#waiting.length > 0)) this.#schedule()
  }

  /** The chain stands where it stood at the start: what was sent since is gone. */
  onRestart(chainId: number): void {
    const entry = this.#entryOf(chainId)
    if (entry) entry.hasRestarted = true
    this.#schedule()
  }

  /**
   * Looks at all chains, and delivers what the mode lets it; what waits is not an error.
   * @param mode - from now on; undefined: as it is. A hostile one makes one round for each question, and none between.
   * @param seed - of a hostile one.
   */
  relay(mode?: RelayerMode, seed = 1n): Promise<RelayerReport> {
    return this.#run(async () => {
      if (mode) {
        this.#mode = mode
        this.#hostility = mode === 'hostile' ? new Hostility(seed) : null
        for (const entry of this.#waiting) entry.hasFailed = false
      }
      await this.#pass()
      if (this.#hostility) await this.#round(this.#hostility)
      const report = { mode: this.#mode, waiting: this.#waiting.map(toWaiting) }
      return this.#hostility ? { ...report, hostile: { ...this.#hostility.counts } } : report
    })
  }

  /** Lets a delivery that has begun come to its end. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    await this.#running
    for (const chain of this.#chains) await chain.close()
  }

  #entryOf(chainId: number): Known | undefined {
    return this.#known.find(({ chain }) => chain.chainId === chainId)
  }

  /** One after the other, whoever asks. */
  #run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#running.then(work)
    this.#running = quietly(result, 'Whoever asked for the work is told.')
    return result
  }

  /** After a block; any number of blocks meanwhile are one pass. A chain that is gone brings the next one. */
  #schedule(): void {
    if (this.#isScheduled || this.#hasStopped) return
    this.#isScheduled = true
    const scheduled = this.#run(() => {
      this.#isScheduled = false
      return this.#pass()
    })
    void quietly(scheduled, 'A chain that is gone brings the next pass.')
  }

  async #pass(): Promise<void> {
    for (;;) {
      await this.#collect()
      if (this.#hasStopped || this.#mode === 'hold' || this.#mode === 'hostile') return
      const hasMoved = await this.#deliver()
      // A delivery may send something on.
      if (!hasMoved) return
    }
  }

  /** What it has found is kept whatever comes next: a chain may be put back while it is asked. */
  async #collect(): Promise<void> {
    for (const entry of this.#known) {
      const { chain } = entry
      const head = await chain.head()
      if (entry.hasRestarted) await this.#restart(entry)
      else {
        const marks = await this.#standing(entry, head)
        if (marks) await this.#rollBack(entry, marks)
      }
      if (head === entry.seen) continue
      const { endpoint, spokePool, cctp } = chain.bridges
      const portals = this.#chains.flatMap(({ bridges: { settlement } }) =>
        settlement?.chainId === chain.chainId ? [settlement.portal] : [],
      )
      const inboxes = this.#chains.flatMap(({ bridges: { tickets } }) =>
        tickets?.chainId === chain.chainId ? [tickets.bridge] : [],
      )
      const logs = await chain.logs({
        fromBlock: entry.seen + 1,
        toBlock: head,
        addresses: [endpoint, spokePool, cctp.transmitter, ...portals, ...inboxes],
        topics: [packetSent, fundsDeposited, messageSent, transactionDeposited, messageNumbered],
      })
      const all = await Promise.all(logs.map((log) => this.#waitingOf(log, chain)))
      this.#waiting.push(...all.flat())
      entry.seen = head
      await this.#mark(entry, head)
    }
  }

  /** What it delivers itself is marked, too: it may be undone before anything else is seen. */
  async #markAll(): Promise<void> {
    for (const entry of this.#known) {
      const { chain, marks, hasRestarted } = entry
      const head = await chain.head()
      const last = marks.at(-1)
      // A chain that has been put back meanwhile is looked at by the next pass.
      if (hasRestarted || (last && (await chain.hashOf(last.number)) !== last.hash)) continue
      if (head !== last?.number) await this.#mark(entry, head)
    }
  }

  async #mark(entry: Known, head: number): Promise<void> {
    const hash = await entry.chain.hashOf(head)
    if (hash) entry.marks = [...entry.marks.slice(1 - mostMarks), { number: head, hash }]
  }

  async #waitingOf(log: RelayedLog, chain: RelayedChain): Promise<Waiting[]> {
    const delivery = await this.#deliveryOf(log, chain)
    return delivery ? [{ delivery, log, hasFailed: false }] : []
  }

  /** @returns the marks that still stand; null: all do. */
  async #standing({ marks, chain, seen }: Known, head: number): Promise<Known['marks'] | null> {
    let count = marks.length
    for (let last = marks[count - 1]; last; last = marks[count - 1]) {
      if (last.number <= head && (await chain.hashOf(last.number)) === last.hash) break
      count--
    }
    return count === marks.length && head >= seen ? null : marks.slice(0, count)
  }

  /** All that was sent since is gone, and what the others had sent to it is forgotten. */
  async #restart(entry: Known): Promise<void> {
    const { chain, start } = entry
    await alignNonces(chain, this.#othersOf(chain), true)
    entry.seen = start
    entry.marks = []
    entry.hasRestarted = false
    this.#forget(entry)
    this.#delivered = this.#delivered.filter(
      ({ delivery }) => delivery.destination !== chain.chainId,
    )
  }

  /**
   * What stood in the blocks that are gone was never sent, and what was delivered in them is delivered again.
   *
   * @param marks - those that still stand.
   */
  async #rollBack(entry: Known, marks: Known['marks']): Promise<void> {
    const { chain, start } = entry
    const kept = marks.at(-1)?.number ?? start
    await alignNonces(chain, this.#othersOf(chain), false)
    const isTo = ({ delivery }: Pick<Waiting, 'delivery'>) => delivery.destination === chain.chainId
    const undone = this.#delivered.filter((one) => isTo(one) && one.blockNumber > kept)
    const begun = this.#waiting.filter(isTo)
    const anew = await Promise.all(
      [...undone, ...begun].map(async ({ delivery, log }) => {
        const source = this.#chains.find(({ chainId }) => chainId === delivery.source)
        return source ? this.#waitingOf(log, source) : []
      }),
    )
    this.#delivered = this.#delivered.filter((one) => !undone.includes(one))
    this.#waiting = [...this.#waiting.filter((one) => !begun.includes(one)), ...anew.flat()]
    if (this.#hostility) this.#hostility.counts.again += undone.length
    entry.seen = Math.min(entry.seen, kept)
    entry.marks = [...marks]
    this.#forget(entry)
  }

  #othersOf(chain: RelayedChain): readonly RelayedChain[] {
    return this.#chains.filter((other) => other !== chain)
  }

  #forget({ chain, seen }: Known): void {
    const isKept = ({ delivery }: Pick<Waiting, 'delivery'>) =>
      delivery.source !== chain.chainId || delivery.blockNumber <= seen
    this.#waiting = this.#waiting.filter(isKept)
    this.#delivered = this.#delivered.filter(isKept)
  }

  async #deliveryOf(log: RelayedLog, chain: RelayedChain): Promise<PendingDelivery | null> {
    const [topic] = log.topics
    if (topic === messageSent) return cctpDelivery(log, chain, this.#chains)
    if (topic === messageNumbered) return arbitrumDelivery(log, chain, this.#chains)
    if (topic === transactionDeposited) return canonicalDelivery(log, chain, this.#chains)
    return topic === packetSent
      ? layerZeroDelivery(log, chain, this.#chains)
      : acrossDelivery(log, chain, this.#chains)
  }

  /** @returns whether anything was delivered. */
  async #deliver(): Promise<boolean> {
    let hasMoved = false
    for (const entry of [...this.#waiting]) {
      if (this.#hasStopped) break
      const { delivery } = entry
      const chain = this.#chains.find(({ chainId }) => chainId === delivery.destination)
      if (entry.hasFailed || !chain) continue
      const state = await delivery.attempt(chain, this.#mode)
      entry.hasFailed = state === 'failed'
      if (state !== 'over') continue
      hasMoved = true
      await this.#end(entry, chain)
    }
    await this.#markAll()
    return hasMoved
  }

  async #end(entry: Waiting, chain: RelayedChain): Promise<void> {
    const { delivery, log } = entry
    this.#waiting = this.#waiting.filter((other) => other !== entry)
    this.#delivered.push({ delivery, log, blockNumber: await chain.head() })
  }

  /** Once through all that waits. */
  async #round(hostility: Hostility): Promise<void> {
    const { counts } = hostility
    counts.rounds++
    for (const entry of hostility.shuffled(this.#waiting)) {
      const { delivery } = entry
      const chain = this.#chains.find(({ chainId }) => chainId === delivery.destination)
      const source = this.#entryOf(delivery.source)
      if (this.#hasStopped || !chain || !source) continue
      if (!delivery.isFast && source.seen - delivery.blockNumber < finalityBlocks) continue
      const fate = hostility.fateOf(delivery)
      if (fate.kind === 'delayed') {
        counts.delayed++
        continue
      }
      const { recorded, sent } = recording(chain)
      const state = await delivery.attempt(recorded, fate.mode)
      if (fate.kind === 'dropped') {
        counts.dropped++
        // Where the chain is put back, what it was carried on to is undone.
        await this.#end(entry, chain)
        continue
      }
      if (state !== 'over') continue
      await this.#end(entry, chain)
      if (!fate.isRepeated) continue
      for (const [from, call] of sent) {
        const { outcome } = await chain.transact(from, call)
        counts.repeated++
        if (outcome.status !== 'reverted') counts.repeatedWell++
      }
    }
    await this.#markAll()
  }
}

/** The chain, and what is sent to contracts of it. */
function recording(chain: RelayedChain) {
  const sent: (readonly [SandboxAccount, RelayedCall])[] = []
  const recorded: RelayedChain = {
    ...chain,
    transact(from, call) {
      if (call.data !== '0x') sent.push([from, call])
      return chain.transact(from, call)
    },
  }
  return { recorded, sent }
}

function toWaiting({ delivery, hasFailed }: Waiting): RelayerReport['waiting'][number] {
  return {
    bridge: delivery.bridge,
    id: delivery.id,
    hasFailed,
    sourceChainId: delivery.source,
    destinationChainId: delivery.destination,
  }
}

/** Undefined for what is no mode. */
export function parseMode(value: unknown): RelayerMode | undefined {
  return relayerModes.find((mode) => mode === value)
}
