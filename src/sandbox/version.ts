/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0xa2ec14b5f3cfdd0cf8fccdae9e915ef80dab8b69b5f81f9681a407e0b5c33951',
  42161: '0xa7dda749c730afd67df5a0df3e90f1cc0aa8d94a2ff328e8cc752d4c1ed91cdd',
  8453: '0x7adff75fbed24bd580cc26a570d67783a708b19073d6aa97c9f7cb5846699771',
} as const satisfies Record<number, Hex>
