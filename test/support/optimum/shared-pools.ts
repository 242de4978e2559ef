/**
 * Pools of several tokens of which a flow uses more than one lane. Each lane is then taken as it is after the others,
 * with their amounts of the rounds before. A token that one lane brings into a pool and another takes out of it
 * would pay the pool's fee twice: it keeps the role of the larger amount, and the lanes of the other are closed.
 */
import type { Address } from '../../../src/domain/primitives.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import type { Swap } from './carry-out.js'
import { type Lane, laneKey, lanesOf, type Network } from './network.js'

export interface SharedPools {
  /** By `laneKey`, of every lane of these pools: the pool's state when its other lanes have been used. */
  states(): ReadonlyMap<string, unknown>
  /** By `laneKey`. */
  readonly closed: ReadonlySet<string>
  /** Takes the swaps of a round into account; false while no pool is shared. */
  note(swaps: readonly Swap[]): boolean
}

export function createSharedPools(network: Network): SharedPools {
  const pools = new Map<MarketPool, readonly Lane[]>()
  const spent = new Map<string, number>()
  const closed = new Set<string>()
  const all = lanesOf(network)

  function close(market: MarketPool, swaps: readonly Swap[]): void {
    const volume = (token: Address, side: 'tokenIn' | 'tokenOut') =>
      swaps
        .filter(({ lane }) => lane.market === market && lane[side] === token)
        .reduce((sum, swap) => sum + (side === 'tokenIn' ? swap.amountIn : swap.amountOut), 0n)
    for (const token of market.loaded.pool.tokens) {
      const [entering, leaving] = [volume(token, 'tokenIn'), volume(token, 'tokenOut')]
      if (entering === 0n || leaving === 0n) continue
      const smaller = entering > leaving ? 'tokenOut' : 'tokenIn'
      for (const lane of pools.get(market) ?? []) {
        if (lane[smaller] === token) closed.add(laneKey(lane))
      }
    }
  }

  return {
    closed,
    note(swaps) {
      for (const market of new Set(swaps.map(({ lane }) => lane.market))) {
        if (swaps.filter(({ lane }) => lane.market === market).length < 2) continue
        const known = pools.has(market)
        pools.set(market, pools.get(market) ?? all.filter((lane) => lane.market === market))
        // The first round does not see that lanes share depth.
        if (known) close(market, swaps)
      }
      const amounts = new Map(swaps.map(({ lane, amountIn }) => [laneKey(lane), Number(amountIn)]))
      for (const key of [...pools.values()].flat().map(laneKey)) {
        const found = amounts.get(key) ?? 0
        // Half of the way from the rounds before: then they settle.
        spent.set(key, ((spent.get(key) ?? found) + found) / 2)
      }
      return pools.size > 0
    },
    states() {
      const states = new Map<string, unknown>()
      for (const [{ adapter, loaded }, lanes] of pools) {
        for (const lane of lanes) {
          let { state } = loaded
          for (const other of lanes) {
            const amount = BigInt(Math.floor(spent.get(laneKey(other)) ?? 0))
            if (other === lane || amount === 0n) continue
            const { tokenIn, tokenOut } = other
            state = adapter.swaps.swap(loaded.pool, state, { tokenIn, tokenOut }, amount).after()
          }
          states.set(laneKey(lane), state)
        }
      }
      return states
    },
  }
}
