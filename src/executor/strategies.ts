/** What differs between routing strategies besides the calldata. */
import type { RoutingStrategy } from '../domain/order.js'
import type { Address } from '../domain/primitives.js'
import { contractAddress } from './deployments.js'

/** True where the account runs the calldata by delegatecall instead of calling a contract. */
export function isDelegate(strategy: RoutingStrategy): boolean {
  return strategy === 'delegate' || strategy === 'delegate-legacy'
}

/** True where an account runs its own orders; otherwise the sender's Executor runs them. */
export function runsOwnOrders(strategy: RoutingStrategy): boolean {
  return strategy === 'wallet-v2' || isDelegate(strategy)
}

/**
 * The contract that the owner must allow to spend its tokens; null where the account itself runs the steps.
 * For a wallet it is the factory: a wallet makes any call its owner asks for, so it must not hold an allowance itself.
 */
export function spenderOf(strategy: RoutingStrategy): Address | null {
  if (isDelegate(strategy)) return null
  return contractAddress(strategy === 'wallet-v2' ? 'WalletFactory' : 'Router')
}

/**
 * The contract behind a strategy: what its transactions call, and what owners that ask for an approval allow. An
 * allowance to the Delegate moves nothing, since it runs orders in accounts alone, and is not needed.
 */
export function strategyContract(strategy: RoutingStrategy): Address {
  return spenderOf(strategy) ?? contractAddress('Delegate')
}
