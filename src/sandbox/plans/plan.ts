/** One chain of the sandbox: what is on it, and how its history goes. */
import { arbitrum } from '../../chains/arbitrum.js'
import { base } from '../../chains/base.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Prices } from '../market/amounts.js'
import type { Market, MarketPlan } from '../market/market-pools.js'
import type { SandboxVenue } from '../venues/venue.js'

export interface SandboxPlan {
  readonly market: Market
  /** In the order in which they open, after the exchanges; adding one changes the chain. */
  readonly venues: readonly SandboxVenue[]
  /** Unix seconds of block 0. All chains end at the same second. */
  readonly genesisTimestamp: number
  /** Time between two blocks. */
  readonly blockSeconds: number
  /** Prices of each block with trades. */
  prices(): readonly Prices[]
  /** Chains that its bridges lead to. */
  readonly others: readonly ChainDefinition[]
  /** See `version.ts`. */
  readonly headHash: Hex
}

/** All that the sandbox has. */
const sandboxChains: readonly ChainDefinition[] = [ethereum, arbitrum, base]

export function chainsBeside(chain: ChainDefinition): readonly ChainDefinition[] {
  return sandboxChains.filter(({ id }) => id !== chain.id)
}

/** Unix seconds of every chain's last block. */
export const endOfHistory = 1_760_004_536

/** Where the chain has Uniswap's and Sushi's contracts. */
export function factoriesOf({
  venues,
}: ChainDefinition): Pick<MarketPlan, 'factories' | 'v2Router'> {
  const address = (protocol: string, key: string) => venues[protocol]?.[key] as Address
  return {
    factories: {
      'uniswap-v2': address('uniswap-v2', 'factory'),
      'sushiswap-v2': address('sushiswap-v2', 'factory'),
      'uniswap-v3': address('uniswap-v3', 'factory'),
    },
    v2Router: address('uniswap-v2', 'router'),
  }
}
