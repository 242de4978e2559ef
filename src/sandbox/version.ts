/**
 * The versions of the built chains: the hashes of their heads. Caches are named after them, so the same chain serves
 * the sources and the compiled code. A test builds each chain anew and compares; whoever changes what is built (the
 * script, its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHashes = {
  1: '0x64b5caabcf150a56317d7a693ec9e74d681a22967e1c7a4d9f40724e6fd1efed',
  42161: '0xa7dda749c730afd67df5a0df3e90f1cc0aa8d94a2ff328e8cc752d4c1ed91cdd',
  8453: '0x1ae67748c2f71a4c660b51435d4c697432aba5a1cfe4c1520caba6ad30966d11',
} as const satisfies Record<number, Hex>
