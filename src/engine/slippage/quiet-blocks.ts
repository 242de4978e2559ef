/**
 * Blocks at whose ends a transaction gives the same, told by the events of its pools. Pure.
 */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { compareText } from '../../domain/lists.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { type RouteStepRecord, wrappedNativeSlug } from '../../domain/route-step.js'
import { canSwap } from '../../protocols/protocol.js'
import { protocolBySlug } from '../../protocols/registry.js'

type Step = Pick<RouteStepRecord, 'protocol' | 'tokenIn' | 'tokenOut' | 'internalRoutes'>

/**
 * The contracts whose events tell of every change to what the route gives, ascending; null where it may also change
 * without one: a pool moves with time or by what it is sent, or a token is not one that the chain's definition names.
 */
export function toldByEvents(
  chain: Pick<ChainDefinition, 'wrappedNative' | 'connectorTokens' | 'stableAnchors'>,
  route: readonly Step[],
): readonly Address[] | null {
  const plainTokens = new Set([
    chain.wrappedNative,
    ...chain.connectorTokens,
    ...chain.stableAnchors,
  ])
  const pools = new Set<Address>()
  for (const { protocol, tokenIn, tokenOut, internalRoutes = [] } of route) {
    const isPlain = [...tokenIn, ...tokenOut].every((token) =>
      plainTokens.has(canonicalToken(chain, token)),
    )
    if (!isPlain) return null
    if (protocol !== wrappedNativeSlug && internalRoutes.length === 0) return null
    for (const leg of internalRoutes) {
      const adapter = protocolBySlug(leg.protocol)
      if (!adapter || !canSwap(adapter) || !adapter.swaps.changesOnlyWithEvents) return null
      pools.add(toAddress(leg.primary))
    }
  }
  return [...pools].sort(compareText)
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
