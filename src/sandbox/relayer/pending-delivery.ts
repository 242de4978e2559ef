/** Something that was sent from one chain of the sandbox and is to be delivered on another. */
import type { RelayedChain } from './relayed-chain.js'

/** What the relayer does with what it finds. */
export const relayerModes = [
  'deliver',
  'hold',
  'unreceived',
  'uncomposed',
  'starve',
  'short',
  'hostile',
] as const
export type RelayerMode = (typeof relayerModes)[number]

/**
 * `waiting`: tried again after the next block of the destination; `failed`: its transaction reverted, and it is
 * tried again when somebody asks; `over`: delivered, or never to be.
 */
export type DeliveryState = 'waiting' | 'failed' | 'over'

export interface PendingDelivery {
  readonly bridge: 'across' | 'stargate' | 'oft' | 'cctp' | 'canonical'
  /** Names it at its bridge. */
  readonly id: string
  readonly source: number
  readonly destination: number
  /** Block of the source chain that sent it. */
  readonly blockNumber: number
  /** Whether its bridge delivers before the source is final, at the cost of whoever delivers. */
  readonly isFast: boolean
  /** @param chain - the destination. */
  attempt(chain: RelayedChain, mode: RelayerMode): Promise<DeliveryState>
}
