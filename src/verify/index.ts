/** Checks evidence files of forkroute: in Node by `verifyEvidence(content, { run: runOnAnvil })`. */
// biome-ignore-all lint/performance/noBarrelFile: the entry of a package.
export { runOnAnvil } from './anvil.js'
export {
  type Evidence,
  type EvidenceFile,
  type Execution,
  type ProvenState,
  type Report,
  type Results,
  type VerifyOptions,
  verifyEvidence,
} from './verify.js'
