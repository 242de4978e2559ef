/** Outputs the results of a backtest: the summary on the screen, and files in a folder. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../config/config.js'
import type { ApiClient } from './client.js'
import { printTable } from './output.js'

/** The formats that can be written, and the query that downloads each. */
const files = {
  html: [['report.html', '/results', { format: 'html' }]],
  csv: [
    ['routes.csv', '/results', { format: 'csv', table: 'routes' }],
    ['executions.csv', '/results', { format: 'csv', table: 'executions' }],
    ['deliveries.csv', '/results', { format: 'csv', table: 'deliveries' }],
  ],
  jsonl: [['results.jsonl', '/results', { format: 'jsonl' }]],
  parquet: [
    ['routes.parquet', '/results', { format: 'parquet', table: 'routes' }],
    ['executions.parquet', '/results', { format: 'parquet', table: 'executions' }],
    ['deliveries.parquet', '/results', { format: 'parquet', table: 'deliveries' }],
  ],
  sqlite: [['results.sqlite', '/results', { format: 'sqlite' }]],
  json: [['summary.json', '/summary', {}]],
} as const

type Format = keyof typeof files
export const formats = Object.keys(files) as readonly Format[]

/** @throws ConfigError. */
export function parseFormats(text: string): readonly Format[] {
  const given = text.split(',').map((part) => part.trim())
  const wrong = given.filter((one) => !(formats as readonly string[]).includes(one))
  if (!wrong.length) return given as Format[]
  throw new ConfigError(
    [`--format: must be one or more of ${formats.join(', ')}, comma-separated.`],
    'command line',
  )
}

/** @returns paths of the files. */
export async function writeFiles(
  client: ApiClient,
  id: string,
  folder: string,
  wanted: readonly Format[],
  isReproducible: boolean,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true })
  const paths: string[] = []
  for (const [name, path, query] of wanted.flatMap((format) => [...files[format]])) {
    const file = join(folder, name)
    const asked = { ...query, ...(isReproducible && { reproducible: 'true' }) }
    await client.download(`/backtests/${encodeURIComponent(id)}${path}`, asked, file)
    paths.push(file)
  }
  return paths
}

interface Distribution {
  readonly mean: number
  readonly p50: number
  readonly p95: number
}

export interface Summary {
  readonly variants: readonly {
    readonly variant: string
    readonly rows: number
    readonly routes: number
    readonly regret: Distribution | null
    readonly againstBaseline: { wins: number; ties: number; losses: number } | null
    readonly delays: readonly {
      readonly delay: number
      readonly fillRate: number | null
      readonly realised: Distribution | null
    }[]
    readonly deliveries: readonly {
      readonly seconds: number | null
      readonly delivered: number
      readonly fallback: number
      readonly reverted: number
      readonly unknown: number
      readonly shortfall: Distribution | null
    }[]
    readonly gas: Distribution | null
  }[]
}

/** A line per variant; docs/backtest-report.md defines the figures. */
export function printSummary({ variants }: Summary): void {
  const { delays = [], deliveries = [] } = variants[0] ?? {}
  printTable(
    [
      'variant',
      'routes',
      'regret bps\nmean',
      '\np50',
      '\np95',
      'won/tied/lost',
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
