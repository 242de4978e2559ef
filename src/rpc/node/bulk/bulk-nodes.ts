/** What calls in bulk have shown of each node: how much it takes, and what it does not read that way. No I/O. */
import { LRUCache } from 'lru-cache'
import type { Address } from '../../../domain/primitives.js'
import type { ItemKey } from '../state-item.js'
import type { UpstreamNode } from '../upstream-node.js'
import { createNodeBulkLimits, type NodeBulkLimits } from './bulk-limits.js'
import { isReplaceable } from './bulk-plan.js'

/** Accounts whose code a node did not replace are read plainly for this long. */
const stubbornMs = 600_000
/** A value that so many calls in a row have not brought is read by the node's own method for this long. */
const mostUnanswered = 3
const unansweredMs = 60_000

/** A value at a block, as a node is asked for it. */
interface NodeValue {
  readonly number: bigint
  readonly key: ItemKey
}

export class BulkNodes {
  readonly #limits = new WeakMap<UpstreamNode, NodeBulkLimits>()
  readonly #stubborn = new LRUCache<string, true>({ max: 4_096, ttl: stubbornMs })
  /** How many calls for a value got no answer. A node that keeps back calls in bulk alone may give it by its own method. */
  readonly #unanswered = new LRUCache<string, number>({ max: 16_384, ttl: unansweredMs })

  limitsOf(node: UpstreamNode): NodeBulkLimits {
    const known = this.#limits.get(node) ?? createNodeBulkLimits(node.noise)
    this.#limits.set(node, known)
    return known
  }

  /** Whether many values of the block are read by few calls. */
  mayRead(node: UpstreamNode, number: bigint): boolean {
    return node.abilities()?.overrides === true && this.limitsOf(node).mayRead(number)
  }

  /** Whether our code runs on the node in place of that of the account. */
  runsAt(node: UpstreamNode, address: Address): boolean {
    return isReplaceable(address) && !this.#stubborn.has(`${node.name}${address}`)
  }

  /** The account's own code ran in place of ours. */
  noteStubborn(node: UpstreamNode, address: Address): void {
    this.#stubborn.set(`${node.name}${address}`, true)
  }

  /** Whether calls in bulk have failed to bring the value so often that it is better read singly. */
  isKeptBack(node: UpstreamNode, value: NodeValue): boolean {
    return (this.#unanswered.get(nameOf(node, value)) ?? 0) >= mostUnanswered
  }

  noteUnanswered(node: UpstreamNode, value: NodeValue): void {
    const name = nameOf(node, value)
    this.#unanswered.set(name, (this.#unanswered.get(name) ?? 0) + 1)
  }
}

function nameOf(node: UpstreamNode, { number, key }: NodeValue): string {
  return `${node.name}${number}${key}`
}
