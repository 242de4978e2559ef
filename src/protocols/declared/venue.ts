/** The venues of a chain as its parameters have them: `declarations`, a DeclaredVenue as JSON each. Pure. */
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import type { DeclaredPool, DeclaredVenue } from '../../domain/declared-venue.js'
import type { Pool } from '../pool.js'
import { type DeclaredEntry, toVenue, type Venue } from '../shared/declared/entry.js'
import { entryOfFactory, type FactoryVenue, withKeys } from '../shared/declared/factories.js'
import { oncePer } from '../shared/once-per.js'

export const declaredSlug = 'declared'

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

const venuesOf = oncePer(({ declarations = [] }: VenueParameters): readonly Venue[] =>
  [declarations].flat().map((text) => toVenue(JSON.parse(String(text)))),
)

/** Entries of the pools that the file lists, by their ids. */
export const entriesOf = oncePer(
  (parameters: VenueParameters): ReadonlyMap<string, DeclaredEntry> =>
    new Map(
      venuesOf(parameters).flatMap((venue) =>
        venue.pools.map((declared) => [declared.id, toEntry(venue, declared)] as const),
      ),
    ),
)

/** Venues with a factory, by their keys. */
export const factoriesOf = oncePer((parameters: VenueParameters) =>
  withKeys(
    declaredSlug,
    venuesOf(parameters).flatMap(({ factory, ...venue }): FactoryVenue[] =>
      factory ? [{ ...venue, factory }] : [],
    ),
  ),
)

/** Of a pool of the file, or of a factory of the file; null: the file has no such pool. */
export function entryOf(parameters: VenueParameters, pool: Pool): DeclaredEntry | null {
  const listed = entriesOf(parameters).get(pool.id)
  return listed ?? entryOfFactory(factoriesOf(parameters), pool)
}

function toEntry(venue: Venue, declared: DeclaredPool): DeclaredEntry {
  const { id, address, tokens } = declared
  const parameters = { venue: venue.name }
  return { venue, declared, pool: { protocol: declaredSlug, id, address, tokens, parameters } }
}
