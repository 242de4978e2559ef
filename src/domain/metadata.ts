/**
 * What the service lists about tokens, positions and protocols. JSON values only; unknown values are null.
 */
import type { Address } from './primitives.js'

/** A token as far as it could be read. */
export interface TokenFacts {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
  readonly logoUri: string | null
}

/** What a position is worth and earns at the block of its snapshot. */
export interface PositionFigures {
  /** USD of all that its holders own through it. */
  readonly tvl: number | null
  /** Percent per year (4.5 is 4.5 %): base and reward, as far as they are known. */
  readonly apy: number | null
  readonly apyBase: number | null
  readonly apyReward: number | null
}

export interface BaseListing {
  readonly kind: 'base'
  /** Permanent; later listings have higher ids. */
  readonly id: number
  readonly token: TokenFacts
}

export interface PositionListing extends PositionFigures {
  readonly kind: 'position'
  /** Permanent, and from the same sequence as the ids of `BaseListing`. */
  readonly id: number
  readonly chainId: number
  /** `<chainId>:<primaryAddress>:<token or key>`. */
  readonly positionId: string
  readonly protocol: string
  readonly project: string
  /** Null for a position without a token. */
  readonly token: TokenFacts | null
  readonly primaryAddress: Address
  readonly poolAddress: Address
  readonly name: string
  readonly subtitle: string
  /** In the protocol's order. */
  readonly underlyingTokens: readonly TokenFacts[]
  readonly rewardTokens: readonly Address[]
}

export type Listing = BaseListing | PositionListing

/** An argument of an action. */
export interface ActionInput {
  /** What it is to a bundle, such as `slippage`. */
  readonly kind: string
  /** How it is written: `address`, `uint256`, `address[]`, … */
  readonly type: string
  /** One phrase, with the unit where there is one. */
  readonly description: string
  readonly optional: boolean
}

/** An action of a bundle, as documents name it. */
export interface ActionRecord {
  /** The name that a bundle uses, such as `deposit`. */
  readonly action: string
  /** Display name. */
  readonly name: string
  /** Functions of the protocol that it calls. */
  readonly functionNames: readonly string[]
  /** Keyed by argument name. */
  readonly inputs: Readonly<Record<string, ActionInput>>
  /** Other names by which a bundle may call it. */
  readonly variants?: readonly string[]
}

/** An action that a bundle performs without a protocol. */
export interface ServiceActionRecord extends ActionRecord {
  /** Protocol names, besides the service's own, that are meant for it. */
  readonly protocols: readonly string[]
}

/** Who made protocols: what is known of a project beyond its protocols. */
export interface ProjectRecord {
  readonly description: string | null
  /** URL of a picture. */
  readonly logo: string | null
  /** Name of its account. */
  readonly twitter: string | null
}

export interface ProtocolRecord {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly ofProject: ProjectRecord
  readonly category: string
  readonly url: string
  readonly description: string
  /** Slug of the protocol whose code it runs. */
  readonly forkOf: string | null
  /** Configured chains that it is on. */
  readonly chains: readonly { readonly id: number; readonly name: string }[]
  readonly actions: readonly ActionRecord[]
}

export interface NetworkRecord {
  readonly id: number
  readonly name: string
  readonly isConnected: boolean
  readonly nativeToken: Address
  readonly blockNumber: number | null
}

export interface WalletBalance {
  readonly token: Address
  readonly amount: bigint
  readonly chainId: number
  readonly decimals: number
  /** USD per whole token, decimal string. */
  readonly price: string | null
  readonly name: string | null
  readonly symbol: string | null
  readonly logoUri: string | null
}

/** A route that enters a position. */
export interface Opportunity {
  readonly tokenIn: Address
  /** Token of the position. */
  readonly tokenOut: Address
  /** Raw units. */
  readonly amountIn: bigint
}

export interface ReadinessReport {
  readonly ready: boolean
  readonly chains: readonly {
    readonly chainId: number
    readonly ready: boolean
    readonly blockNumber: number | null
    /** Seconds since the newest pinned block was seen. */
    readonly ageSeconds: number | null
    /** Optional abilities of the chain's nodes: ethCall, overrides, logs, proofs, batch, blockHash. */
    readonly capabilities: Readonly<Record<string, boolean>>
    readonly problem: string | null
  }[]
}
