/**
 * Runs checks of cassettes and suites, one at a time, by the command line in a process of its own: a whole service with
 * threads and forks, which must neither mix its figures with those of this one nor outlive it.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invalidRequest } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { CaseProof, CassetteResult, Check, SuiteResult } from '../domain/operations/checks.js'
import type { Operations } from '../domain/operations/operations.js'
import { packageFolder } from '../platform/package-folder.js'
import { createChildTasks } from '../processes/child-tasks.js'
import type { CassetteFolder } from './cassette-folder.js'
import { checkStore } from './check-store.js'
import { withoutAddresses } from './masked.js'
import type { ReadingTasks } from './reading-tasks.js'

const longestMs = 600_000
const mostOutputBytes = 64 * 1024 * 1024
/** Time that reading a suite may take. */
const longestReadMs = 10_000

export interface ChecksParts {
  readonly dataDir: string
  readonly folder: CassetteFolder
  /** Variables that make the answers of another process those of this service. */
  readonly environment: Readonly<Record<string, string>>
  /** Nodes by chain; empty in a replay. */
  readonly urls: Readonly<Record<number, readonly string[]>>
  /** Gives the data folder of another process the pools that no look-up finds. */
  preparePools(dataDir: string): void
}

export interface Checks
  extends Pick<Operations, 'checkCassette' | 'checkSuite' | 'checks' | 'check'> {
  /** Ends what runs. */
  close(): Promise<void>
}

interface Run {
  readonly kind: Check['kind']
  readonly name: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Folder that is removed afterwards. */
  readonly place: string
}

export function createChecks(parts: ChecksParts): Checks {
  const store = checkStore(join(parts.dataDir, 'checks'))
  const reading = createChildTasks<ReadingTasks>('reading', longestReadMs)
  const closing = new AbortController()
  let running: Promise<void> | null = null

  function begin(prepare: (place: string) => Omit<Run, 'place'>): Check {
    if (running) {
      throw new ForkrouteError(
        'OVERLOADED',
        'Another check is running, and only one may. GET /api/v1/checks shows it; ask again when it has ended.',
        { next: [{ endpoint: 'GET /api/v1/checks' }] },
      )
    }
    const place = mkdtempSync(join(tmpdir(), 'forkroute-check-'))
    const discard = () => rmSync(place, { recursive: true, force: true })
    try {
      const run = { ...prepare(place), place }
      const check = store.add(run)
      running = perform(run, check).finally(() => {
        running = null
        discard()
      })
      return check
    } catch (error) {
      discard()
      throw error
    }
  }

  async function perform(run: Run, check: Check): Promise<void> {
    const outcome = await outcomeOf(run, parts.environment, closing.signal)
    try {
      store.put({ ...check, ...outcome, finishedAt: Date.now() })
    } catch {
      // The data folder is full or gone: the check is seen as one that the service did not finish.
    }
  }

  return {
    checkCassette(name, numbers) {
      const file = parts.folder.fileOf(name)
      const only = numbers === null ? [] : ['--only', numbers.join(',')]
      return begin(() => ({ kind: 'cassette', name, args: ['verify', file, ...only] }))
    },
    async checkSuite(source) {
      const { name, cassette } = await reading.run('suite', source, (why) =>
        invalidRequest([`The suite ${why}.`]),
      )
      const recorded = cassette === null ? null : parts.folder.fileOf(cassette)
      if (recorded === null && Object.keys(parts.urls).length === 0) {
        throw invalidRequest(['The suite must name a cassette: this service has no nodes.'])
      }
      return begin((place) => {
        const file = join(place, 'suite.yaml')
        writeFileSync(file, source)
        if (recorded !== null && cassette !== null) symlinkSync(recorded, join(place, cassette))
        const args = ['check', file]
        if (recorded !== null) return { kind: 'suite', name, args }
        const dataDir = join(place, 'data')
        mkdirSync(dataDir)
        parts.preparePools(dataDir)
        const nodes = Object.entries(parts.urls).map(([id, urls]) => [`RPC_URL_${id}`, urls.join()])
        return { kind: 'suite', name, args, env: Object.fromEntries(nodes) }
      })
    },
    checks: store.list,
    check: store.get,
    async close() {
      closing.abort()
      await reading.close()
      await running
    },
  }
}

type Outcome = Pick<Check, 'state' | 'problem' | 'ok' | 'cassette' | 'suite'>

async function outcomeOf(
  run: Run,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const env = {
    PATH,
    HOME,
    XDG_CACHE_HOME,
    TMPDIR,
    ...environment,
    ...run.env,
    DATA_DIR: join(run.place, 'data'),
    // It shares the machine with the service.
    WORKERS: '1',
    FORKS_PER_BLOCK: '1',
    LOG_LEVEL: 'error',
  }
  const entry = join(packageFolder, 'dist', 'src', 'cli', 'main.js')
  const printed = await new Promise<{ readonly out: string; readonly end: string | null }>(
    (resolve) =>
      execFile(
        process.execPath,
        [entry, ...run.args, '--json'],
        { env, signal, cwd: run.place, timeout: longestMs, maxBuffer: mostOutputBytes },
        (error, out) => resolve({ out, end: endOf(error, signal) }),
      ),
  )
  const answer = printed.end === null ? tryJson(printed.out) : null
  if (answer && run.kind === 'cassette' && Array.isArray(answer.mismatches)) {
    const cassette = answer as unknown as CassetteResult
    const ok = cassette.damaged.length === 0 && cassette.mismatches.length === 0
    return { state: 'finished', problem: null, ok, cassette, suite: null }
  }
  if (answer && run.kind === 'suite' && Array.isArray(answer.cases)) {
    const suite = suiteOf(answer as unknown as SuiteResult)
    return { state: 'finished', problem: null, ok: suite.failed === 0, cassette: null, suite }
  }
  const said = printed.end ?? (answer?.message === undefined ? '' : String(answer.message))
  const problem = withoutPaths(withoutAddresses(said)) || 'The check ended without a result.'
  return { state: 'failed', problem, ok: null, cassette: null, suite: null }
}

/** Null where it ended by itself, well or not. */
function endOf(error: Error | null, signal: AbortSignal): string | null {
  if (signal.aborted) return 'The service stopped.'
  const { killed, code } = (error ?? {}) as { killed?: boolean; code?: unknown }
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'The result is too long.'
  return killed ? `It took longer than ${longestMs / 1_000} seconds.` : null
}

/** Without whole answers, which the cassette has. */
function suiteOf({ mode, passed, failed, milliseconds, cases }: SuiteResult): SuiteResult {
  return {
    mode,
    passed,
    failed,
    milliseconds,
    cases: cases.map(({ name, line, ok, differences, milliseconds: own, proof }) => ({
      name,
      line,
      ok,
      milliseconds: own,
      differences: differences.map((text) => withoutPaths(withoutAddresses(text))),
      proof: proof ? proofOf(proof) : null,
    })),
  }
}

/** As the command line prints it, which leaves out what is not known. */
function proofOf(printed: Partial<CaseProof>): CaseProof {
  const { isProven = false, reason = null, blockNumber = null, ...block } = printed
  const { chainId = null, blockHash = null, accounts = null, slots = null } = block
  return {
    isProven,
    reason: reason && withoutPaths(withoutAddresses(reason)),
    chainId,
    blockNumber: blockNumber === null ? null : Number(blockNumber),
    blockHash,
    accounts,
    slots,
  }
}

/** Names of files alone. */
function withoutPaths(text: string): string {
  return text.replace(/(?<![\w:/])\/(?:[\w.@+-]+\/)+([\w.@+-]+)/g, '$1')
}

function tryJson(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
