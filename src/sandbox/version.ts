/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x1e3ae802061e3e55613fca7d4934a5fb18096986696b3c993479e4ac741caf1c',
  42161: '0xebf91f1e780248ebd8cc1eebd9c0ef9a996a37e16ff3be51d63ffbfbbd2319c7',
  8453: '0xfc2636d57a3fbfb956f8db6ca53ed0bd25413a04584b6def91a8cb0ac23a370d',
} as const satisfies Record<number, Hex>
