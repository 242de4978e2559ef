/** In the order in which they open; adding one changes the chain. */
import { compoundV2 } from './compound-v2.js'
import { compoundV3 } from './compound-v3.js'
import { morphoBlue } from './morpho-blue.js'
import type { SandboxVenue } from './venue.js'

export const sandboxVenues: readonly SandboxVenue[] = [compoundV2, morphoBlue, compoundV3]
