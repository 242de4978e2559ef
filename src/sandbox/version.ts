/**
 * The version of the built chain: the hash of its head. Caches are named after it, so the same chain serves the
 * sources and the compiled code. A test builds the chain anew and compares; whoever changes what is built (the script,
 * its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHash: Hex = '0x4cdec9e23ba23131d2263dff52484e87c8d6992dc4f3e3339e0c75f9fefae1fe'
