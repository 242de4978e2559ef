/**
 * The version of the built chain: the hash of its head. Caches are named after it, so the same chain serves the
 * sources and the compiled code. A test builds the chain anew and compares; whoever changes what is built (the script,
 * its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHash: Hex = '0xde1816dc2bfdee344f38d37e77b41cee96b1594792eecbe00c239f1c85611bf5'
