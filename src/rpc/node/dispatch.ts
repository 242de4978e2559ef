/**
 * Sends reads to the nodes of a chain. Each part of them, as large as a node takes at once, goes its own way: to the
 * first node that may be asked, to another one as well when the answer is late, and what is still open after that goes
 * out again, as long as some node may answer.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError } from '../../domain/errors.js'
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
  /** Of all nodes together. */
  readonly budget: RetryBudget
  /** For all attempts together, while no node answers. */
  readonly totalTimeoutMs: number
  readonly closing: AbortSignal
  /** Reads go out again. */
  readonly onRetry: () => void
  readonly onHedge: () => void
}

/** A part on its way. */
interface Journey {
  readonly startedAt: number
  /** From 1. */
  readonly round: number
  /** Asked before without success: others are asked first. */
  readonly last: UpstreamNode | null
}

export interface Dispatch {
  /** Settles each read, or fails it with UPSTREAM_UNAVAILABLE when no node gives an answer. Never throws. */
  serve(asks: readonly Ask[]): Promise<void>
}

export function createDispatch(parts: DispatchParts): Dispatch {
  const { nodes, closing, tip, budget } = parts
  /** Of the parts that wait until they may be sent again, the last. */
  let line = Promise.resolve()
  let hedges = mostHedges
  let progressAt = 0

  /** Sends each of the reads to a node that may have it. */
  async function go(asks: readonly Ask[], journey: Journey): Promise<void> {
    await ready()
    const { chosen, left } = choose(asks, journey.last)
    const ways = [...chosen].flatMap(([node, own]) =>
      parts.split(node, own).map((part) => attempt(node, part, journey)),
    )
    await Promise.all([...ways, goOn(left, journey)])
  }

  /** Verifies nodes that are new; waits for that only where no other node can be asked. */
  async function ready(): Promise<void> {
    const usable = nodes.filter((node) => node.waitMs() === 0)
    const verifying = usable.filter((node) => !node.isVerified()).map((node) => node.ready())
    if (verifying.length === usable.length) await firstTrue(verifying)
  }

  /** @returns reads by node, and those for which no node is free. */
  function choose(asks: readonly Ask[], last: UpstreamNode | null) {
    const order = inOrder(last)
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
  function inOrder(last: UpstreamNode | null): UpstreamNode[] {
    const rank = (node: UpstreamNode) => (node.isSlow() ? 2 : 0) + (node === last ? 1 : 0)
    return nodes
      .filter((node) => node.isVerified() && node.waitMs() === 0)
      .sort((a, b) => rank(a) - rank(b))
  }

  async function attempt(
    node: UpstreamNode,
    asks: readonly Ask[],
    journey: Journey,
  ): Promise<void> {
    await sendHedged(
      node,
      asks,
      asks.some(({ isSent }) => isSent),
    )
    await goOn(asks.filter(isOpen), { ...journey, last: node })
  }

  async function goOn(asks: readonly Ask[], journey: Journey): Promise<void> {
    for (const one of asks) settleRefused(one, nodes, journey.round)
    const open = asks.filter(isOpen)
    if (open.length > 0) await again(open, journey)
  }

  /**
   * Asks the node, and once the answer is late another one too. Ends as soon as nothing is open, or nothing more is to
   * be expected: what is late is not waited for when everything else has ended, or when it must be lost.
   */
  function sendHedged(node: UpstreamNode, asks: readonly Ask[], isAgain: boolean): Promise<void> {
    hedges = Math.min(mostHedges, hedges + hedgesPerRequest)
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
          else if (mayHedge()) start(inOrder(to)[0] ?? to, asks.filter(isOpen), true)
        }
        send(to, own, { signal: stopping.signal, isAgain, onLate }).then(() => {
          inFlight.delete(copy)
          endIfIdle('given up')
        }, reject)
      }
      const mayHedge = () => {
        if (hedges < 1 || stopping.signal.aborted || budget.waitMs() > 0) return false
        hedges -= 1
        parts.onHedge()
        return true
      }
      start(node, asks, isAgain)
    })
  }

  async function send(
    node: UpstreamNode,
    asks: readonly Ask[],
    options: SendOptions,
  ): Promise<void> {
    const outcomes = await parts.send(node, asks, options)
    asks.forEach((one, index) => {
      note(one, node, outcomes[index], tip)
    })
    if (outcomes.some(({ kind }) => kind === 'value')) progressAt = Date.now()
  }

  /** After a pause, or never: then the reads are settled with what nodes said, or fail. */
  async function again(asks: readonly Ask[], journey: Journey): Promise<void> {
    const { startedAt, round, last } = journey
    const wait = shortestWait()
    // A node that is there and was not asked yet needs no pause.
    const isFresh = inOrder(last).some((node) => node !== last) && round < nodes.length
    const isStarved = asks.some(({ isSent }) => isSent) && budget.waitMs() > 0
    const pause = wait || (isFresh ? 0 : jittered(firstPauseMs * 2 ** (round - 1)))
    const now = Date.now()
    const until = Math.min(
      Math.max(startedAt, progressAt) + parts.totalTimeoutMs,
      startedAt + busyFactor * parts.totalTimeoutMs,
    )
    if (wait === null || round >= maxRounds || now + pause > until || closing.aborted) {
      const error = unavailable()
      for (const one of asks) giveUp(one, error)
      return
    }
    parts.onRetry()
    await pauseFor(pause, until)
    if (isStarved) {
      line = line.then(() => untilAffordable(until))
      await line
    }
    await go(asks, { ...journey, round: wait === 0 && !isStarved ? round + 1 : round })
  }

  /** What new requests earn meanwhile ends the wait, so it is looked at often. */
  async function untilAffordable(until: number): Promise<void> {
    do await sleep(affordableMs, undefined, { signal: closing }).catch(() => undefined)
    while (budget.waitMs() > 0 && Date.now() < until && !closing.aborted)
  }

  /** Waits until a node may be asked. Checks again, since timers may fire early and clocks may be set. */
  async function pauseFor(pauseMs: number, until: number): Promise<void> {
    for (let left = pauseMs; left > 0; left = shortestWait() ?? 0) {
      await sleep(left, undefined, { signal: closing }).catch(() => undefined)
      if (closing.aborted || Date.now() > until) return
    }
  }

  /** Milliseconds until some node may be asked; null: none is worth waiting for. */
  function shortestWait(): number | null {
    const waits = nodes.map((node) => node.waitMs()).filter((ms) => ms !== null)
    return waits.length ? Math.min(...waits) : null
  }

  function unavailable(): ForkrouteError {
    const problems = nodes.map((node) => node.problem()).filter((text) => text !== null)
    const reason = problems.join(' ') || 'no answer in time.'
    return new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      `No node of chain ${parts.chainId} gives an answer: ${reason}`,
      { chainId: parts.chainId },
    )
  }

  return { serve: (asks) => go(asks, { startedAt: Date.now(), round: 1, last: null }) }
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
