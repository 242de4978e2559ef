/** Looks after running forks: those that hang, that have grown or were used very often are replaced. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { quietly } from '../telemetry/quietly.js'
import type { BlockForks } from './block-forks.js'
import { forkClient } from './clients.js'
import type { Fork } from './process.js'

/** Bytes of a memory page, as /proc counts them. */
const pageBytes = 4096
const missedProbes = 2

export interface ForkHealthOptions {
  readonly blocks: () => Iterable<BlockForks>
  readonly maxRssMb: number
  readonly maxUses: number
  /** From one round of probes to the next. */
  readonly intervalMs: number
  readonly timeoutMs: number
}

export class ForkHealth {
  readonly #options: ForkHealthOptions
  readonly #stopping = new AbortController()
  readonly #probing: Promise<void>

  constructor(options: ForkHealthOptions) {
    this.#options = options
    this.#probing = this.#probeForever()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#probing
  }

  async #probeForever(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const pause = sleep(this.#options.intervalMs, undefined, { signal, ref: false })
      await quietly(pause, 'The pause between two probes of forks ends with the pool.')
      if (signal.aborted) return
      const probes = [...this.#options.blocks()].flatMap((block) =>
        block.forks().map((fork) => this.#probe(block, fork)),
      )
      await Promise.allSettled(probes)
    }
  }

  async #probe(block: BlockForks, fork: Fork): Promise<void> {
    const { maxRssMb, maxUses, timeoutMs } = this.#options
    fork.rssBytes = await residentBytes(fork.pid)
    const answered = await forkClient(fork.url)
      .request('web3_clientVersion', [], AbortSignal.timeout(timeoutMs))
      .then(() => true)
      .catch(() => false)
    fork.failedProbes = answered ? 0 : fork.failedProbes + 1
    if (fork.failedProbes >= missedProbes) return block.replace(fork.url)
    if (fork.uses >= maxUses || fork.rssBytes > maxRssMb * 2 ** 20) await block.retire(fork)
  }
}

/** Zero where the system does not say. */
export async function residentBytes(pid: number | null): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * pageBytes
}
