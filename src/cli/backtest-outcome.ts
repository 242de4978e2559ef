/** Outputs the results of a job: the summary on the screen, and files in a folder. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { HindsightSummary } from '../backtest/hindsight-summary.js'
import type { BacktestSummary } from '../backtest/summary.js'
import type { AnswerOf, InputOf } from '../client/calls.js'
import type { ForkrouteClient } from '../client/client.js'
import { ConnectionError } from '../client/errors.js'
import { ConfigError } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { printTable } from './output.js'

/** What is asked for a file of results; null for the summary. */
type FileQuery = Omit<InputOf<'getBacktestResults'>, 'id'> | null

/** The formats that can be written, and the query that downloads each. */
const files = {
  html: [['report.html', { format: 'html' }]],
  csv: [
    ['routes.csv', { format: 'csv', table: 'routes' }],
    ['executions.csv', { format: 'csv', table: 'executions' }],
    ['deliveries.csv', { format: 'csv', table: 'deliveries' }],
  ],
  jsonl: [['results.jsonl', { format: 'jsonl' }]],
  parquet: [
    ['routes.parquet', { format: 'parquet', table: 'routes' }],
    ['executions.parquet', { format: 'parquet', table: 'executions' }],
    ['deliveries.parquet', { format: 'parquet', table: 'deliveries' }],
  ],
  sqlite: [['results.sqlite', { format: 'sqlite' }]],
  json: [['summary.json', null]],
} as const satisfies Readonly<Record<string, readonly (readonly [string, FileQuery])[]>>

type Format = keyof typeof files
export const formats = Object.keys(files) as readonly Format[]

/** What jobs of hindsight have in place of these. */
const hindsightFiles = {
  html: files.html,
  csv: [['transactions.csv', { format: 'csv' }]],
  jsonl: files.jsonl,
  parquet: [['transactions.parquet', { format: 'parquet' }]],
  sqlite: [],
  json: files.json,
} as const satisfies Readonly<Record<Format, readonly (readonly [string, FileQuery])[]>>

export const hindsightFormats = formats.filter((format) => hindsightFiles[format].length > 0)

/** @throws ConfigError. */
export function parseFormats(text: string, known: readonly Format[] = formats): readonly Format[] {
  const given = text.split(',').map((part) => part.trim())
  const wrong = given.filter((one) => !(known as readonly string[]).includes(one))
  if (!wrong.length) return given as Format[]
  throw new ConfigError(
    [`--format: must be one or more of ${known.join(', ')}, comma-separated.`],
    'command line',
  )
}

/** Formats that jobs of its kind do not have are passed over. @returns paths of the files. */
export async function writeFiles(
  client: ForkrouteClient,
  { id, kind }: Pick<AnswerOf<'getBacktest'>, 'id' | 'kind'>,
  options: {
    readonly folder: string
    readonly formats: readonly Format[]
    /** Whether milliseconds are left out, so that the same results are the same bytes. */
    readonly isReproducible: boolean
  },
): Promise<readonly string[]> {
  const { folder, isReproducible } = options
  await mkdir(folder, { recursive: true })
  const paths: string[] = []
  const known = kind === 'hindsight' ? hindsightFiles : files
  for (const [name, query] of options.formats.flatMap((format) => [...known[format]])) {
    const file = join(folder, name)
    await download(file, () => openFile(client, id, query, isReproducible))
    paths.push(file)
  }
  return paths
}

async function openFile(
  client: ForkrouteClient,
  id: string,
  query: FileQuery,
  isReproducible: boolean,
): Promise<ReadableStream> {
  const asked = { ...query, ...defined({ reproducible: isReproducible || undefined }) }
  const options = { params: { path: { id }, query: asked }, parseAs: 'stream' } as const
  const { data } =
    query === null
      ? await client.raw.GET('/api/v1/backtests/{id}/summary', options)
      : await client.raw.GET('/api/v1/backtests/{id}/results', options)
  return data as ReadableStream
}

/** The file gets its name only when it is complete. @throws ConnectionError when the service cuts it short. */
async function download(file: string, open: () => Promise<ReadableStream>): Promise<void> {
  const part = `${file}.part`
  try {
    await pipeline(Readable.fromWeb(await open()), createWriteStream(part))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    // What `fetch` rejects with where the service cuts a file that it cannot finish.
    if (!(error instanceof TypeError)) throw error
    const name = basename(file)
    throw new ConnectionError(
      `The connection ended before ${name} was whole, so it is not kept; ask for it again.`,
    )
  }
}

type JobSummary = BacktestSummary | HindsightSummary

/** The document leaves the fields of a summary open; docs/how-to/backtest-report.md has them. */
export async function summaryOf(client: ForkrouteClient, id: string): Promise<JobSummary> {
  const summary: object = await client.backtestSummary({ id })
  return summary as JobSummary
}

export function printSummary(summary: JobSummary): void {
  if ('sandwiches' in summary) printVenues(summary)
  else printVariants(summary)
}

/** A line per venue; docs/how-to/hindsight.md defines the figures. */
function printVenues({ all, venues, sandwiches }: HindsightSummary): void {
  printTable(
    ['venue', 'swaps', 'won/tied/lost', 'no result', 'ours, bps\nmean', '\np5', '\np50', '\np95'],
    [{ venue: 'all', ...all }, ...venues].map(({ venue, netBps, ...group }) => [
      venue,
      group.swaps,
      `${group.won}/${group.tied}/${group.lost}`,
      group.unvalued + group.withoutOurs,
      ...(['mean', 'p5', 'p50', 'p95'] as const).map((name) => netBps && figure(netBps[name])),
    ]),
  )
  const { swaps, lossBps } = sandwiches
  const loss = lossBps ? `, which lost ${figure(lossBps.mean)} bps on average` : ''
  if (swaps > 0) console.log(`Sandwiched: ${swaps} ${swaps === 1 ? 'swap' : 'swaps'}${loss}.`)
}

/** A line per variant; docs/how-to/backtest-report.md defines the figures. */
function printVariants({ variants }: BacktestSummary): void {
  const { delays = [], deliveries = [] } = variants[0] ?? {}
  printTable(
    [
      'variant',
      'routes',
      'regret bps\nmean',
      '\np50',
      '\np95',
      'won/tied/lost',
      'allowed bps\nmean',
      'gas\np50',
      ...delays.map(({ delay }) => `filled, realised\n+${delay}`),
      ...deliveries.map(
        ({ seconds }) =>
          `delivered, fallback, shortfall\n${seconds === null ? 'as estimated' : `+${seconds} s`}`,
      ),
    ],
    variants.map((one) => [
      one.variant,
      `${one.routes} of ${one.rows}`,
      ...(['mean', 'p50', 'p95'] as const).map((name) => one.regret && figure(one.regret[name])),
      one.againstBaseline && Object.values(one.againstBaseline).join('/'),
      one.allowedSlippage && figure(one.allowedSlippage.mean),
      one.gas?.p50,
      ...one.delays.map(({ fillRate, realised }) =>
        fillRate === null
          ? null
          : `${figure(fillRate * 100)}%, ${realised ? `${figure(realised.mean)} bps` : '–'}`,
      ),
      ...one.deliveries.map(({ delivered, fallback, reverted, unknown, shortfall }) => {
        const others = [
          ...(reverted ? [`${reverted} reverted`] : []),
          ...(unknown ? [`${unknown} unknown`] : []),
        ]
        const short = shortfall ? `${figure(shortfall.mean)} bps` : '–'
        return [delivered, fallback, short, ...others].join(', ')
      }),
    ]),
  )
}

function figure(value: number): string {
  return String(Math.round(value * 100) / 100)
}
