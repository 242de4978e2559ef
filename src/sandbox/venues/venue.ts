/** One protocol of the sandbox besides the exchanges: its contracts, its opening, and its part in the history. */
import type { Address, Hex } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import type { ChainWriter } from '../chain/chain-writer.js'

export interface VenueTools {
  readonly chain: ChainWriter
  /** Holds a part of every token's supply; owns what needs an owner. */
  readonly deployer: Address
  /** Creation code of a contract of the manifest. */
  code(key: string): Hex
}

export interface SandboxVenue {
  /** Pools at invented addresses: they stand in no chain file, and nothing on the chain lists them. */
  readonly pools?: readonly Pool[]
  /** After tokens, feeds and pools are there and have liquidity; mines blocks as it needs them. */
  open(tools: VenueTools): Promise<void>
  /** Before a block of the history is mined: queues transactions only, from the deployer, without random numbers. */
  beforeBlock?(tools: VenueTools, block: number): void
}
