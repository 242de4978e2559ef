import { type Address, nativeToken } from '../../src/domain/primitives.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'

/** The address of a symbol on the sandbox; ETH is the native token. */
export function tokenNamed(symbol: string): Address {
  return symbol === 'ETH' ? nativeToken : sandboxToken(symbol).address
}
