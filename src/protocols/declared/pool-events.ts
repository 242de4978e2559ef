/** Pools of declared factories, by the events that the file names. */
import { type AbiEvent, decodeEventLog, encodeFunctionData, erc20Abi, toEventSelector } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type DeclaredFactory, mostTokens, parseEvent } from '../../domain/declared-venue.js'
import { type Address, nativeToken, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { ReadCall, SimulationLog } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import type { EventSource, PoolEvents } from '../pool-events.js'
import { oncePer } from '../shared/once-per.js'
import { declaredSlug, entryOf, factoriesOf } from './venue.js'

/** Each is quoted dozens of times at a block. */
const mostLoaded = 24
/** A token may be anybody's code, and tells a balance for less. */
const balanceGas = 200_000n

export const declaredEvents: PoolEvents = {
  mostLoaded,
  sources: (venue) => tellersOf(venue).map(({ source }) => source),
  toPool(log, venue) {
    const teller = tellersOf(venue).find(
      ({ source }) => source.address === log.address && source.topic === log.topics[0],
    )
    return teller ? toPool(log, teller) : null
  },
  depthCalls: balanceCalls,
  depth: ([first = 0n, second = 0n]) => [first, second],
  // The index may hold pools of what an earlier file said.
  complete: async ({ venue, pools }) => ({
    pools: pools.filter((pool) => entryOf(venue, pool) !== null),
    unreadable: [],
  }),
}

/** A factory with what its text says. */
interface Teller {
  readonly venue: string
  readonly key: string
  readonly factory: DeclaredFactory
  readonly event: AbiEvent
  readonly source: EventSource
}

const tellersOf = oncePer((parameters: VenueParameters): readonly Teller[] =>
  [...factoriesOf(parameters)].flatMap(([key, { name, factory }]) => {
    const event = parseEvent(factory.event)
    if (!event) return []
    const { address, fromBlock, mostPools } = factory
    const topic = toEventSelector(event)
    const source = { address, topic, key, fromBlock: BigInt(fromBlock), mostPools }
    return [{ venue: name, key, factory, event, source }]
  }),
)

/** The pool that the event tells of; null where a parameter is not what the file takes it for. */
function toPool(
  { topics, data }: SimulationLog,
  { venue, key, factory, event }: Teller,
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
  const tokens = factory.tokens.flatMap((name) => [args.get(name)].flat().map(addressOf))
  const id = factory.id === undefined ? address : args.get(factory.id)
  const known = tokens.flatMap((token) =>
    token === null ? [] : token === zeroAddress ? nativeToken : token,
  )
  if (address === null || typeof id !== 'string') return null
  const isPool = known.length === tokens.length && known.length > 1 && known.length <= mostTokens
  if (!isPool || new Set(known).size !== known.length) return null
  return {
    protocol: declaredSlug,
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

/** What a pool of two tokens has of them tells how deep it is, where it holds them itself. */
function balanceCalls(pool: Pool, venue: VenueParameters): readonly ReadCall[] {
  const entry = entryOf(venue, pool)
  const isOwn = entry?.venue.holder === 'pool' && !pool.tokens.includes(nativeToken)
  if (!isOwn || pool.tokens.length !== 2) return []
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [pool.address],
  })
  return pool.tokens.map((token) => ({ to: token, data, gas: balanceGas }))
}
