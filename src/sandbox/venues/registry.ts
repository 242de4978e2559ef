/** In the order in which they open; adding one changes the chain. */
import type { SandboxVenue } from './venue.js'

export const sandboxVenues: readonly SandboxVenue[] = []
