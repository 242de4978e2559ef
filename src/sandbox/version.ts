/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x779da7b5b6dffb01988fcd05ed0f8fb5d8d1de0b1d5949a1a4802c23baab290f',
  42161: '0xca5ac004f4a22b88c9bcf262396a91fc992d5ab5967dd1a9cb88b65f5be355e5',
  8453: '0xfc2636d57a3fbfb956f8db6ca53ed0bd25413a04584b6def91a8cb0ac23a370d',
} as const satisfies Record<number, Hex>
