/** One read on its way through the nodes: what each of them answered, and when it is settled. No I/O. */
import type { ForkrouteError } from '../../domain/errors.js'
import type { Answer, BlockRef } from './answer.js'
import type { ChainTip } from './chain-tip.js'
import type { NodeRequest, Outcome } from './node-request.js'
import type { UpstreamNode } from './upstream-node.js'

export interface Ask {
  /** The call as this node takes it. */
  readonly request: (node: UpstreamNode) => NodeRequest
  /** The block whose state is read; null for reads of anything else. */
  readonly block: BlockRef | null
  readonly refusedBy: Map<UpstreamNode, string>
  readonly faults: Map<UpstreamNode, number>
  /** Null once it is settled. */
  settle: ((answer: Answer<unknown>) => void) | null
  readonly fail: (error: ForkrouteError) => void
}

/** After so many "internal error" answers to one read, a node counts as not having the state. */
const maxFaults = 2
/** Error texts for an unknown block. At the newest block that may pass: another node behind a load balancer has it. */
export const unknownBlock =
  /header not found|unknown block|block not found|resource not found|no such block/i

export const isOpen = (one: Ask): boolean => one.settle !== null

/** Applies a node's outcome to the read: a value settles it, a refusal is remembered. */
export function note(
  one: Ask,
  node: UpstreamNode,
  outcome: Outcome | undefined,
  tip: ChainTip,
): void {
  if (!outcome || outcome.kind === 'failed') return
  if (outcome.kind === 'value') {
    settle(one, { ok: true, value: outcome.value })
  } else if (outcome.kind === 'refused' && !mayPass(one, outcome.message, tip)) {
    one.refusedBy.set(node, outcome.message)
  } else {
    const faults = (one.faults.get(node) ?? 0) + 1
    one.faults.set(node, faults)
    if (faults >= maxFaults) one.refusedBy.set(node, outcome.message)
  }
}

/**
 * A read is given up as unreadable once every node that answers has refused it.
 * @param round - the number of the current pass over all nodes, from 1.
 */
export function settleRefused(one: Ask, nodes: readonly UpstreamNode[], round: number): void {
  if (one.refusedBy.size === 0) return
  const others = nodes.filter((node) => !one.refusedBy.has(node) && node.waitMs() !== null)
  if (others.length > 0 && round < 2) return
  settle(one, { ok: false, message: [...one.refusedBy.values()].join('; ') })
}

function settle(one: Ask, answer: Answer<unknown>): void {
  one.settle?.(answer)
  one.settle = null
}

function mayPass(one: Ask, message: string, tip: ChainTip): boolean {
  return one.block !== null && tip.isFresh(one.block.number) && unknownBlock.test(message)
}
