/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x11db062fa4b3b99f06ed63ecb741e72b770fbccb87d12ba2a210bb72ffcff964',
  42161: '0xebf91f1e780248ebd8cc1eebd9c0ef9a996a37e16ff3be51d63ffbfbbd2319c7',
  8453: '0x453b04e93489659f23caa45e774d15e6864dd26ad04d434b2522e71e1a506886',
} as const satisfies Record<number, Hex>
