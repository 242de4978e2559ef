/** What Stargate and OFTs have in common: on each side a contract that takes and pays tokens, and LayerZero in between. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import { composeLanding } from '../../executor/deployments.js'
import type { Transfer } from './packet.js'

/** What takes and pays a token on one chain: a pool of Stargate, or an OFT. */
export interface OmnichainToken {
  /** Symbol of the asset, the same on all its chains: two with one symbol are a lane. */
  readonly symbol: string
  /** Called to send. It pays what arrives, and has the endpoint compose. */
  readonly pool: Address
  /** What it takes and pays; native as its constant. */
  readonly token: Address
  /** LayerZero's EndpointV2, which calls for what the pool has paid. */
  readonly endpoint: Address
  /** Whom the endpoint knows as sender and receiver: the OFT itself, or Stargate's TokenMessaging. */
  readonly messenger: Address
  /** Decimals of the token; absent where they are the same on all chains, or not stated. */
  readonly decimals?: number
}

/** One of the bridges that send so. */
export interface Family {
  /** Slug of the bridge. */
  readonly slug: string
  /** None where the chain has none. An address says nothing without its chain: it may be another pool elsewhere. */
  tokensOn(chain: Pick<ChainDefinition, 'bridges'>): OmnichainToken[]
  /** Null: another message than one transfer's. */
  readTransfer(payload: Hex): Transfer | null
  /** Whether it pays out of its own tokens everywhere, and keeps what it could not pay for another try. */
  readonly paysOutOfPools: boolean
}

/** LayerZero on a chain. */
export interface LayerZeroChain {
  /** LayerZero's number of the chain. */
  readonly eid: number
  readonly endpoint: Address
}

/** Null where the chain has no LayerZero: its endpoint stands with Stargate's pools. */
export function layerZeroChain({
  bridges,
}: Pick<ChainDefinition, 'bridges'>): LayerZeroChain | null {
  const { eid, endpoint } = bridges?.stargate ?? {}
  if (eid === undefined || endpoint === undefined) return null
  return { eid: Number(eid), endpoint: toAddress(String(endpoint)) }
}

/** Whom a pool pays where an order runs. */
export function landingOf(pool: Pick<OmnichainToken, 'endpoint' | 'pool'>): Address {
  return composeLanding(pool).address
}
