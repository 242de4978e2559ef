/** In the order in which they open; adding one changes the chain. */
import { aaveV3 } from './aave-v3.js'
import type { SandboxVenue } from './venue.js'

export const sandboxVenues: readonly SandboxVenue[] = [aaveV3]
