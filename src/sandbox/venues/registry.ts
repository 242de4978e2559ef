/** In the order in which they open; adding one changes the chain. */
import type { Pool } from '../../protocols/pool.js'
import { aaveV3 } from './aave-v3.js'
import { compoundV2 } from './compound-v2.js'
import { compoundV3 } from './compound-v3.js'
import { erc4626Venue } from './erc-4626.js'
import { lidoVenue } from './lido.js'
import { morphoBlue } from './morpho-blue.js'
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
  compoundV2,
  morphoBlue,
  compoundV3,
  aaveV3,
]

/** Pools that cannot be discovered on the chain: only a service that runs on the sandbox gets them. */
export function sandboxVenuePools(): Pool[] {
  return sandboxVenues.flatMap(({ pools = [] }) => pools)
}
