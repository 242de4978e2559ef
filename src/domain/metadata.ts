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
  /** As in `BaseListing`: both kinds share one sequence. */
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

/** An action of a bundle, as documents name it. */
export interface ActionRecord {
  /** The name that a bundle uses, such as `deposit`. */
  readonly action: string
  /** Display name. */
  readonly name: string
  /** Functions of the protocol that it calls. */
  readonly functionNames: readonly string[]
  /** Argument name to a phrase that describes it. */
  readonly inputs: Readonly<Record<string, string>>
  /** The same arguments: how each is written. */
  readonly forms: Readonly<Record<string, ArgumentForm>>
}

export interface ArgumentForm {
  /** Such as `address` or `amount`. */
  readonly kind: string
  readonly isOptional: boolean
}

export interface ProtocolRecord {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly category: string
  readonly url: string
  readonly description: string
  readonly logo: string | null
  readonly twitter: string | null
  /** Slug of the protocol whose code it runs. */
  readonly forkOf: string | null
  /** Configured chains that it is on. */
  readonly chains: readonly { readonly id: number; readonly name: string }[]
  readonly actions: readonly ActionRecord[]
}
