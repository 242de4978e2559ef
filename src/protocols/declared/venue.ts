/** The venues of a chain as its parameters have them: `declarations`, a DeclaredVenue as JSON each. Pure. */
import type { AbiFunction } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import {
  type DeclaredPool,
  type DeclaredVenue,
  parseFunction,
  usesName,
} from '../../domain/declared-venue.js'
import type { Pool } from '../pool.js'
import { oncePer } from '../shared/once-per.js'

export const declaredSlug = 'declared'

/** A venue with what its text says. */
export interface Venue extends DeclaredVenue {
  readonly quoteAbi: AbiFunction
  readonly swapAbi: AbiFunction
  /** Whether the swap can pay another address than the one that calls. */
  readonly paysRecipient: boolean
}

/** What is known of a pool without reading the chain. */
export interface DeclaredEntry {
  readonly pool: Pool
  readonly venue: Venue
  readonly declared: DeclaredPool
}

/** The chain with the venues that are declared for it as parameters; the same chain where there are none. */
export function withDeclaredVenues(
  chain: ChainDefinition,
  venues: readonly DeclaredVenue[] = [],
): ChainDefinition {
  const declarations = venues
    .filter(({ chainId }) => chainId === chain.id)
    .map((venue) => JSON.stringify(venue))
  if (!declarations.length) return chain
  return { ...chain, venues: { ...chain.venues, [declaredSlug]: { declarations } } }
}

/** Entries by the id of their pool. */
export const entriesOf = oncePer(
  ({ declarations = [] }: VenueParameters): ReadonlyMap<string, DeclaredEntry> => {
    const venues = [declarations].flat().map((text) => toVenue(JSON.parse(String(text))))
    return new Map(
      venues.flatMap((venue) =>
        venue.pools.map((declared) => [declared.id, toEntry(venue, declared)] as const),
      ),
    )
  },
)

function toVenue(declared: DeclaredVenue): Venue {
  const { quote, swap } = declared
  const [quoteAbi, swapAbi] = [parseFunction(quote.function), parseFunction(swap.function)]
  if (!quoteAbi || !swapAbi) throw new RangeError(`The venue ${declared.name} has no functions.`)
  return { ...declared, quoteAbi, swapAbi, paysRecipient: usesName(swap.args, 'recipient') }
}

function toEntry(venue: Venue, declared: DeclaredPool): DeclaredEntry {
  const { id, address, tokens } = declared
  const parameters = { venue: venue.name }
  return { venue, declared, pool: { protocol: declaredSlug, id, address, tokens, parameters } }
}
