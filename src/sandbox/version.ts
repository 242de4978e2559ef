/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x6991b6392d28d56b1d76d9d6ead27888acf900d695fdbe91d8ef6ea02a8bb36a',
  42161: '0xcfded23016a302fd0147098321fbde1aadfab2df268e39fda97d25849f5edce1',
  8453: '0xf2781b42be7679bbc473b3317c9c5e04fcfa836dabce403de956fd1b6fd4a64b',
} as const satisfies Record<number, Hex>
