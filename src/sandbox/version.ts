/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0xe8f92dc8534ceaa0782fa53d7999789cf211329b53e0c28d749292fffcbb97e8',
  42161: '0xa78e2526f87dfa063be857eca3de52392370cd70ff8c9c35efc22b928225f7a8',
  8453: '0xf71719c1d259d72f3f7a6479b13111eda3b9c4bb8dd040af660f79b580b750e6',
} as const satisfies Record<number, Hex>
