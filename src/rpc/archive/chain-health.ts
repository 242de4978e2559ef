/** Status of a chain and its nodes, and the errors that callers get when it is not usable. */
import { ForkrouteError } from '../../domain/errors.js'
import type { HeadTracker } from '../node/heads.js'
import type { NodeStatus } from '../node/node-status.js'
import type { ArchiveChain, ChainStatus } from './archive-messages.js'

export interface ChainHealth {
  status(): ChainStatus
  /** Why there is no head. */
  notReady(): ForkrouteError
  /** @throws ForkrouteError STATE_UNAVAILABLE when no usable node gives events. */
  requireEvents(): void
  /** Whether some usable node does. */
  givesEvents(): boolean
}

export function createChainHealth(parts: {
  readonly chain: ArchiveChain
  readonly nodes: () => readonly NodeStatus[]
  readonly tracker: Pick<HeadTracker, 'head' | 'seenAt'>
}): ChainHealth {
  const { chain, nodes, tracker } = parts
  const { chainId, maxHeadLagSeconds } = chain

  function problemOf(all: readonly NodeStatus[]): string | null {
    const problems = all.map((node) => node.problem).filter((text) => text !== null)
    const head = tracker.head()
    if (head && maxHeadLagSeconds !== undefined) {
      const lag = Math.floor(Date.now() / 1000) - Number(head.timestamp)
      if (lag > maxHeadLagSeconds) problems.push(`The newest block is ${lag} seconds old.`)
    }
    return problems.length > 0 ? problems.join(' ') : null
  }

  return {
    status() {
      const all = nodes()
      return {
        connected: all.some((node) => node.usable),
        capabilities: capabilitiesOf(all),
        problem: problemOf(all),
        headSeenAt: tracker.seenAt(),
        nodes: all,
      }
    },
    notReady() {
      const all = nodes()
      const isLying = all.length > 0 && all.every((node) => node.isSetAside)
      const reason = problemOf(all) ?? 'no node has answered yet.'
      return new ForkrouteError(
        isLying ? 'UPSTREAM_UNAVAILABLE' : 'CHAIN_NOT_READY',
        `Chain ${chainId} has no block: ${reason}`,
        { chainId },
      )
    },
    givesEvents: () => capabilitiesOf(nodes()).logs === true,
    requireEvents() {
      const all = nodes()
      if (!all.some(({ usable }) => usable) || capabilitiesOf(all).logs) return
      throw new ForkrouteError(
        'STATE_UNAVAILABLE',
        `No node of chain ${chainId} gives events (eth_getLogs), which tell in which blocks a pool changed.`,
        { chainId },
      )
    },
  }
}

/** What at least one usable node can do. */
function capabilitiesOf(nodes: readonly NodeStatus[]): Record<string, boolean> {
  const capabilities: Record<string, boolean> = {}
  for (const { usable, abilities } of nodes) {
    if (!usable || !abilities) continue
    const {
      archiveDepth: _depth,
      devNode: _dev,
      anchor: _anchor,
      accessLists: _lists,
      prestates: _prestates,
      ...flags
    } = abilities
    for (const [name, can] of Object.entries(flags)) {
      capabilities[name] = capabilities[name] === true || can
    }
  }
  return capabilities
}
