/** Ethereum in small: every protocol, twenty tokens, traps, over 300 blocks. */
import { ethereumMarket } from '../market/market-pools.js'
import { ethereumPrices } from '../market/price-walk.js'
import { sandboxVenues } from '../venues/registry.js'
import { headHashes } from '../version.js'
import { chainsBeside, type SandboxPlan } from './plan.js'

export const ethereumPlan: SandboxPlan = {
  market: ethereumMarket,
  venues: sandboxVenues,
  genesisTimestamp: 1_760_000_000,
  blockSeconds: ethereumMarket.chain.blockTimeSeconds,
  prices: ethereumPrices,
  others: chainsBeside(ethereumMarket.chain),
  headHash: headHashes[1],
}
