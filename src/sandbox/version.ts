/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0xf54449b87db1b1b1a8c26aba4038b5f962d3d043b85c87c3ea5854233d67f3ff',
  42161: '0x9c672736b30909bbc126a0b5159aeff44c00c4fffd2c0cc3e43b9e1d03f20916',
  8453: '0x344e28ab9820ba1e26fc347aa59bc5e251548f86fdd702bad11f1e39abcf3aaa',
} as const satisfies Record<number, Hex>
