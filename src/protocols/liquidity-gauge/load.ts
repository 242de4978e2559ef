/** State of gauges whose stakes are tokens, and its math: a unit of the stake is a unit of what is staked. */
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { type Family, readFamily, readGauges } from './gauges.js'

/** Structured-clonable. */
export interface GaugeState {
  /** Raw units of the staked token. */
  readonly supply: bigint
  /** Whether the family's controller lists it, so that its code is what the family's governance took for a gauge. */
  readonly isListed: boolean
  /** A deposit can be made for the one who gets the stake. */
  readonly takesForOthers: boolean
}

export async function loadGauges(
  family: Family,
  args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly pools: readonly Pool[]
  },
): Promise<(LoadedPool<GaugeState> | Unreadable)[]> {
  const { reader, chain, pools } = args
  const addresses = pools.map(({ address }) => address)
  const [gauges, members] = await Promise.all([
    readGauges(reader, addresses),
    readFamily(family, { reader, chain }, addresses),
  ])
  return pools.map((pool, index) => {
    const [gauge, member] = [gauges[index], members[index]]
    if (gauge && 'message' in gauge) return unreadablePool(pool, gauge.message)
    if (member && 'message' in member) return unreadablePool(pool, member.message)
    const { id, address, tokens } = pool
    if (!gauge || !member || id !== address || tokens.join() !== [gauge.staked, address].join()) {
      return unreadablePool(pool, 'A gauge has two tokens: what its lp_token() is, and itself.')
    }
    if (!gauge.isToken) return unreadablePool(pool, 'Its stakes are no tokens.')
    const { isListed } = member
    const { supply, takesForOthers } = gauge
    return { pool, state: { supply, isListed, takesForOthers }, partial: !isListed }
  })
}

/** 0n for more than all stakes. @param tokenIn - the gauge or what is staked. */
export function converted(
  { address }: Pool,
  { supply }: GaugeState,
  tokenIn: Address,
  amountIn: bigint,
): bigint {
  return amountIn <= 0n || (tokenIn === address && amountIn > supply) ? 0n : amountIn
}

export function after(
  pool: Pool,
  state: GaugeState,
  tokenIn: Address,
  amountIn: bigint,
): GaugeState {
  const amount = converted(pool, state, tokenIn, amountIn)
  return { ...state, supply: state.supply + (tokenIn === pool.address ? -amount : amount) }
}
