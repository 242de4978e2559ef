/** State overrides as the parameter of eth_call and eth_simulateV1. Pure. */
import { numberToHex } from 'viem'
import { defined } from '../domain/defined.js'
import type { Address } from '../domain/primitives.js'
import type { StateOverrides } from '../domain/state.js'

export function overridesOnWire(overrides: StateOverrides): Record<Address, object> {
  const wire: Record<Address, object> = {}
  for (const [address, { balance, nonce, code, stateDiff }] of Object.entries(overrides)) {
    wire[address as Address] = {
      ...(balance !== undefined && { balance: numberToHex(balance) }),
      ...(nonce !== undefined && { nonce: numberToHex(nonce) }),
      ...defined({ code, stateDiff }),
    }
  }
  return wire
}
