/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x4ea7e4c05f7cac01293bf11d6962c58e1933407f76ac411f2d9c307333065b7d',
  42161: '0x6e7decb64faba208ea0d028cbd33ccd09c8f8d10bcd8f763767f5be83c96ba60',
  8453: '0x58f3072a685782f0b63af3ae16de8c21c2b82ed63e424b4265e7080ddf3b1b0a',
} as const satisfies Record<number, Hex>
