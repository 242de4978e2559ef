/** Whose tokens an order spends, where the request names another address than its sender. Pure. */
import { ForkrouteError } from '../domain/errors.js'
import type { RoutingStrategy } from '../domain/order.js'
import type { Address } from '../domain/primitives.js'
import { walletAddress } from '../executor/deployments.js'

/** What a request says about its accounts. */
interface Accounts {
  readonly strategy: RoutingStrategy
  readonly fromAddress?: Address
  readonly spender?: Address
  readonly receiver?: Address
  readonly toEoa?: boolean
}

/**
 * The request as the owner of a wallet would make it, where fromAddress is that wallet and spender its owner: the owner
 * sends the transaction and gives the tokens, and the wallet stays the default receiver. Else the request as it is.
 * @throws ForkrouteError INVALID_REQUEST for a spender that is neither fromAddress nor the owner of the wallet there.
 */
export function withSpender<T extends Accounts>(request: T): T {
  const { spender, fromAddress, strategy } = request
  if (spender === undefined || fromAddress === undefined || spender === fromAddress) return request
  if (strategy === 'wallet-v2' && walletAddress(spender) === fromAddress) {
    const receiver = request.receiver ?? (request.toEoa === true ? spender : fromAddress)
    return { ...request, fromAddress: spender, receiver }
  }
  const expected =
    strategy === 'wallet-v2'
      ? `must be fromAddress, or the owner of the smart wallet that fromAddress is: ${walletAddress(spender)} is the wallet of ${spender}`
      : 'must equal fromAddress'
  throw new ForkrouteError('INVALID_REQUEST', `spender ${expected}.`, { spender, fromAddress })
}
