/** Formats the results of a suite: lines for a terminal, JUnit XML for CI, JSON for programs. Pure. */
import reportBuilder, { type Builder } from 'junit-report-builder'
import { ForkrouteError } from '../domain/errors.js'
import type { Proof } from '../testing/proven.js'
import type { CaseResult, SuiteResult } from './run.js'

export function isPassed(result: CaseResult): boolean {
  return result.differences.length === 0
}

/** One line per case, then what differs, then the count. */
export function terminalReport(result: SuiteResult): string {
  const { suite, cases } = result
  const width = Math.max(...cases.map((one) => one.case.name.length))
  const lines = cases.map((one) => {
    const mark = isPassed(one) ? 'ok  ' : 'FAIL'
    const shown = one.proof ? `  ${proofText(one.proof)}` : ''
    return `${mark}  ${one.case.name.padEnd(width)}  ${one.summary}  (${one.milliseconds} ms)${shown}`
  })
  const failed = cases.filter((one) => !isPassed(one))
  const details = failed.flatMap((one) => [
    '',
    `${one.case.name} (line ${one.case.line})`,
    ...one.differences.map((text) => `  ${text}`),
    ...contextOf(one).map((text) => `  ${text}`),
  ])
  const count =
    `${cases.length - failed.length} of ${cases.length} cases passed` +
    ` (${modeText(result)}, ${(result.milliseconds / 1_000).toFixed(1)} s)`
  return [`${suite.name}`, ...lines, ...details, '', count, ...provenBlocks(result)].join('\n')
}

function proofText(proof: Proof): string {
  if (!proof.isProven)
    return `not proven: ${/^.*?\.(?= |$)/.exec(proof.reason)?.[0] ?? proof.reason}`
  return `proven: ${proof.accounts} accounts, ${proof.slots} slots`
}

/** One line per block that state was proven of. */
function provenBlocks({ cases }: SuiteResult): string[] {
  const counts = new Map<string, number>()
  for (const { proof } of cases) {
    if (!proof?.isProven) continue
    const block = `block ${proof.blockNumber} of chain ${proof.chainId}, ${proof.blockHash}`
    counts.set(block, (counts.get(block) ?? 0) + 1)
  }
  return [...counts].map(([block, count]) => `the state of ${count} is proven: ${block}`)
}

function modeText({ mode, suite }: SuiteResult): string {
  if (mode === 'replay') return `replayed from ${suite.cassette}`
  return mode === 'record' ? `recorded into ${suite.cassette}` : 'live'
}

/** Context that helps to understand a difference. */
function contextOf({ outcome }: CaseResult): string[] {
  if (!outcome.ok || outcome.answer.kind === 'prices') return []
  const { blockNumber, warnings } = outcome.answer.value
  return [`block ${blockNumber}`, ...warnings.map((warning) => `warning: ${warning}`)]
}

/** JUnit XML. Cases that failed for a reason of the service itself, not by an expectation, are errors there. */
export function junitReport(result: SuiteResult): string {
  // The package is CommonJS, which its types do not say.
  const builder = (reportBuilder as unknown as Builder).newBuilder()
  const suite = builder
    .testSuite()
    .name(result.suite.name)
    .time(result.milliseconds / 1_000)
  for (const one of result.cases) {
    const test = suite
      .testCase()
      .className(result.suite.name)
      .name(one.case.name)
      .time(one.milliseconds / 1_000)
    if (one.proof) {
      for (const [name, value] of Object.entries(one.proof)) {
        test.property(`state.${name}`, String(value))
      }
    }
    if (isPassed(one)) continue
    const [first = ''] = one.differences
    const whole = [...one.differences, ...contextOf(one)].join('\n')
    if (isFault(one)) test.error(first, 'error', whole)
    else test.failure(first, 'difference').stacktrace(whole)
  }
  return builder.build()
}

function isFault({ outcome }: CaseResult): boolean {
  return !outcome.ok && errorOf(outcome.error).code === 'INTERNAL'
}

/** @returns JSON values, and bigint for amounts. */
export function jsonReport(result: SuiteResult) {
  const { suite, mode, cases, milliseconds } = result
  const passed = cases.filter(isPassed).length
  return {
    suite: suite.name,
    mode,
    ok: passed === cases.length,
    passed,
    failed: cases.length - passed,
    milliseconds,
    cases: cases.map((one) => ({
      name: one.case.name,
      line: one.case.line,
      ok: isPassed(one),
      differences: one.differences,
      milliseconds: one.milliseconds,
      proof: one.proof,
      ...(one.outcome.ok
        ? { answer: one.outcome.answer.value }
        : { error: errorOf(one.outcome.error) }),
    })),
  }
}

function errorOf(error: unknown) {
  const code = error instanceof ForkrouteError ? error.code : 'INTERNAL'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
