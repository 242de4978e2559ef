/**
 * Delivers between the chains of the sandbox what their bridges have sent, in the order (chain, block, log), from two
 * fixed accounts, a block each: the same transactions make the same blocks.
 */
import { quietly } from '../../telemetry/quietly.js'
import { acrossDelivery, fundsDeposited } from './across.js'
import { alignNonces } from './nonces.js'
import { type PendingDelivery, type RelayerMode, relayerModes } from './pending-delivery.js'
import type { RelayedChain, RelayedLog } from './relayed-chain.js'
import { packetSent, stargateDelivery } from './stargate.js'

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

export interface Relayer {
  /** @param blockNumber - of the newest block of the chain. */
  onHead(chainId: number, blockNumber: number): void
  /** The chain stands where it stood at the start: what was sent since is gone. */
  onRestart(chainId: number): void
  /**
   * Looks at all chains, and delivers what the mode lets it; what waits is not an error.
   * @param mode - from now on; undefined: as it is.
   */
  relay(mode?: RelayerMode): Promise<RelayerReport>
  /** Lets a delivery that has begun come to its end. */
  stop(): Promise<void>
}

interface Known {
  readonly chain: RelayedChain
  /** Number of the newest block when the relayer started. */
  readonly start: number
  /** Up to this block, all that was sent is known. */
  seen: number
  hasRestarted: boolean
}

/** @param heads - blocks of the chains from which on it delivers. */
export function createRelayer(
  chains: readonly RelayedChain[],
  heads: ReadonlyMap<number, number>,
): Relayer {
  const known: Known[] = chains.map((chain) => {
    const start = heads.get(chain.chainId) ?? 0
    return { chain, start, seen: start, hasRestarted: false }
  })
  let mode: RelayerMode = 'deliver'
  let waiting: { readonly delivery: PendingDelivery; hasFailed: boolean }[] = []
  let running: Promise<unknown> = Promise.resolve()
  let isScheduled = false
  let hasStopped = false

  /** One after the other, whoever asks. */
  function run<T>(work: () => Promise<T>): Promise<T> {
    const result = running.then(work)
    running = quietly(result, 'Whoever asked for the work is told.')
    return result
  }

  /** After a block; any number of blocks meanwhile are one pass. A chain that is gone brings the next one. */
  function schedule(): void {
    if (isScheduled || hasStopped) return
    isScheduled = true
    const scheduled = run(() => {
      isScheduled = false
      return pass()
    })
    void quietly(scheduled, 'A chain that is gone brings the next pass.')
  }

  async function pass(): Promise<void> {
    for (;;) {
      const found = await collect()
      waiting.push(...found.map((delivery) => ({ delivery, hasFailed: false })))
      if (hasStopped || mode === 'hold') return
      const hasMoved = await deliver()
      // A delivery may send something on.
      if (!hasMoved) return
    }
  }

  async function collect(): Promise<PendingDelivery[]> {
    const found: PendingDelivery[] = []
    for (const entry of known) {
      const { chain } = entry
      const head = await chain.head()
      if (entry.hasRestarted || head < entry.seen) await rollBack(entry, head)
      if (head === entry.seen) continue
      const { endpoint, spokePool } = chain.bridges
      const logs = await chain.logs({
        fromBlock: entry.seen + 1,
        toBlock: head,
        addresses: [endpoint, spokePool],
        topics: [packetSent, fundsDeposited],
      })
      found.push(...logs.flatMap((log) => deliveryOf(log, chain) ?? []))
      entry.seen = head
    }
    return found
  }

  /** What stood in the blocks that are gone was never sent. */
  async function rollBack(entry: Known, head: number): Promise<void> {
    const { chain } = entry
    const others = chains.filter((other) => other !== chain)
    await alignNonces(chain, others)
    entry.seen = entry.hasRestarted ? entry.start : head
    entry.hasRestarted = false
    waiting = waiting.filter(
      ({ delivery }) => delivery.source !== chain.chainId || delivery.blockNumber <= entry.seen,
    )
  }

  function deliveryOf(log: RelayedLog, chain: RelayedChain): PendingDelivery | null {
    return log.topics[0] === packetSent
      ? stargateDelivery(log, chain, chains)
      : acrossDelivery(log, chain, chains)
  }

  /** @returns whether anything was delivered. */
  async function deliver(): Promise<boolean> {
    let hasMoved = false
    for (const entry of [...waiting]) {
      if (hasStopped) break
      const { delivery } = entry
      const chain = chains.find(({ chainId }) => chainId === delivery.destination)
      if (entry.hasFailed || !chain) continue
      const state = await delivery.attempt(chain, mode)
      entry.hasFailed = state === 'failed'
      if (state !== 'over') continue
      hasMoved = true
      waiting = waiting.filter((other) => other !== entry)
    }
    return hasMoved
  }

  return {
    onHead(chainId, blockNumber) {
      const entry = known.find(({ chain }) => chain.chainId === chainId)
      // Blocks of its own deliveries are looked at by the pass that made them.
      if (entry && (entry.seen !== blockNumber || waiting.length > 0)) schedule()
    },
    onRestart(chainId) {
      const entry = known.find(({ chain }) => chain.chainId === chainId)
      if (entry) entry.hasRestarted = true
      schedule()
    },
    relay: (wanted) =>
      run(async () => {
        if (wanted) {
          mode = wanted
          for (const entry of waiting) entry.hasFailed = false
        }
        await pass()
        return {
          mode,
          waiting: waiting.map(({ delivery, hasFailed }) => ({
            bridge: delivery.bridge,
            id: delivery.id,
            hasFailed,
            sourceChainId: delivery.source,
            destinationChainId: delivery.destination,
          })),
        }
      }),
    async stop() {
      hasStopped = true
      await running
      for (const chain of chains) await chain.close()
    },
  }
}

/** Undefined for what is no mode. */
export function parseMode(value: unknown): RelayerMode | undefined {
  return relayerModes.find((mode) => mode === value)
}
