/** What the chain's venue and a pool's record say. */
import { isAddress } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { addressesOf } from '../shared/parameters.js'

export const slug = 'balancer-v3'

/** The same on every chain. @see balancer/balancer-deployments 6826feb, v3/tasks/20241204-v3-vault */
const vaultEverywhere: Address = '0xba1333333333a1ba1108e8412f11850a5c319ba9'

export function vaultOf({ vault }: VenueParameters): Address {
  return typeof vault === 'string' ? toAddress(vault) : vaultEverywhere
}

/** The factories whose pools are swapped in: their code is known. */
export function factoriesOf({ factories }: VenueParameters): Address[] {
  return addressesOf(factories)
}

/** Hooks that the record says take part in swaps; null: it names none. */
export function hooksOf({ parameters: { hooks } }: Pool): Address | null {
  return typeof hooks === 'string' && isAddress(hooks, { strict: false }) ? toAddress(hooks) : null
}

/** The record of a pool, as events and lists have it. */
export function toPool(args: {
  readonly vault: Address
  readonly contract: Address
  readonly factory: Address
  readonly tokens: readonly Address[]
  readonly isRated: boolean
  /** Hooks that take part in swaps; absent: none do. */
  readonly hooks?: Address
}): Pool {
  const { vault, contract, factory, tokens, isRated, hooks } = args
  return {
    protocol: slug,
    id: contract,
    address: vault,
    tokens,
    parameters: { factory, isRated, ...(hooks && { hooks }) },
  }
}
