/**
 * The version of the built chain: the hash of its head. Caches are named after it, so the same chain serves the
 * sources and the compiled code. A test builds the chain anew and compares; whoever changes what is built (the script,
 * its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHash: Hex = '0xe48f98f411084f2e1a3340585e0c385779defd7079a039a5fd8a65c26eff1325'
