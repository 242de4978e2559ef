/** One read on its way through the nodes: what each of them answered, and when it is settled. No I/O. */
import type { ForkrouteError } from '../../domain/errors.js'
import type { Answer, BlockRef } from './answer.js'
import type { ChainTip } from './chain-tip.js'
import type { NodeRequest, Outcome } from './node-request.js'
import { notSent } from './turns.js'
import type { UpstreamNode } from './upstream-node.js'

export interface Ask {
  /** The call as this node takes it. */
  readonly request: (node: UpstreamNode) => NodeRequest
  /** The block whose state is read; null for reads of anything else. */
  readonly block: BlockRef | null
  /** Height of what is read; null where it has none or is not known. */
  readonly height: bigint | null
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** Some node was asked. */
  isSent: boolean
  readonly refusedBy: Map<UpstreamNode, string>
  /** Odd answers by node. */
  readonly odd: Map<UpstreamNode, { readonly count: number; readonly message: string }>
  /** Null once it is settled. */
  settle: ((answer: Answer<unknown>) => void) | null
  readonly fail: (error: ForkrouteError) => void
}

/** Odd answers to one read after which a node counts as not having it. */
const odd = {
  usual: 2,
  /** Counts for a node that fails now and then: one failure in ten looks like an answer. */
  flaky: 4,
  /** About a block that the node or another one has: it has answered of it, or is higher. */
  known: 8,
} as const
/** One of several nodes behind an address may come to the newest blocks so much later than the others. */
const freshMs = 3_000

export const isOpen = (one: Ask): boolean => one.settle !== null

/** Applies a node's outcome to the read: a value settles it, a refusal is remembered. */
export function note(
  one: Ask,
  node: UpstreamNode,
  outcome: Outcome | undefined,
  tip: ChainTip,
): void {
  if (outcome && !(outcome.kind === 'failed' && outcome.message === notSent)) one.isSent = true
  if (!outcome || outcome.kind === 'failed' || !isOpen(one)) return
  if (outcome.kind === 'value') {
    if (one.block) tip.answered(node, one.block)
    settle(one, { ok: true, value: outcome.value })
  } else if (outcome.kind === 'refused') {
    one.refusedBy.set(node, outcome.message)
  } else {
    const count = (one.odd.get(node)?.count ?? 0) + 1
    one.odd.set(node, { count, message: outcome.message })
    if (count >= oddUntilRefusal(one, node, tip)) one.refusedBy.set(node, outcome.message)
  }
}

function oddUntilRefusal({ block, height, askedAt }: Ask, node: UpstreamNode, tip: ChainTip) {
  const isThere = height !== null && tip.isThere(height)
  if (isThere && tip.isFresh(height) && Date.now() - askedAt < freshMs) return Infinity
  if (isThere || (block && tip.wasAnswered(node, block))) return odd.known
  return node.isFlaky() ? odd.flaky : odd.usual
}

/**
 * A read is given up as unreadable once every node that may be asked has refused it.
 * @param round - how often it went out, from 1.
 */
export function settleRefused(one: Ask, nodes: readonly UpstreamNode[], round: number): void {
  if (one.refusedBy.size === 0) return
  const others = nodes.filter((node) => !one.refusedBy.has(node) && node.waitMs() !== null)
  if (others.length > 0 && round < 2 * nodes.length) return
  settle(one, { ok: false, message: [...one.refusedBy.values()].join('; ') })
}

/** Settles a read that goes out no more: with what nodes said of it, else it fails. */
export function giveUp(one: Ask, error: ForkrouteError): void {
  const said = [...one.refusedBy.values(), ...[...one.odd.values()].map(({ message }) => message)]
  if (said.length > 0) settle(one, { ok: false, message: [...new Set(said)].join('; ') })
  else one.fail(error)
}

function settle(one: Ask, answer: Answer<unknown>): void {
  one.settle?.(answer)
  one.settle = null
}
