/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x57154d3c56c1670bb14738cf3ed0ae342b7a967940df9aac228fe572b72c0d93',
  42161: '0xebf91f1e780248ebd8cc1eebd9c0ef9a996a37e16ff3be51d63ffbfbbd2319c7',
  8453: '0x453b04e93489659f23caa45e774d15e6864dd26ad04d434b2522e71e1a506886',
} as const satisfies Record<number, Hex>
