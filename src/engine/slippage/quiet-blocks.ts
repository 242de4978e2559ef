/**
 * Blocks at whose ends a transaction gives the same, told by the events of its pools. Pure.
 */
import { isHash } from 'viem'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { compareText } from '../../domain/lists.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import { type RouteStepRecord, wrappedNativeSlug } from '../../domain/route-step.js'
import { readSwap, swapSelector } from '../../executor/swap-order.js'
import { canSwap } from '../../protocols/protocol.js'
import { protocolBySlug } from '../../protocols/registry.js'
import { rebasingTokens } from '../../routing/market/rebasing-tokens.js'

/** Events of contracts; with `indexed` those whose first indexed argument is one of these words. */
export interface PoolEvents {
  /** Ascending, as are the words. */
  readonly addresses: readonly Address[]
  readonly indexed?: readonly Hex[]
}

/** A transaction and what it does. */
interface Told {
  readonly route: readonly Pick<
    RouteStepRecord,
    'protocol' | 'tokenIn' | 'tokenOut' | 'internalRoutes'
  >[]
  readonly tx: { readonly data: Hex }
}

/**
 * The events without which what the route gives stays the same. Null where it may change without an event: a pool moves
 * with time or by what it is sent, a token is not one that the chain's definition names, or its balances change by themselves.
 */
export function toldByEvents(
  chain: ChainDefinition,
  { route, tx }: Told,
): readonly PoolEvents[] | null {
  const { wrappedNative, connectorTokens, stableAnchors } = chain
  const rebasing = rebasingTokens(chain)
  const named = [wrappedNative, ...connectorTokens, ...stableAnchors]
  const plainTokens = new Set(named.filter((token) => !rebasing.has(token)))
  const hops = tx.data.startsWith(swapSelector) ? readSwap(tx.data).hops : []
  const pools = new Set<Address>()
  /** The pools of one contract. */
  const ids = new Map<Address, Set<Hex>>()
  for (const { protocol, tokenIn, tokenOut, internalRoutes = [] } of route) {
    const isPlain = [...tokenIn, ...tokenOut].every((token) =>
      plainTokens.has(canonicalToken(chain, token)),
    )
    if (!isPlain) return null
    if (protocol !== wrappedNativeSlug && internalRoutes.length === 0) return null
    for (const leg of internalRoutes) {
      const adapter = protocolBySlug(leg.protocol)
      const pool = toAddress(leg.primary)
      const rule = adapter && canSwap(adapter) ? adapter.swaps.changesOnlyWithEvents : undefined
      const isUnmeasured = hops.some(({ family, target }) => family === 'v2' && target === pool)
      if (!rule || (rule === 'unmeasured' && !isUnmeasured)) return null
      if (rule === 'hop') {
        if (!hops.length || !isHash(leg.pool)) return null
        ids.set(pool, (ids.get(pool) ?? new Set()).add(leg.pool))
      } else pools.add(pool)
    }
  }
  const ofManagers = [...ids].map(([manager, found]) => ({
    addresses: [manager],
    indexed: [...found].sort(compareText),
  }))
  return [...(pools.size ? [{ addresses: [...pools].sort(compareText) }] : []), ...ofManagers]
}

/**
 * Consecutive blocks in runs: in one, no block after the first brings an event.
 *
 * @param range - both ends included.
 * @param changed - the blocks with events; null: they are not known, so each block is a run.
 */
export function quietRuns(
  { from, to }: { readonly from: bigint; readonly to: bigint },
  changed: readonly bigint[] | null,
): bigint[][] {
  const events = changed && new Set(changed)
  const runs: bigint[][] = []
  for (let number = from; number <= to; number += 1n) {
    const run = runs.at(-1)
    if (run && events && !events.has(number)) run.push(number)
    else runs.push([number])
  }
  return runs
}
