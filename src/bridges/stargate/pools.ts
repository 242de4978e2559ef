/** Stargate V2 (LayerZero): the pools of a chain, by its definition. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { statedDecimals } from '../decimals.js'

export interface StargatePool {
  /** Symbol of the asset, the same on all its chains: two pools with one symbol are a lane. */
  readonly symbol: string
  readonly pool: Address
  /** What it takes and pays; native as its constant. */
  readonly token: Address
  /** LayerZero's EndpointV2, which calls for what the pool has paid. */
  readonly endpoint: Address
  /** Decimals of the token; absent where they are the same on all chains, or not stated. */
  readonly decimals?: number
}

/** What LayerZero and Stargate have on a chain besides pools. */
export interface StargateChain {
  /** LayerZero's number of the chain. */
  readonly eid: number
  readonly endpoint: Address
  readonly tokenMessaging: Address
}

/** Null where the chain has no Stargate. */
export function stargateChain({ bridges }: Pick<ChainDefinition, 'bridges'>): StargateChain | null {
  const { eid, endpoint, tokenMessaging } = bridges?.stargate ?? {}
  if (eid === undefined || endpoint === undefined || tokenMessaging === undefined) return null
  return {
    eid: Number(eid),
    endpoint: toAddress(String(endpoint)),
    tokenMessaging: toAddress(String(tokenMessaging)),
  }
}

/** None where the chain has no Stargate. An address says nothing without its chain: it may be another pool elsewhere. */
export function stargatePools({ bridges }: Pick<ChainDefinition, 'bridges'>): StargatePool[] {
  const { endpoint, pools = [] } = bridges?.stargate ?? {}
  if (!Array.isArray(pools)) return []
  return pools.map((entry: string) => {
    const [symbol = '', pool = '', token = '', part] = entry.split(':')
    const decimals = statedDecimals(part)
    return {
      symbol,
      pool: toAddress(pool),
      token: toAddress(token),
      endpoint: toAddress(String(endpoint)),
      ...defined({ decimals: decimals ?? undefined }),
    }
  })
}
