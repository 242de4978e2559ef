/**
 * Sends reads to the nodes of a chain: each node in turn gets the reads that are still open, and after a pause all of
 * them again, as long as some may answer later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError } from '../../domain/errors.js'
import { type Ask, isOpen, note, settleRefused } from './ask.js'
import type { ChainTip } from './chain-tip.js'
import type { Outcome } from './node-request.js'
import type { UpstreamNode } from './upstream-node.js'

/** Passes over all nodes for one read. */
const maxRounds = 5
const firstPauseMs = 100

export interface RoundsParts {
  readonly chainId: number
  /** In the order of preference. */
  readonly nodes: readonly UpstreamNode[]
  readonly tip: ChainTip
  /** Outcomes in the order of the reads. */
  readonly send: (node: UpstreamNode, asks: readonly Ask[]) => Promise<Outcome[]>
  /** For all rounds together. */
  readonly totalTimeoutMs: number
  readonly closing: AbortSignal
  /** Another round begins. */
  readonly onRetry: () => void
}

/** Settles each read, or fails it with UPSTREAM_UNAVAILABLE when no node gives an answer. */
export async function serve(asks: readonly Ask[], parts: RoundsParts): Promise<void> {
  const { nodes, closing } = parts
  const deadline = Date.now() + parts.totalTimeoutMs
  let open = asks
  for (let round = 1; ; round += 1) {
    open = await askInTurn(open, parts)
    for (const one of open) settleRefused(one, nodes, round)
    open = open.filter(isOpen)
    if (open.length === 0) return
    const wait = shortestWait(nodes)
    const pause = Math.max(wait ?? 0, firstPauseMs * 2 ** (round - 1) * jitter())
    const isOver = round === maxRounds || Date.now() + pause > deadline
    if (wait === null || isOver || closing.aborted) {
      const error = unavailable(parts)
      for (const one of open) one.fail(error)
      return
    }
    parts.onRetry()
    await pauseFor(pause, deadline, parts)
  }
}

/** Asks each usable node for the reads that the ones before it did not answer. @returns the reads still open. */
async function askInTurn(asks: readonly Ask[], parts: RoundsParts): Promise<readonly Ask[]> {
  let open = asks
  for (const node of parts.nodes) {
    if (node.waitMs() !== 0) continue
    const todo = open.filter((one) => !one.refusedBy.has(node))
    if (todo.length === 0 || !(await node.ready())) continue
    const outcomes = await parts.send(node, todo)
    todo.forEach((one, index) => {
      note(one, node, outcomes[index], parts.tip)
    })
    open = open.filter(isOpen)
  }
  return open
}

/** Waits until a node is usable. Checks again, since timers may fire early and clocks may be set. */
async function pauseFor(
  pauseMs: number,
  deadline: number,
  { nodes, closing }: RoundsParts,
): Promise<void> {
  for (let left = pauseMs; left > 0; left = shortestWait(nodes) ?? 0) {
    await sleep(left, undefined, { signal: closing }).catch(() => undefined)
    if (closing.aborted || Date.now() > deadline) return
  }
}

/** Milliseconds until some node is usable; null: none is worth waiting for. */
function shortestWait(nodes: readonly UpstreamNode[]): number | null {
  const waits = nodes.map((node) => node.waitMs()).filter((ms) => ms !== null)
  return waits.length ? Math.min(...waits) : null
}

/** Factor from 0.5 to 1, so that clients which failed together do not all retry together. */
function jitter(): number {
  return 0.5 + Math.random() / 2
}

function unavailable({ chainId, nodes }: RoundsParts): ForkrouteError {
  const problems = nodes.map((node) => node.status().problem).filter((text) => text !== null)
  const reason = problems.join(' ') || 'no answer in time.'
  return new ForkrouteError(
    'UPSTREAM_UNAVAILABLE',
    `No node of chain ${chainId} gives an answer: ${reason}`,
    { chainId },
  )
}
