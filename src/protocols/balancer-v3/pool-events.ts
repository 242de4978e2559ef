/** Pools by the events of the Vault, which say who made the pool, of what, and which of its hooks are called. */
import { decodeEventLog, parseAbi, toEventSelector } from 'viem'
import { type Hex, toAddress } from '../../domain/primitives.js'
import type { PoolEvents } from '../pool-events.js'
import { factoriesOf, hooksOf, toPool, vaultOf } from './parameters.js'

/** @see balancer/balancer-v3-monorepo 0a5890a, pkg/interfaces/contracts/vault/IVaultEvents.sol, VaultTypes.sol */
const abi = parseAbi([
  'event PoolRegistered(address indexed pool, address indexed factory, TokenConfig[] tokenConfig, uint256 swapFeePercentage, uint32 pauseWindowEndTime, RoleAccounts roleAccounts, HooksConfig hooksConfig, LiquidityManagement liquidityManagement)',
  'struct TokenConfig { address token; uint8 tokenType; address rateProvider; bool paysYieldFees; }',
  'struct RoleAccounts { address pauseManager; address swapFeeManager; address poolCreator; }',
  'struct HooksConfig { bool enableHookAdjustedAmounts; bool shouldCallBeforeInitialize; bool shouldCallAfterInitialize; bool shouldCallComputeDynamicSwapFee; bool shouldCallBeforeSwap; bool shouldCallAfterSwap; bool shouldCallBeforeAddLiquidity; bool shouldCallAfterAddLiquidity; bool shouldCallBeforeRemoveLiquidity; bool shouldCallAfterRemoveLiquidity; address hooksContract; }',
  'struct LiquidityManagement { bool disableUnbalancedLiquidity; bool enableAddLiquidityCustom; bool enableRemoveLiquidityCustom; bool enableDonation; }',
])
const registered = toEventSelector(abi[0])

/** TokenType.WITH_RATE. */
export const withRate = 1

export const balancerV3PoolEvents: PoolEvents = {
  // The key is not that of versions which passed pools with hooks over: an index of theirs reads the events again.
  sources: (venue) => [
    { address: vaultOf(venue), topic: registered, key: `${vaultOf(venue)}:hooks` },
  ],
  toPool({ topics, data }, venue) {
    const event = decode(topics, data)
    if (!event) return null
    const { pool, factory, tokenConfig, hooksConfig } = event
    const made = toAddress(factory)
    // The code of other factories' pools is not known: nobody could say what a swap gives.
    if (!factoriesOf(venue).includes(made)) return null
    return toPool({
      vault: vaultOf(venue),
      contract: toAddress(pool),
      factory: made,
      tokens: tokenConfig.map(({ token }) => toAddress(token)),
      isRated: tokenConfig.some(({ tokenType }) => tokenType === withRate),
      ...(callsAtSwaps(hooksConfig) && { hooks: toAddress(hooksConfig.hooksContract) }),
    })
  },
  gate: hooksOf,
}

/** Whether code of the hooks' author runs in a swap. Which hooks a pool has is settled when it is registered. */
export function callsAtSwaps(hooks: {
  readonly shouldCallComputeDynamicSwapFee: boolean
  readonly shouldCallBeforeSwap: boolean
  readonly shouldCallAfterSwap: boolean
}): boolean {
  return (
    hooks.shouldCallComputeDynamicSwapFee || hooks.shouldCallBeforeSwap || hooks.shouldCallAfterSwap
  )
}

function decode(topics: readonly Hex[], data: Hex) {
  try {
    return decodeEventLog({ abi, data, topics: topics as [Hex, ...Hex[]] }).args
  } catch {
    return null
  }
}
