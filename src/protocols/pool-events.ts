/** How a protocol's pools are told by the events of their creation, and how deep they are by a few words of storage. */
import type { ChainDefinition, VenueParameters } from '../chains/chain.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { ReadCall, ReadResult, SimulationLog, StateReader } from '../domain/state.js'
import type { Pool, Unreadable } from './pool.js'
import { readWord, readWordAt } from './shared/read-word.js'

/** Events with one first topic of one contract. */
export interface EventSource {
  /** Lower-case. */
  readonly address: Address
  /** Lower-case. */
  readonly topic: Hex
  /** Tells the source from others of the same event, and from itself with another meaning; absent: the event does. */
  readonly key?: string
  /** Events of earlier blocks are not read; absent: all are. */
  readonly fromBlock?: bigint
  /** Pools of it that are kept, the oldest first; absent: all. */
  readonly mostPools?: number
  /**
   * True: what it tells of may be anybody's, such as vaults of a factory that everybody may call. It is listed among
   * the protocol's positions, and no route finds its way by it. Absent: routes do.
   */
  readonly onlyListed?: true
}

/** A call of which a word tells a depth. */
export interface DepthCall extends ReadCall {
  /** Its place among the words of the results; absent: the result has to be one word. */
  readonly word?: number
}

/** Null where the call failed, or did not return the word. */
export function depthOf({ word }: DepthCall, answer: ReadResult | undefined): bigint | null {
  return word === undefined ? readWord(answer) : readWordAt(answer, word)
}

export interface PoolEvents {
  /** Empty where the venue's parameters name no contract with such events. */
  sources(venue: VenueParameters): readonly EventSource[]
  /** The pool that the event tells of; null: none that can be one. Never throws. */
  toPool(log: SimulationLog, venue: VenueParameters): Pool | null
  /**
   * What a swap asks before the pool is used, and what the operator allows or not: the hooks of the pool. Pools with
   * others are passed over. Absent or null: nothing.
   */
  gate?(pool: Pool): Address | null
  /** Slots whose words `depth` takes; absent: how deep a pool is shows only when it is loaded. */
  depthSlots?(pool: Pool): readonly { readonly address: Address; readonly slot: Hex }[]
  /** The same by calls, for pools of which no slot is known; absent or empty: only loading shows it. */
  depthCalls?(pool: Pool, venue: VenueParameters): readonly DepthCall[]
  /** Of the pools that a request is interested in, so many are loaded, since that takes many calls; absent: all. */
  readonly mostLoaded?: number
  /**
   * Raw units of each token, in the order of the pool's, that trade near its price: comparable between protocols, and
   * only for a ranking. Zeros: the pool is dead.
   */
  depth?(words: readonly bigint[]): readonly [bigint, bigint]
  /**
   * The fee in hundredths of a basis point of a pool that trades near its price like a constant product of its depths,
   * so that these tell what it gives. Absent or null: what it gives shows only when it is loaded.
   */
  feePips?(pool: Pool): number | null
  /**
   * Factories whose pools are a token and a wrapped form of it, in this order, by the factory's own code. Pools of the wrapped form
   * are found for the token, too. Their records name the factory among the parameters. Absent: it has none.
   */
  wrappers?(venue: VenueParameters): readonly Address[]
  /**
   * Addresses that stand in its records for tokens which the events do not tell: pools of one told token are found by them, and
   * `complete` puts the tokens in their place. Absent: events tell all tokens.
   */
  standIns?(venue: VenueParameters): readonly Address[]
  /**
   * The pools with what their events do not tell, in bulk, or those that are meant by them; those that cannot be used are
   * left out. Absent: events tell all.
   */
  complete?(args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
    readonly pools: readonly Pool[]
  }): Promise<{ readonly pools: readonly Pool[]; readonly unreadable: readonly Unreadable[] }>
}

/** Words of the data of an event. */
export function wordsOf(data: Hex): bigint[] {
  const words: bigint[] = []
  for (let at = 2; at + 64 <= data.length; at += 64)
    words.push(BigInt(`0x${data.slice(at, at + 64)}`))
  return words
}

/** The address in a topic or word; null where it holds more than one. */
export function addressIn(word: Hex | bigint | undefined): Address | null {
  if (word === undefined) return null
  const value = BigInt(word)
  return value >> 160n === 0n ? (`0x${value.toString(16).padStart(40, '0')}` as Address) : null
}
