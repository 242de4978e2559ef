/**
 * Sends reads to the nodes of a chain. Each part of them, as large as a node takes at once, goes its own way: to the
 * first node that may be asked, to another one as well when the answer is late, and what is still open after that goes
 * out again, as long as some node may answer.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError } from '../../domain/errors.js'
import { quietly } from '../../telemetry/quietly.js'
import { type Ask, giveUp, isOpen, note, settleRefused } from './ask.js'
import type { ChainTip } from './chain-tip.js'
import type { RetryBudget } from './learnt/retry-budget.js'
import type { Outcome } from './node-request.js'
import type { SendOptions, UpstreamNode } from './upstream-node.js'

/** How often a read goes out, besides the times at which it only waits for a node that is busy. */
const maxRounds = 24
const firstPauseMs = 20
const longestPauseMs = 200
/** Between two looks at the budget; the one before has spent its part of it by then. */
const affordableMs = 10
/** Of a node that answers a few reads at a time, the last of many may come so many times later. */
const busyFactor = 3

/** Hedged requests for each request: more would only burden a node that is slow as a whole. */
const hedgesPerRequest = 0.1
const mostHedges = 8

export interface DispatchParts {
  readonly chainId: number
  /** In the order of preference. */
  readonly nodes: readonly UpstreamNode[]
  readonly tip: ChainTip
  /** The reads in parts that go their own ways. */
  readonly split: (node: UpstreamNode, asks: readonly Ask[]) => readonly (readonly Ask[])[]
  /** Outcomes in the order of the reads. */
  readonly send: (
    node: UpstreamNode,
    asks: readonly Ask[],
    options: SendOptions,
  ) => Promise<Outcome[]>
  /** All nodes share it. */
  readonly budget: RetryBudget
  /** For all attempts together, while no node answers. */
  readonly totalTimeoutMs: number
  readonly closing: AbortSignal
  /** Reads go out again. */
  readonly onRetry: () => void
  readonly onHedge: () => void
}

/** How often a part of the reads went out, and since when. */
interface Attempt {
  readonly startedAt: number
  /** From 1. */
  readonly round: number
  /** Asked before without success: others are asked first. */
  readonly last: UpstreamNode | null
}

export class Dispatch {
  readonly #parts: DispatchParts
  /** The last of the parts that wait until they may be sent again. */
  #line: Promise<unknown> = Promise.resolve()
  #hedges = mostHedges
  #progressAt = 0

  constructor(parts: DispatchParts) {
    this.#parts = parts
  }

  /** Settles each read, or fails it with UPSTREAM_UNAVAILABLE when no node gives an answer. Never throws. */
  serve(asks: readonly Ask[]): Promise<void> {
    return this.#sendAll(asks, { startedAt: Date.now(), round: 1, last: null })
  }

  /** Sends each of the reads to a node that may have it. */
  async #sendAll(asks: readonly Ask[], attempt: Attempt): Promise<void> {
    await this.#anyVerified()
    const { chosen, left } = this.#choose(asks, attempt.last)
    const sent = [...chosen].flatMap(([node, own]) =>
      this.#parts.split(node, own).map((part) => this.#sendTo(node, part, attempt)),
    )
    await Promise.all([...sent, this.#goOn(left, attempt)])
  }

  /** Verifies nodes that are new; waits for that only where no other node can be asked. */
  async #anyVerified(): Promise<void> {
    const usable = this.#parts.nodes.filter((node) => node.waitMs() === 0)
    const verifying = usable.filter((node) => !node.isVerified()).map((node) => node.ready())
    if (verifying.length === usable.length) await firstTrue(verifying)
  }

  /** @returns reads by node, and those for which no node is free. */
  #choose(asks: readonly Ask[], last: UpstreamNode | null) {
    const order = this.#inOrder(last)
    const chosen = new Map<UpstreamNode, Ask[]>()
    const left: Ask[] = []
    for (const one of asks) {
      const node = order.find((other) => !one.refusedBy.has(other))
      const own = node ? (chosen.get(node) ?? []) : left
      own.push(one)
      if (node) chosen.set(node, own)
    }
    return { chosen, left }
  }

  /** The nodes that may be asked at once: the quick ones first, and the one that was asked last after its like. */
  #inOrder(last: UpstreamNode | null): UpstreamNode[] {
    const rank = (node: UpstreamNode) => (node.isSlow() ? 2 : 0) + (node === last ? 1 : 0)
    return this.#parts.nodes
      .filter((node) => node.isVerified() && node.waitMs() === 0)
      .sort((a, b) => rank(a) - rank(b))
  }

  async #sendTo(node: UpstreamNode, asks: readonly Ask[], attempt: Attempt): Promise<void> {
    const isAgain = asks.some(({ isSent }) => isSent)
    await this.#sendHedged(node, asks, isAgain)
    await this.#goOn(asks.filter(isOpen), { ...attempt, last: node })
  }

  async #goOn(asks: readonly Ask[], attempt: Attempt): Promise<void> {
    for (const one of asks) settleRefused(one, this.#parts.nodes, attempt.round)
    const open = asks.filter(isOpen)
    if (open.length > 0) await this.#sendAgain(open, attempt)
  }

  /**
   * Asks the node, and once the answer is late another one too. Ends as soon as nothing is open, or nothing more is to
   * be expected: what is late is not waited for when everything else has ended, or when it must be lost.
   */
  #sendHedged(node: UpstreamNode, asks: readonly Ask[], isAgain: boolean): Promise<void> {
    this.#hedges = Math.min(mostHedges, this.#hedges + hedgesPerRequest)
    const stopping = new AbortController()
    setMaxListeners(0, stopping.signal)
    return new Promise((resolve, reject) => {
      const inFlight = new Set<{ isLate: boolean }>()
      const endIfIdle = (reason: 'given up' | 'lost') => {
        const isOver = !asks.some(isOpen)
        if (!isOver && [...inFlight].some(({ isLate }) => !isLate)) return
        stopping.abort(isOver ? 'answered' : reason)
        resolve()
      }
      const start = (to: UpstreamNode, own: readonly Ask[], isAgain: boolean) => {
        const copy = { isLate: false }
        inFlight.add(copy)
        const onLate = (isLost: boolean) => {
          copy.isLate = true
          if (isLost) endIfIdle('lost')
          else if (!stopping.signal.aborted && this.#mayHedge()) {
            start(this.#inOrder(to)[0] ?? to, asks.filter(isOpen), true)
          }
        }
        this.#send(to, own, { signal: stopping.signal, isAgain, onLate }).then(() => {
          inFlight.delete(copy)
          endIfIdle('given up')
        }, reject)
      }
      start(node, asks, isAgain)
    })
  }

  /** Whether one more request may go out beside one that is late; it is then counted. */
  #mayHedge(): boolean {
    if (this.#hedges < 1 || this.#parts.budget.waitMs() > 0) return false
    this.#hedges -= 1
    this.#parts.onHedge()
    return true
  }

  async #send(node: UpstreamNode, asks: readonly Ask[], options: SendOptions): Promise<void> {
    const outcomes = await this.#parts.send(node, asks, options)
    asks.forEach((one, index) => {
      note(one, node, outcomes[index], this.#parts.tip)
    })
    if (outcomes.some(({ kind }) => kind === 'value')) this.#progressAt = Date.now()
  }

  /** After a pause, or never: then the reads are settled with what nodes said, or fail. */
  async #sendAgain(asks: readonly Ask[], attempt: Attempt): Promise<void> {
    const { nodes, budget, closing, onRetry } = this.#parts
    const { round, last } = attempt
    const wait = this.#shortestWait()
    // A node that is there and was not asked yet needs no pause.
    const isFresh = this.#inOrder(last).some((node) => node !== last) && round < nodes.length
    const isStarved = asks.some(({ isSent }) => isSent) && budget.waitMs() > 0
    const pause = wait || (isFresh ? 0 : jittered(firstPauseMs * 2 ** (round - 1)))
    const until = this.#endOf(attempt)
    if (wait === null || round >= maxRounds || Date.now() + pause > until || closing.aborted) {
      const error = this.#unavailable()
      for (const one of asks) giveUp(one, error)
      return
    }
    onRetry()
    await this.#pauseFor(pause, until)
    if (isStarved) {
      this.#line = this.#line.then(() => this.#untilAffordable(until))
      await this.#line
    }
    const isCounted = wait === 0 && !isStarved
    await this.#sendAll(asks, { ...attempt, round: isCounted ? round + 1 : round })
  }

  /** When the reads are given up, milliseconds since the epoch: later while nodes answer others. */
  #endOf({ startedAt }: Attempt): number {
    const { totalTimeoutMs } = this.#parts
    return Math.min(
      Math.max(startedAt, this.#progressAt) + totalTimeoutMs,
      startedAt + busyFactor * totalTimeoutMs,
    )
  }

  /** What new requests earn meanwhile ends the wait, so it is looked at often. */
  async #untilAffordable(until: number): Promise<void> {
    const { budget, closing } = this.#parts
    do await this.#sleep(affordableMs)
    while (budget.waitMs() > 0 && Date.now() < until && !closing.aborted)
  }

  /** Waits until a node may be asked. Checks again, since timers may fire early and clocks may be set. */
  async #pauseFor(pauseMs: number, until: number): Promise<void> {
    for (let left = pauseMs; left > 0; left = this.#shortestWait() ?? 0) {
      await this.#sleep(left)
      if (this.#parts.closing.aborted || Date.now() > until) return
    }
  }

  #sleep(ms: number): Promise<unknown> {
    const paused = sleep(ms, undefined, { signal: this.#parts.closing })
    return quietly(paused, 'A pause before the next request to a node ends with the service.')
  }

  /** Milliseconds until some node may be asked; null: none is worth waiting for. */
  #shortestWait(): number | null {
    const waits = this.#parts.nodes.map((node) => node.waitMs()).filter((ms) => ms !== null)
    return waits.length ? Math.min(...waits) : null
  }

  #unavailable(): ForkrouteError {
    const { nodes, chainId } = this.#parts
    const problems = nodes.map((node) => node.problem()).filter((text) => text !== null)
    const reason = problems.join(' ') || 'no answer in time.'
    return new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      `No node of chain ${chainId} gives an answer: ${reason}`,
      { chainId },
    )
  }
}

/** True as soon as one of them is, false once none was. */
async function firstTrue(all: readonly Promise<boolean>[]): Promise<boolean> {
  const found = all.map(async (one) => (await one) || Promise.reject())
  return Promise.any(found).catch(() => false)
}

/** Half of it to all of it, so that reads which failed together do not all go out again together. */
function jittered(ms: number): number {
  return Math.min(longestPauseMs, ms) * (0.5 + Math.random() / 2)
}
