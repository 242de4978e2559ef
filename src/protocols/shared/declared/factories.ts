/** Pools of declared factories, by the events that their declarations name. */
import {
  type AbiEvent,
  decodeEventLog,
  encodeFunctionData,
  erc20Abi,
  keccak256,
  stringToHex,
  toEventSelector,
} from 'viem'
import type { VenueParameters } from '../../../chains/chain.js'
import {
  type DeclaredFactory,
  mostTokens,
  parseEvent,
  wordOf,
} from '../../../domain/declared-venue.js'
import { type Address, nativeToken, toAddress, zeroAddress } from '../../../domain/primitives.js'
import type { SimulationLog } from '../../../domain/state.js'
import type { Pool } from '../../pool.js'
import type { DepthCall, EventSource, PoolEvents } from '../../pool-events.js'
import { oncePer } from '../once-per.js'
import { callsOf, type DeclaredEntry, type Venue } from './entry.js'
import { limitCall } from './load.js'

/** Each is quoted dozens of times at a block. */
const mostLoaded = 24
/** A token may be anybody's code, and tells a balance for less. */
const balanceGas = 200_000n

/** A venue with the factory that makes its pools. */
export type FactoryVenue = Venue & { readonly factory: DeclaredFactory }

/** Where the factories of a protocol are. */
export interface Factories {
  /** Of their pools. */
  readonly protocol: string
  /** By `factoryKey`. */
  of(parameters: VenueParameters): ReadonlyMap<string, FactoryVenue>
  /** Whether a pool that has one of its tokens alone swaps; absent: it is dead. */
  readonly mayHoldOneToken?: boolean | undefined
}

/** Venues with a factory, by `factoryKey`. */
export function withKeys(
  protocol: string,
  venues: readonly FactoryVenue[],
): ReadonlyMap<string, FactoryVenue> {
  return new Map(venues.map((venue) => [factoryKey(protocol, venue), venue]))
}

/** Another one where something else is declared of the factory, since its pools mean something else then. */
function factoryKey(protocol: string, { name, factory }: FactoryVenue): string {
  return `${protocol}:${name}:${keccak256(stringToHex(JSON.stringify(factory))).slice(2, 18)}`
}

/** Of a pool that one of the factories made; null: none did. */
export function entryOfFactory(
  factories: ReadonlyMap<string, FactoryVenue>,
  pool: Pool,
): DeclaredEntry | null {
  const { factory, constants } = pool.parameters
  const venue = typeof factory === 'string' ? factories.get(factory) : undefined
  if (!venue || !Array.isArray(constants)) return null
  const stated = constants.map((text: string) => {
    const end = text.indexOf('=')
    return [text.slice(0, end), text.slice(end + 1)]
  })
  const { id, address, tokens } = pool
  return { pool, venue, declared: { id, address, tokens, constants: Object.fromEntries(stated) } }
}

export function factoryEvents({ protocol, of, mayHoldOneToken }: Factories): PoolEvents {
  const tellersOf = oncePer((parameters: VenueParameters): readonly Teller[] =>
    [...of(parameters)].flatMap(([key, { name, factory }]) => {
      const event = parseEvent(factory.event)
      if (!event) return []
      const { address, fromBlock, mostPools } = factory
      const topic = toEventSelector(event)
      const source = { address, topic, key, fromBlock: BigInt(fromBlock), mostPools }
      return [{ protocol, venue: name, key, factory, event, source }]
    }),
  )
  return {
    mostLoaded,
    sources: (venue) => tellersOf(venue).map(({ source }) => source),
    toPool(log, venue) {
      const teller = tellersOf(venue).find(
        ({ source }) => source.address === log.address && source.topic === log.topics[0],
      )
      return teller ? toPool(log, teller) : null
    },
    depthCalls(pool, venue) {
      const entry = entryOfFactory(of(venue), pool)
      return entry ? depthCalls(entry) : []
    },
    depth: ([first = 0n, second = 0n]) =>
      // The least that is no zero: such a pool comes after those of both tokens.
      mayHoldOneToken && first + second > 0n ? [first || 1n, second || 1n] : [first, second],
    // The index may hold pools of what an earlier declaration said.
    complete: async ({ venue, pools }) => ({
      pools: pools.filter((pool) => entryOfFactory(of(venue), pool) !== null),
      unreadable: [],
    }),
  }
}

/** A factory with what its text says. */
interface Teller {
  readonly protocol: string
  readonly venue: string
  readonly key: string
  readonly factory: DeclaredFactory
  readonly event: AbiEvent
  readonly source: EventSource
}

/** The pool that the event tells of; null where a parameter is not what the declaration takes it for. */
function toPool(
  { topics, data }: SimulationLog,
  { protocol, venue, key, factory, event }: Teller,
): Pool | null {
  const [topic, ...others] = topics
  if (!topic) return null
  let args: ReadonlyMap<string, unknown>
  try {
    const decoded = decodeEventLog({ abi: [event], topics: [topic, ...others], data })
    args = new Map(Object.entries(Object(decoded.args)))
  } catch {
    return null
  }
  const address = factory.pool.startsWith('0x') ? factory.pool : addressOf(args.get(factory.pool))
  const tokens = factory.tokens.flatMap((name) =>
    [name.startsWith('0x') ? name : args.get(name)].flat().map(addressOf),
  )
  const id = factory.id === undefined ? address : args.get(factory.id)
  const known = tokens.flatMap((token) =>
    token === null ? [] : token === zeroAddress ? nativeToken : token,
  )
  if (address === null || typeof id !== 'string') return null
  const isPool = known.length === tokens.length && known.length > 1 && known.length <= mostTokens
  if (!isPool || new Set(known).size !== known.length) return null
  return {
    protocol,
    id: id.toLowerCase(),
    address: toAddress(address),
    tokens: known,
    parameters: {
      venue,
      factory: key,
      constants: Object.entries(factory.constants).map(
        ([name, parameter]) => `${name}=${textOf(args.get(parameter))}`,
      ),
    },
  }
}

function addressOf(value: unknown): Address | null {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? toAddress(value) : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : String(value)
}

/**
 * How deep a pool of two tokens is: the limits of what comes out, if both directions have one, else its balances, where it holds
 * its tokens itself.
 */
function depthCalls(entry: DeclaredEntry): readonly DepthCall[] {
  const { pool, venue } = entry
  const [first, second] = pool.tokens
  if (!first || !second || pool.tokens.length > 2) return []
  const limits = [
    { tokenIn: second, tokenOut: first },
    { tokenIn: first, tokenOut: second },
  ].flatMap((direction): DepthCall[] => {
    const found = callsOf(entry, direction).limits.find(({ limit }) => limit.of === 'tokenOut')
    const word = found ? wordOf(found.abi.outputs, found.limit.output) : null
    return found && word !== null ? [{ ...limitCall(entry, direction, found), word }] : []
  })
  if (limits.length === 2) return limits
  if (venue.holder !== 'pool' || pool.tokens.includes(nativeToken)) return []
  const args = [pool.address] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args })
  return pool.tokens.map((token) => ({ to: token, data, gas: balanceGas }))
}
