/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0xab2d77652cf6648df8744048ee6cf1bca85b179d8fce8d1fb2180d78bae74bcc',
  42161: '0xe72e86c87d714c6f9779a63696c78898187518066b9fba85648d3b98fcfa99e4',
  8453: '0xaa296e48d0f9863c6a26ee3c514005b122f33dd75de4761ab86b690c64f24ac2',
} as const satisfies Record<number, Hex>
