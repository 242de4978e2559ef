/**
 * The version of the built chain: the hash of its head. Caches are named after it, so the same chain serves the
 * sources and the compiled code. A test builds the chain anew and compares; whoever changes what is built (the script,
 * its contracts, ours, Anvil) puts the hash here that the test reports.
 */
import type { Hex } from '../domain/primitives.js'

export const headHash: Hex = '0x67c9a80d5420b8104010d968fc8527b99c51f4b53a7b04b023e5b680e3292740'
