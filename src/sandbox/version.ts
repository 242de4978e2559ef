/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0xb29753cbc87cdc44c2cd854a31fbfdd97fda0b939cd44f943f097dd725733290',
  42161: '0x37b8a2445dcacd3de339f947ec62d4110f3fca1eca11d45e7aeaf82ecd25b2eb',
  8453: '0x453b04e93489659f23caa45e774d15e6864dd26ad04d434b2522e71e1a506886',
} as const satisfies Record<number, Hex>
