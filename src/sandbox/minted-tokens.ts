/** Tokens of the sandbox that bridges mint: on Ethereum each is its issuer's own, and the bridge locks it. */
import { tokenBridgeOf } from '../bridges/canonical/settlement.js'
import { oftsOn } from '../bridges/oft/tokens.js'
import type { ChainDefinition } from '../chains/chain.js'
import { ethereum } from '../chains/ethereum.js'
import type { Address } from '../domain/primitives.js'

/** Whether an OFT of the chain locks what others mint. */
export function isLocking({ id }: Pick<ChainDefinition, 'id'>): boolean {
  return id === ethereum.id
}

/** What the standard bridge of the chain mints it for; null: it does not. */
export function lockedFor(chain: ChainDefinition, token: Address): Address | null {
  return tokenBridgeOf(chain)?.tokens.find(({ minted }) => minted === token)?.locked ?? null
}

/** The OFT that mints and burns the token; null: none does. */
export function minterOf(chain: ChainDefinition, token: Address): Address | null {
  if (isLocking(chain)) return null
  return oftsOn(chain).find((one) => one.token === token)?.pool ?? null
}
