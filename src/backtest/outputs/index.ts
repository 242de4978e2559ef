/**
 * Writes the results of a job as files and streams. Owns nothing of the job: results come block by block,
 * ascending, and are written as they come. Used by the API and the CLI.
 */
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type {
  BacktestBlock,
  BacktestJob,
  JobBlock,
  PlannedJob,
  ResultFile,
  ResultOptions,
  ResultStream,
} from '../../domain/backtest.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { HindsightBlock } from '../../domain/hindsight.js'
import { type CreateEncoder, createSharedSummary, type Encoder } from './encoder.js'
import { createChunks, type DraftFile, draftOf, draftOfSqlite, stored } from './files.js'
import { hindsightEncoder } from './hindsight.js'
import { parquetEncoder } from './parquet.js'
import { deliveriesTable, executionsTable, routesTable } from './records.js'
import { reportEncoder } from './report/report.js'
import { createSqliteFile } from './sqlite.js'
import { csvEncoder, jsonLinesEncoder, summaryEncoder } from './text.js'

/** What may be asked for of a backtest, and the files that it makes. */
export const outputFiles = {
  csv: ['routes.csv', 'executions.csv', 'deliveries.csv'],
  jsonl: ['results.jsonl'],
  parquet: ['routes.parquet', 'executions.parquet', 'deliveries.parquet'],
  sqlite: ['results.sqlite'],
  html: ['report.html'],
  json: ['summary.json'],
} as const satisfies Record<string, readonly ResultFile[]>

export type OutputFormat = keyof typeof outputFiles

const databaseFile = 'results.sqlite' satisfies ResultFile
type BacktestFile = (typeof outputFiles)[OutputFormat][number]
type EncodedFile = Exclude<BacktestFile, typeof databaseFile>

const encoders: { readonly [F in EncodedFile]: CreateEncoder } = {
  'routes.csv': ({ plan }, { reproducible }) => csvEncoder(routesTable(plan, !reproducible)),
  'executions.csv': ({ plan }) => csvEncoder(executionsTable(plan)),
  'deliveries.csv': ({ plan }) => csvEncoder(deliveriesTable(plan)),
  'results.jsonl': jsonLinesEncoder,
  'routes.parquet': ({ plan }, { reproducible }) =>
    parquetEncoder(plan, routesTable(plan, !reproducible)),
  'executions.parquet': ({ plan }) => parquetEncoder(plan, executionsTable(plan)),
  'deliveries.parquet': ({ plan }) => parquetEncoder(plan, deliveriesTable(plan)),
  'report.html': reportEncoder,
  'summary.json': summaryEncoder,
}

const contentTypes: { readonly [F in ResultFile]: string } = {
  'routes.csv': 'text/csv; charset=utf-8',
  'executions.csv': 'text/csv; charset=utf-8',
  'deliveries.csv': 'text/csv; charset=utf-8',
  'results.jsonl': 'application/x-ndjson',
  'routes.parquet': 'application/vnd.apache.parquet',
  'executions.parquet': 'application/vnd.apache.parquet',
  'deliveries.parquet': 'application/vnd.apache.parquet',
  'transactions.csv': 'text/csv; charset=utf-8',
  'transactions.parquet': 'application/vnd.apache.parquet',
  'results.sqlite': 'application/vnd.sqlite3',
  'report.html': 'text/html; charset=utf-8',
  'summary.json': 'application/json',
}

/**
 * Writes the files of these formats into a folder, in one pass over the results. Each has its name only once all are whole.
 *
 * @param results - of the job, ascending.
 * @param target.folder - is made where it is absent.
 * @returns Paths of the files, in the order of `target.formats`.
 * @throws ForkrouteError STORAGE_UNAVAILABLE; what the results throw. Nothing new is left in the folder then.
 */
export async function writeOutputs(
  job: Pick<BacktestJob, 'plan'>,
  results: AsyncIterable<BacktestBlock>,
  { folder, formats }: { readonly folder: string; readonly formats: readonly OutputFormat[] },
  options: ResultOptions = {},
): Promise<readonly string[]> {
  await stored(() => mkdir(folder, { recursive: true }))
  const drafts: DraftFile[] = []
  try {
    const summary = createSharedSummary(job, options)
    for (const file of new Set(
      formats.flatMap((format): readonly BacktestFile[] => outputFiles[format]),
    )) {
      drafts.push(
        file === databaseFile
          ? await draftOfSqlite(folder, file, (path) =>
              createSqliteFile(path, job, options, summary.want),
            )
          : await draftOf(folder, file, encoders[file](job, options, summary.want)),
      )
    }
    for await (const block of withTurns(results)) {
      summary.add(block)
      for (const draft of drafts) await draft.add(block)
    }
    for (const draft of drafts) await draft.end()
    const paths: string[] = []
    for (const draft of drafts) paths.push(await draft.publish())
    return paths
  } catch (error) {
    for (const draft of drafts) await draft.discard()
    throw error
  }
}

/**
 * One file, made while it is read. Ends with an error where the results do.
 * @throws ForkrouteError INVALID_REQUEST for a file that jobs of this kind do not have.
 */
export function streamOutput(
  file: ResultFile,
  { plan }: Pick<PlannedJob, 'plan'>,
  results: AsyncIterable<JobBlock>,
  options: ResultOptions = {},
): AsyncIterable<Uint8Array> {
  if (plan.kind === 'hindsight') {
    return encoded(onlyHindsight(results), hindsightEncoder(file, plan))
  }
  if (!isBacktestFile(file)) throw invalidRequest([`A backtest has no ${file}.`])
  return file === databaseFile
    ? streamDatabase({ plan }, onlyBacktest(results), options)
    : streamEncoded(file, { plan }, onlyBacktest(results), options)
}

function isBacktestFile(file: ResultFile): file is BacktestFile {
  return file in encoders || file === databaseFile
}

async function* onlyHindsight(results: AsyncIterable<JobBlock>): AsyncIterable<HindsightBlock> {
  for await (const block of results) if (block.kind === 'hindsight') yield block
}

async function* onlyBacktest(results: AsyncIterable<JobBlock>): AsyncIterable<BacktestBlock> {
  for await (const block of results) if (block.kind === undefined) yield block
}

/** The file for a client. */
export function resultStream(file: ResultFile, read: ResultStream['read']): ResultStream {
  return { contentType: contentTypes[file], fileName: file, read }
}

function streamEncoded(
  file: EncodedFile,
  job: Pick<BacktestJob, 'plan'>,
  results: AsyncIterable<BacktestBlock>,
  options: ResultOptions,
): AsyncIterable<Uint8Array> {
  const summary = createSharedSummary(job, options)
  const encoder = encoders[file](job, options, summary.want)
  return encoded(results, {
    add(block) {
      summary.add(block)
      return encoder.add(block)
    },
    end: () => encoder.end(),
  })
}

async function* encoded<Block>(
  results: AsyncIterable<Block>,
  encoder: Encoder<Block>,
): AsyncIterable<Uint8Array> {
  const chunks = createChunks()
  for await (const block of withTurns(results)) {
    const chunk = chunks.push(encoder.add(block))
    if (chunk) yield chunk
  }
  for (const last of [chunks.push(await encoder.end()), chunks.rest()]) if (last) yield last
}

/** Results may be had without any waiting: after each block others get their turn. */
async function* withTurns<Block>(results: AsyncIterable<Block>): AsyncIterable<Block> {
  for await (const block of results) {
    yield block
    await setImmediate()
  }
}

/** SQLite cannot be made front to back: it is made in a folder of its own first. */
async function* streamDatabase(
  job: Pick<BacktestJob, 'plan'>,
  results: AsyncIterable<BacktestBlock>,
  options: ResultOptions,
): AsyncIterable<Uint8Array> {
  const folder = await stored(() => mkdtemp(join(tmpdir(), 'forkroute-output-')))
  try {
    const [path = ''] = await writeOutputs(job, results, { folder, formats: ['sqlite'] }, options)
    yield* createReadStream(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
