/** In the order in which they open; adding one changes the chain. */
import type { Pool } from '../../protocols/protocol.js'
import { erc4626Venue } from './erc-4626.js'
import { lidoVenue } from './lido.js'
import { stakingRewardsVenue } from './staking-rewards.js'
import { uniswapV3Positions } from './uniswap-v3-positions.js'
import type { SandboxVenue } from './venue.js'
import { yearnV2Venue } from './yearn-v2.js'

export const sandboxVenues: readonly SandboxVenue[] = [
  erc4626Venue,
  yearnV2Venue,
  lidoVenue,
  stakingRewardsVenue,
  uniswapV3Positions,
]

/** What no look-up on the chain finds: known to a service that runs on the sandbox, and to no other. */
export function sandboxVenuePools(): Pool[] {
  return sandboxVenues.flatMap(({ pools = [] }) => pools)
}
