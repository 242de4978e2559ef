/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x8e4ec2ac03cc3d059298e691a1d3172e2b8e5486a9d1b58e46b78361a52b66cb',
  42161: '0x96d468c59dd077a937422a83445f69a49ed48f7e7e8d446dd4e5d1f9c237ab0c',
  8453: '0xffe7ebcc29e521038b70894dfe14e6c5ede3d048989de7f6ae4d2fd205755cae',
} as const satisfies Record<number, Hex>
