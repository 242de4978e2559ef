/** Shows forged evidence to the verifier. */
import { createHash } from 'node:crypto'
import { runOnAnvil } from '../../../src/verify/anvil.js'
import {
  type EvidenceFile,
  type Execution,
  type ProvenState,
  type Results,
  verifyEvidence,
} from '../../../src/verify/verify.js'
import { boundForgeries, type Forgery, resigned, signedForgeries } from './forgery.js'

/** By what was changed: how many were found by which part of the check, and how many were accepted. */
export type Findings = Map<string, Map<string, number>>

export const accepted = 'accepted'

/** Runs equal calls over equal state once. */
function rememberingRun() {
  const known = new Map<string, Promise<Results>>()
  return (execution: Execution, state: ProvenState): Promise<Results> => {
    const { evidence, payloads } = execution
    const parts = [payloads, evidence.block, evidence.execution.hardFork, evidence.state]
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    const run = known.get(key) ?? runOnAnvil(execution, state)
    known.set(key, run)
    return run
  }
}

/**
 * @param signing - `own`: the forger signs what he has changed, and the reader trusts any key; `none`: the signature stays.
 */
export async function checkForgeries(
  files: readonly EvidenceFile[],
  { seed, count, signing }: { seed: bigint; count: number; signing: 'own' | 'none' },
): Promise<Findings> {
  const isSigned = signing === 'own'
  const run = rememberingRun()
  const findings: Findings = new Map()
  const forged: Iterable<Forgery> = (isSigned ? boundForgeries : signedForgeries)(
    files,
    seed,
    count,
  )
  for (const { kind, file } of forged) {
    const content = JSON.stringify(isSigned ? resigned(file) : file)
    const { isProven, problem } = await verifyEvidence(content, { run })
    const finder = isProven ? accepted : (problem?.part ?? accepted)
    const own = findings.get(kind) ?? new Map<string, number>()
    own.set(finder, (own.get(finder) ?? 0) + 1)
    findings.set(kind, own)
  }
  return findings
}
