/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x2c704d4cf2694a447c6db07627ef973a9596e40d96a469c22353693bbeb56e06',
  42161: '0x6e1b594b9df651e211fb4fd04b6f5996f1a59a8d77aafc790c80efa4b2434b1f',
  8453: '0xf76aa8e857f05448088248973037342aacba25d57c589b85f4c7b291b19fbd6a',
} as const satisfies Record<number, Hex>
