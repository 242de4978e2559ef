/**
 * Protocols of this repository that are declared as an operator's venues are: by the calls that quote and swap. A folder of
 * such a protocol holds no math. Venue parameters: `pools`, each `address:token:token…`, then `name=value` for
 * constants, and `largest=amount,amount…`; further parameters as the protocol needs them.
 * A pool of more than two tokens becomes one for each two of them, with one state. Pools of factories come from the pool index.
 */
import type { VenueParameters } from '../../../chains/chain.js'
import { type Probe, probe } from '../../../chains/probe.js'
import type { PoolCaution } from '../../../domain/caution.js'
import type {
  DeclaredArgument,
  DeclaredCall,
  DeclaredCalls,
  DeclaredFactory,
  DeclaredLimit,
  DeclaredPool,
  DeclaredSwap,
  DeclaredVenue,
} from '../../../domain/declared-venue.js'
import { type Address, toAddress } from '../../../domain/primitives.js'
import type { Pool } from '../../pool.js'
import { defineProtocol, type ProtocolIdentity, type SwapAdapter } from '../../protocol.js'
import { oncePer } from '../once-per.js'
import { type DeclaredEntry, toVenue } from './entry.js'
import { entryOfFactory, factoryEvents, withKeys } from './factories.js'
import type { DeclaredState } from './load.js'
import { declaredSwaps } from './swaps.js'

interface StatedCall extends Pick<DeclaredCall, 'function'> {
  /** Absent: the pool. */
  readonly contract?: Address
  readonly args: readonly DeclaredArgument[]
}

/** The calls of one direction; what is absent is as in a file without it. */
interface StatedCalls {
  readonly quote: StatedCall & {
    readonly output?: readonly number[]
    readonly gasLimit?: number
    readonly limits?: readonly (StatedCall &
      Partial<Pick<DeclaredLimit, 'of' | 'output' | 'negated'>>)[]
  }
  readonly swap: StatedCall & Pick<DeclaredSwap, 'pay'> & Partial<Pick<DeclaredSwap, 'to'>>
}

/** What is absent is as in a file without it. */
interface StatedFactory
  extends Pick<DeclaredFactory, 'address' | 'event' | 'pool' | 'tokens'>,
    Partial<Pick<DeclaredFactory, 'id' | 'constants' | 'fromBlock' | 'mostPools'>> {}

export interface ShippedVenue extends Omit<ProtocolIdentity, 'category'> {
  /** That one swap adds to a transaction, for ranking alone. */
  readonly gas: number
  calls(venue: VenueParameters): StatedCalls & { readonly reverse?: StatedCalls }
  /** Absent: the chain's parameters name all pools. */
  factories?(venue: VenueParameters): readonly StatedFactory[]
  /** As of a declared venue; absent for those that cassettes recorded before know. */
  readonly sizesByDepth?: true
  /** Whether pools of factories may run code that anybody wrote, such as hooks; absent: they run the protocol's alone. */
  readonly hasForeignCode?: true
  /** Whether a pool of a factory that has one of its tokens alone swaps; absent: it is dead. */
  readonly mayHoldOneToken?: true
  /** What tells that a pool, and what else the parameters name, is what it is taken for; tokens are asked besides. */
  probes(venue: VenueParameters, pools: readonly DeclaredPool[]): Probe[]
  /** Absent: nothing moves without a trade. */
  cautions?(entry: DeclaredEntry): readonly PoolCaution[]
}

export interface ShippedProtocol extends SwapAdapter<DeclaredState> {
  /** What a file would declare for the chain: a venue for the pools that the parameters name, and one for each factory. */
  declarations(venue: VenueParameters): readonly DeclaredVenue[]
}

export function shippedVenue(shipped: ShippedVenue): ShippedProtocol {
  const { gas, calls, factories, sizesByDepth, hasForeignCode, mayHoldOneToken, ...others } =
    shipped
  const { cautions, probes, ...identity } = others
  const { slug } = identity
  const venueOf = oncePer((parameters: VenueParameters) => {
    const { reverse, ...forward } = calls(parameters)
    return toVenue({
      name: slug,
      chainId: 0,
      gas,
      trust: 'operator',
      holder: 'pool',
      pools: [],
      ...(sizesByDepth && { sizesByDepth }),
      ...toDeclared(forward),
      ...(reverse && { reverse: toDeclared(reverse) }),
    })
  })
  const entriesOf = oncePer((parameters: VenueParameters): ReadonlyMap<string, DeclaredEntry> => {
    const entries = poolsIn(parameters).flatMap((declared) =>
      pairsOf(slug, declared).map((pool) => ({ venue: venueOf(parameters), declared, pool })),
    )
    return new Map(entries.map((entry) => [entry.pool.id, entry]))
  })
  const factoriesOf = oncePer((parameters: VenueParameters) =>
    withKeys(
      slug,
      (factories?.(parameters) ?? []).map((stated) => ({
        ...venueOf(parameters),
        factory: { constants: {}, fromBlock: 0, mostPools: 10_000, ...stated },
      })),
    ),
  )
  const adapter = defineProtocol<DeclaredState>({
    ...identity,
    category: 'dex',
    swaps: {
      ...declaredSwaps({
        entries: (venue) => [...entriesOf(venue).values()],
        entryOf: (venue, pool) => {
          const entry = entriesOf(venue).get(pool.id)
          if (entry) return isSame(entry.pool, pool) ? entry : null
          return entryOfFactory(factoriesOf(venue), pool)
        },
        absent: 'It is not one of the pools of the chain.',
      }),
      sharedState: ({ address }) => address,
      ...(cautions && { cautions: (_pool: Pool, { entry }: DeclaredState) => cautions(entry) }),
    },
    ...(factories && {
      index: factoryEvents({ protocol: slug, of: factoriesOf, mayHoldOneToken }),
    }),
    trust: {
      // Quotes are the venue's own word.
      isNoPriceSource: () => true,
      ...(hasForeignCode && {
        foreignCode: ({ address, parameters }) => (parameters.factory ? address : null),
      }),
      probes(venue) {
        const pools = poolsIn(venue)
        const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
        return [
          ...probes(venue, pools),
          ...tokens.map((token) =>
            probe(`token of ${identity.name}`, token, 'decimals()', 'number'),
          ),
        ]
      },
    },
  })
  return {
    ...adapter,
    declarations: (parameters) => [
      ...(poolsIn(parameters).length > 0
        ? [{ ...venueOf(parameters), pools: poolsIn(parameters) }]
        : []),
      ...factoriesOf(parameters).values(),
    ],
  }
}

function toDeclared({ quote, swap }: StatedCalls): DeclaredCalls {
  const usual = { contract: 'pool', output: [0] } as const
  return {
    quote: {
      ...usual,
      negated: false,
      gasLimit: 1_000_000,
      ...quote,
      limits: (quote.limits ?? []).map((limit) => ({ ...usual, ...limit })),
    },
    swap: { contract: 'pool', to: 'contract', ...swap },
  }
}

const poolsIn = oncePer(({ pools = [] }: VenueParameters): readonly DeclaredPool[] =>
  [pools].flat().map((text) => toPool(String(text).split(':'))),
)

function toPool([address = '', ...parts]: readonly string[]): DeclaredPool {
  const constants = new Map(
    parts.filter((part) => part.includes('=')).map((part) => part.split('=') as [string, string]),
  )
  const largest = constants.get('largest')?.split(',')
  constants.delete('largest')
  return {
    id: toAddress(address),
    address: toAddress(address),
    tokens: parts.filter((part) => !part.includes('=')).map(toAddress),
    ...(largest && { largest }),
    constants: Object.fromEntries(constants),
  }
}

/** One for each two of its tokens, named by them where there are more. */
function pairsOf(protocol: string, { address, tokens }: DeclaredPool): Pool[] {
  return tokens.flatMap((first, index) =>
    tokens.slice(index + 1).map((second) => ({
      protocol,
      id: tokens.length > 2 ? `${address}-${first}-${second}` : address,
      address,
      tokens: [first, second],
      parameters: {},
    })),
  )
}

function isSame(known: Pool, pool: Pool): boolean {
  return known.address === pool.address && known.tokens.join() === pool.tokens.join()
}
