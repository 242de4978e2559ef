/**
 * Delivers between the chains of the sandbox what their bridges have sent, in the order (chain, block, log), from three
 * fixed accounts, a block each: the same transactions make the same blocks.
 */
import { quietly } from '../../telemetry/quietly.js'
import { acrossDelivery, fundsDeposited } from './across.js'
import { canonicalDelivery, transactionDeposited } from './canonical.js'
import { cctpDelivery, messageSent } from './cctp.js'
import { layerZeroDelivery, packetSent } from './layerzero.js'
import { alignNonces } from './nonces.js'
import { type PendingDelivery, type RelayerMode, relayerModes } from './pending-delivery.js'
import type { RelayedChain, RelayedLog } from './relayed-chain.js'

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
}

interface Known {
  readonly chain: RelayedChain
  /** Number of the newest block when the relayer started. */
  readonly start: number
  /** Up to this block, all that was sent is known. */
  seen: number
  hasRestarted: boolean
}

interface Waiting {
  readonly delivery: PendingDelivery
  hasFailed: boolean
}

export class Relayer {
  readonly #chains: readonly RelayedChain[]
  readonly #known: readonly Known[]
  #mode: RelayerMode = 'deliver'
  #waiting: Waiting[] = []
  #running: Promise<unknown> = Promise.resolve()
  #isScheduled = false
  #hasStopped = false

  /** @param heads - blocks of the chains from which on it delivers. */
  constructor(chains: readonly RelayedChain[], heads: ReadonlyMap<number, number>) {
    this.#chains = chains
    this.#known = chains.map((chain) => {
      const start = heads.get(chain.chainId) ?? 0
      return { chain, start, seen: start, hasRestarted: false }
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
   * @param mode - from now on; undefined: as it is.
   */
  relay(mode?: RelayerMode): Promise<RelayerReport> {
    return this.#run(async () => {
      if (mode) {
        this.#mode = mode
        for (const entry of this.#waiting) entry.hasFailed = false
      }
      await this.#pass()
      return { mode: this.#mode, waiting: this.#waiting.map(toWaiting) }
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
      const found = await this.#collect()
      this.#waiting.push(...found.map((delivery) => ({ delivery, hasFailed: false })))
      if (this.#hasStopped || this.#mode === 'hold') return
      const hasMoved = await this.#deliver()
      // A delivery may send something on.
      if (!hasMoved) return
    }
  }

  async #collect(): Promise<PendingDelivery[]> {
    const found: PendingDelivery[] = []
    for (const entry of this.#known) {
      const { chain } = entry
      const head = await chain.head()
      if (entry.hasRestarted || head < entry.seen) await this.#rollBack(entry, head)
      if (head === entry.seen) continue
      const { endpoint, spokePool, cctp } = chain.bridges
      const portals = this.#chains.flatMap(({ bridges: { settlement } }) =>
        settlement?.chainId === chain.chainId ? [settlement.portal] : [],
      )
      const logs = await chain.logs({
        fromBlock: entry.seen + 1,
        toBlock: head,
        addresses: [endpoint, spokePool, cctp.transmitter, ...portals],
        topics: [packetSent, fundsDeposited, messageSent, transactionDeposited],
      })
      const all = await Promise.all(logs.map((log) => this.#deliveryOf(log, chain)))
      found.push(...all.flatMap((one) => one ?? []))
      entry.seen = head
    }
    return found
  }

  /** What stood in the blocks that are gone was never sent. */
  async #rollBack(entry: Known, head: number): Promise<void> {
    const { chain } = entry
    const others = this.#chains.filter((other) => other !== chain)
    await alignNonces(chain, others)
    entry.seen = entry.hasRestarted ? entry.start : head
    entry.hasRestarted = false
    this.#waiting = this.#waiting.filter(
      ({ delivery }) => delivery.source !== chain.chainId || delivery.blockNumber <= entry.seen,
    )
  }

  async #deliveryOf(log: RelayedLog, chain: RelayedChain): Promise<PendingDelivery | null> {
    const [topic] = log.topics
    if (topic === messageSent) return cctpDelivery(log, chain, this.#chains)
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
      this.#waiting = this.#waiting.filter((other) => other !== entry)
    }
    return hasMoved
  }
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
