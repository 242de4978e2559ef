/**
 * Venues that the operator's file declares: quotes and swaps are calls that the file names, and no code here knows what
 * is behind them. What they promise ranks candidates; what is answered was carried out.
 * Venue parameters: `declarations`, see venue.ts. Pool parameters: `venue`, the name of the venue.
 */
import { defineProtocol } from '../protocol.js'
import { factoryEvents } from '../shared/declared/factories.js'
import type { DeclaredState } from '../shared/declared/load.js'
import { declaredSwaps } from '../shared/declared/swaps.js'
import { declaredSlug, entriesOf, entryOf, factoriesOf } from './venue.js'

export const declaredEvents = factoryEvents({ protocol: declaredSlug, of: factoriesOf })

export const declaredVenues = defineProtocol<DeclaredState>({
  slug: declaredSlug,
  name: 'Declared venues',
  project: declaredSlug,
  category: 'dex',
  url: 'https://eips.ethereum.org/EIPS/eip-20',
  description: 'Pools that the operator declares in a file, by the calls that quote and swap.',
  swaps: declaredSwaps({
    entries: (venue) => [...entriesOf(venue).values()],
    entryOf,
    absent: 'The file of VENUES has no such pool.',
  }),
  index: declaredEvents,
  trust: {
    // A quote is the venue's own word.
    isNoPriceSource: () => true,
    foreignCode: ({ address }, { entry }) => (entry.venue.trust === 'operator' ? null : address),
  },
})
