/** Checks evidence files of forkroute: in Node by `verifyEvidence(content, { run: runOnAnvil })`. */
// biome-ignore-all lint/performance/noBarrelFile: the entry of a package.
export { runOnAnvil } from './anvil.js'
export { type Report, type VerifyOptions, verifyEvidence } from './evidence.js'
export type { Execution, Outcome } from './execution.js'
export type { Assumption, Evidence, EvidenceFile } from './form.js'
export type { ProvenState } from './trie.js'
