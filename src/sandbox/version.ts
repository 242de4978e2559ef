/**
 * The version of the built chain: the hash of its head. Caches are named after it, so the same chain serves the
 * sources and the compiled code. A test builds the chain anew and compares; whoever changes what is built (the script,
 * its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHash: Hex = '0xeaf1585ca18281a98e6d4598123e6bea8e2816ee20a018a068358ea9bc49a751'
