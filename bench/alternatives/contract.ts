/** What every contestant is asked and answers; crosses process borders by structured clone. */
import type { Address, BlockPin, Hex } from '../../src/domain/primitives.js'
import type { Codes, Venue } from './venues.js'

export interface Hop {
  readonly venue: Venue
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Hundredths of a basis point. */
  readonly fee: number
}
export type Path = readonly Hop[]

export interface Trade {
  readonly label: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units. */
  readonly amountIn: bigint
  /** Raw units of tokenOut per ether, to value gas: the same for all. */
  readonly outPerEther: bigint
}

export interface Question {
  readonly trade: Trade
  readonly pin: BlockPin
  /** Wei per gas: the next block's base fee and the chain's tip. */
  readonly gasPrice: bigint
  /** For the naive loop: what it shall try. */
  readonly paths: readonly Path[]
}

export interface Choice {
  /** From `sender`, who has approved `to`. */
  readonly tx: { readonly to: Address; readonly data: Hex }
  readonly route: string
  /** Of the quoter: its best paths, best first. */
  readonly paths: readonly Path[]
}

export type Role = 'naive' | 'quoter' | 'plain'

export type ToScript =
  | { readonly kind: 'start'; readonly nodeUrl: string; readonly viaFork: boolean; codes: Codes }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'stop' }
export type FromScript =
  | { readonly kind: 'ready' }
  | { readonly kind: 'choice'; readonly choice: Choice }
  | { readonly kind: 'failure'; readonly message: string }

/** Holds nothing on any chain. */
export const sender: Address = '0x00000000000000000000000000000000be9c4013'

/** As many as the service simulates. */
export const pathsTried = 24
export const maxHops = 3

/** Gas in raw units of tokenOut. */
export function gasValue(gas: bigint, gasPrice: bigint, { outPerEther }: Trade): bigint {
  return (gas * gasPrice * outPerEther) / 10n ** 18n
}

export function describePath(path: Path): string {
  return path.map(({ venue, fee }) => `${venue} ${fee / 10_000} %`).join(', ')
}
