/** Runs the cases of a suite on a service of its own, several at a time. */

import pLimit from 'p-limit'
import { defined } from '../domain/defined.js'
import { type Forkroute, openForkroute } from '../testing/forkroute.js'
import type { Proof } from '../testing/proven.js'
import { type CaseOutcome, differences, summary } from './expectations.js'
import type { CheckSuite, SuiteCase } from './suite.js'

/** Calculations that a thread of the service works on at the same time. */
const casesPerThread = 4

export interface CaseResult {
  readonly case: SuiteCase
  readonly outcome: CaseOutcome
  /** The outcome in a few words. */
  readonly summary: string
  /** Empty when it passed. */
  readonly differences: readonly string[]
  /** Of its state; null: no evidence was asked for, or there is none of such an answer. */
  readonly proof: Proof | null
  /** Wall time, with other cases running at the same time. */
  readonly milliseconds: number
}

export interface SuiteResult {
  readonly suite: CheckSuite
  readonly mode: Forkroute['mode']
  /** In the order of the file. */
  readonly cases: readonly CaseResult[]
  readonly milliseconds: number
}

export interface RunOptions {
  /** Default: whether RECORD=1 is set. */
  readonly record?: boolean | undefined
  /** Variables of docs/reference/configuration.md; those of the suite take precedence. */
  readonly config?: Readonly<Record<string, string | undefined>>
  onProgress?(message: string, fraction: number): void
  /** A case has ended. */
  onCase?(): void
}

/** @throws ForkrouteError and ConfigError of a service that cannot be started; never for what a case does. */
export async function runSuite(suite: CheckSuite, options: RunOptions = {}): Promise<SuiteResult> {
  const startedAt = Date.now()
  const forkroute = await openForkroute({
    cassette: suite.cassette ?? undefined,
    rpcUrl: suite.rpc ?? undefined,
    chainId: suite.chainId,
    record: options.record,
    evidence: suite.evidence ?? undefined,
    config: { ...options.config, ...suite.config },
    ...defined({ onProgress: options.onProgress }),
  })
  try {
    const limit = pLimit(casesPerThread * forkroute.threads)
    const results = await Promise.all(
      byBlock(suite.cases).map((one) =>
        limit(async () => {
          const result = await runCase(forkroute, one)
          options.onCase?.()
          return result
        }),
      ),
    )
    const cases = suite.cases.flatMap((one) => results.find((result) => result.case === one) ?? [])
    return { suite, mode: forkroute.mode, cases, milliseconds: Date.now() - startedAt }
  } finally {
    await forkroute.close()
  }
}

/** Cases of one block follow each other: they share its forks. */
function byBlock(cases: readonly SuiteCase[]): SuiteCase[] {
  const blockOf = ({ request }: SuiteCase) => Number(request.blockNumber ?? Number.MAX_SAFE_INTEGER)
  return cases.toSorted((a, b) => blockOf(a) - blockOf(b))
}

async function runCase(forkroute: Forkroute, one: SuiteCase): Promise<CaseResult> {
  const startedAt = Date.now()
  const outcome = await ask(forkroute, one)
  return {
    case: one,
    outcome,
    summary: summary(outcome, one),
    differences: differences(one.expect, outcome),
    proof: outcome.ok ? forkroute.proofOf(outcome.answer.value) : null,
    milliseconds: Date.now() - startedAt,
  }
}

async function ask(forkroute: Forkroute, { kind, request }: SuiteCase): Promise<CaseOutcome> {
  // The service checks the fields itself, as it does for every caller.
  const given = request as never
  try {
    if (kind === 'prices') {
      return { ok: true, answer: { kind, value: await forkroute.prices(given) } }
    }
    return { ok: true, answer: { kind: 'delivery', value: await forkroute[kind](given) } }
  } catch (error) {
    return { ok: false, error }
  }
}
