/** What peers are told and what they answer. All of it crosses the border of processes by structured clone. */
import type { Address } from '../../src/domain/primitives.js'

interface PoolIdentity {
  /** The address of the pool, or its 32 bytes where many share a contract. */
  readonly id: string
  /** In the pool's own order. */
  readonly tokens: readonly Address[]
  /** Part of the input; of a Curve pool, of the output. */
  readonly fee: number
  /** What the pool holds of each token, raw units. */
  readonly balances: readonly bigint[]
}

export interface ConcentratedFacts extends PoolIdentity {
  readonly kind: 'concentrated'
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  readonly tickSpacing: number
  /** Ascending; `net` is the liquidity that is added when the tick is crossed upwards. */
  readonly ticks: readonly { readonly index: number; readonly net: bigint }[]
}

/** A pool's state at the block, as the adapters of the service have read it. */
export type PoolFacts =
  /** x * y = k. */
  | (PoolIdentity & { readonly kind: 'pair' })
  | ConcentratedFacts
  /** StableSwap; `amp` is what Curve calls A. */
  | (PoolIdentity & { readonly kind: 'stable'; readonly amp: number })
  /** Of Balancer's Vault: the weights add up to 1; null where the pool is a stable one of this `amp`. */
  | (PoolIdentity & {
      readonly kind: 'vault'
      readonly weights: readonly number[] | null
      readonly amp: number
    })

/** What a peer is told once. */
export interface Market {
  readonly pools: readonly PoolFacts[]
  readonly decimals: Readonly<Record<Address, number>>
  /** Ether that a whole token is worth. */
  readonly etherPrices: Readonly<Record<Address, number>>
  readonly wrappedNative: Address
  /** Wei per gas in the next block. */
  readonly gasPrice: bigint
}

/** Which amount is stated: the other is to be the most, or the least. */
export type Exact = 'input' | 'output'

export interface Question {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly exact: Exact
  /** The stated one, raw units of tokenIn or of tokenOut. */
  readonly amount: bigint
  /** Only pools whose tokens are all among these count; null: all pools do. */
  readonly among: readonly Address[] | null
  /** Ids of pools that do not count; only on a market that lacks state. */
  readonly without: readonly string[]
  /** Raw units of the other token per ether, for a peer that asks others for it. */
  readonly perEther: bigint
}

/** One swap of a plan; the swaps are in the order in which they can be carried out. */
export interface Leg {
  /** The id that the peer was given. */
  readonly pool: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Part of what is held of `tokenIn` when its turn comes, above 0 and at most 1; or exactly what the leg before yields. */
  readonly share: number | 'previous'
}

export interface Plan {
  readonly legs: readonly Leg[]
  /** Raw units of tokenIn and tokenOut before gas: the stated one, and the one that the peer expects. */
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export type ToPeer =
  | { readonly kind: 'market'; readonly market: Market }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }

/** `plan` is null where the peer finds none; `failure` is the message of its error. */
export type FromPeer =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly plan: Plan | null
      readonly failure?: string
    }
