/** Identity of a pool as in the catalog, and records of failed reads. Pure. */
import type { HooksFinding } from '../domain/hooks.js'
import type { Address } from '../domain/primitives.js'

/** Identity of one pool: what the catalog stores and `pools import|export` exchanges. JSON values only. */
export interface Pool {
  /** Slug of the protocol that owns it. */
  readonly protocol: string
  /** Lower-case address, or the pool id where many pools share one contract. Unique within chain and protocol. */
  readonly id: string
  /** Contract that a swap calls. */
  readonly address: Address
  /** In the protocol's order, lower-case. Pools of native ETH list the native-token constant. */
  readonly tokens: readonly Address[]
  /** Constants of the pool: fee, tickSpacing, weights, poolId … */
  readonly parameters: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** Something that could not be read; becomes a warning of the answer. */
export interface Unreadable {
  readonly protocol: string
  /** Pool id, or a description of the look-up that failed. */
  readonly subject: string
  readonly message: string
  /** For a failed look-up: the pair of tokens that was looked up. */
  readonly pair?: readonly [Address, Address]
  /** True: the pool was read, and is not used for what the message says, which goes on a sentence about it. */
  readonly isLeftOut?: true
  /** What running its hooks told; absent: they were not run. */
  readonly finding?: HooksFinding
}

/**
 * Whether the record is of a pool's liquidity (tokens into shares and back). The same pool's swaps have a record of
 * their own, whose id is the parameter `liquidityOf`. Each record holds only the changes made through it.
 */
export function isLiquidity({ parameters }: Pick<Pool, 'parameters'>): boolean {
  return typeof parameters.liquidityOf === 'string'
}

/** `sharedState` for a protocol whose pools have both records. */
export function sharedWithLiquidity({ id, parameters }: Pool): string {
  return typeof parameters.liquidityOf === 'string' ? parameters.liquidityOf : id
}

/**
 * What a pool is called outside: its address, or its 32-byte id where it has one. Trading its shares goes by the name
 * of the pool.
 */
export function poolName({ id, address, parameters }: Pool): string {
  const own = typeof parameters.liquidityOf === 'string' ? parameters.liquidityOf : id
  // The shares of a pair have an id of their own, which begins with the address of the pair.
  return own.startsWith(address) ? address : own
}

/** @param message - one sentence: why its state is not known. */
export function unreadablePool(
  { protocol, id }: Pick<Pool, 'protocol' | 'id'>,
  message: string,
): Unreadable {
  return { protocol, subject: id, message }
}

/** Identity of a pool within its chain. */
export function poolKey(pool: Pick<Pool, 'protocol' | 'id'>): string {
  return `${pool.protocol}:${pool.id}`
}
