/** In the order in which they open; adding one changes the chain. */
import { uniswapV3Positions } from './uniswap-v3-positions.js'
import type { SandboxVenue } from './venue.js'

export const sandboxVenues: readonly SandboxVenue[] = [uniswapV3Positions]
