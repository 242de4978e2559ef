/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x3d375b458cf702c1b11c346ef6b271e31024ccdb29a1ff9783e52b1ba2b2aa56',
  42161: '0xca5ac004f4a22b88c9bcf262396a91fc992d5ab5967dd1a9cb88b65f5be355e5',
  8453: '0x464b48c73f32d4233a8c3ba2ff1562feace0c35c8c581e73c97019127f48fc32',
} as const satisfies Record<number, Hex>
