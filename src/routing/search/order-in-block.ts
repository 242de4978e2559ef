/** Pools that a swap ahead in the same block makes dearer: as they are behind one, and as they are for the first. Pure. */
import { mergeOverrides, type StateOverrides } from '../../domain/state.js'
import { oncePer } from '../../protocols/shared/once-per.js'
import type { MarketPool } from '../market/market-view.js'
import { type Flow, swapsOf } from './flow.js'

/** The state in which a transaction that is not the first in its block finds the pools on its way. */
export function overridesAhead(flow: Pick<Flow, 'edges'>): StateOverrides {
  return mergeOverrides(...swapsOf(flow).map(({ loaded }) => loaded.ahead?.overrides ?? {}))
}

/** Whether the transaction pays more than it would as the first of its block. */
export function isDearerBehind(flow: Pick<Flow, 'edges'>): boolean {
  return swapsOf(flow).some(({ loaded }) => loaded.ahead !== undefined)
}

/** The pool for a transaction that is the first in its block: the same object for the same pool. */
export const firstInBlock = oncePer((market: MarketPool): MarketPool => {
  const { ahead, ...loaded } = market.loaded
  return ahead ? { ...market, loaded: { ...loaded, state: ahead.firstState } } : market
})
