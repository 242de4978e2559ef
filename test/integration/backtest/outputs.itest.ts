import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type OutputFormat,
  outputFiles,
  streamOutput,
  writeOutputs,
} from '../../../src/backtest/outputs/index.js'
import type { BacktestSummary } from '../../../src/backtest/summary.js'
import type { BacktestBlock, BacktestJob, ResultFile } from '../../../src/domain/backtest.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { sampleJob, sampleResults } from '../../support/backtest/backtest-results.js'

const formats = Object.keys(outputFiles) as readonly OutputFormat[]
const job = sampleJob({ blocks: 30, requests: 3, variants: 3, delays: [1, 3] })

const deliverySeconds = [30, 600]

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-outputs-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (file: ResultFile) => join(folder, file)

/** As Python's reader of CSV sees it. */
function readCsv(path: string): readonly Record<string, string>[] {
  const program =
    'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="")))))'
  return JSON.parse(
    execFileSync('python3', ['-c', program, path], { encoding: 'utf8', maxBuffer: 1e8 }),
  )
}

async function readParquet(path: string): Promise<readonly Record<string, unknown>[]> {
  return await parquetReadObjects({ file: await asyncBufferFromFile(path) })
}

function readTable(path: string, sql: string): readonly Record<string, unknown>[] {
  const db = openSqlite(path, { readonly: true })
  try {
    return db.prepare(sql).safeIntegers().all() as Record<string, unknown>[]
  } finally {
    db.close()
  }
}

async function* slower(of: BacktestJob): AsyncIterable<BacktestBlock> {
  for await (const block of sampleResults(of)) {
    const rows = block.rows.map((row) => ({ ...row, milliseconds: row.milliseconds * 2 + 1 }))
    yield { ...block, rows }
  }
}

const asText = (row: Record<string, unknown>, booleans: (value: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? '' : String(name === 'ok' ? booleans(value) : value),
    ]),
  )

describe('writeOutputs', () => {
  test('CSV, Parquet and SQLite say the same, column by column, and JSON lines the results themselves', async () => {
    await writeOutputs(job, sampleResults(job), { folder, formats })
    for (const name of ['routes', 'executions'] as const) {
      const parquet = await readParquet(at(`${name}.parquet`))
      const sqlite = readTable(
        at('results.sqlite'),
        `SELECT t.* FROM ${name} t JOIN requests r ON r.name = t.request JOIN variants v ON v.name = t.variant
         ORDER BY block_number, r.rowid, v.rowid`,
      )
      const csv = readCsv(at(`${name}.csv`))
      const unixSeconds = parquet.map((row) =>
        row.timestamp instanceof Date ? { ...row, timestamp: +row.timestamp / 1_000 } : row,
      )
      expect(csv.length).toBeGreaterThan(250)
      expect(unixSeconds.map((row) => asText(row, Boolean))).toEqual(csv)
      expect(sqlite.map((row) => asText(row, (value) => value === 1n))).toEqual(csv)
    }
    const lines = (await readFile(at('results.jsonl'), 'utf8')).trimEnd().split('\n')
    const expected: unknown[] = []
    for await (const { rows, blockHash, timestamp } of sampleResults(job)) {
      for (const row of rows) {
        expected.push({
          ...row,
          blockNumber: Number(row.blockNumber),
          blockHash,
          timestamp: Number(timestamp),
        })
      }
    }
    const asWire = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)))
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected.map(asWire))
  })

  test('deliveries to another chain stand in tables and a summary of their own', async () => {
    const over = sampleJob({ blocks: 30, requests: 2, variants: 2, delays: [], deliverySeconds })
    await writeOutputs(over, sampleResults(over), { folder, formats })
    const csv = readCsv(at('deliveries.csv'))
    const parquet = await readParquet(at('deliveries.parquet'))
    const sqlite = readTable(
      at('results.sqlite'),
      `SELECT d.* FROM deliveries d JOIN requests r ON r.name = d.request JOIN variants v ON v.name = d.variant
       ORDER BY block_number, r.rowid, v.rowid, seconds`,
    )
    expect(csv.length).toBeGreaterThan(200)
    expect(parquet.map((row) => asText(row, String))).toEqual(csv)
    expect(sqlite.map((row) => asText(row, String))).toEqual(csv)
    const count = (status: string, seconds: number) =>
      csv.filter((row) => row.status === status && row.seconds === String(seconds)).length
    const summary: Pick<BacktestSummary, 'requests'> = JSON.parse(
      await readFile(at('summary.json'), 'utf8'),
    )
    for (const [index, seconds] of deliverySeconds.entries()) {
      for (const status of ['delivered', 'fallback', 'reverted', 'unknown'] as const) {
        const all = summary.requests.map(({ deliveries }) => deliveries[index]?.[status] ?? 0)
        expect(all.reduce((sum, one) => sum + one, 0)).toBe(count(status, seconds))
        expect(count(status, seconds)).toBeGreaterThan(0)
      }
    }
    const tables = readTable(
      at('results.sqlite'),
      'SELECT seconds, fallback FROM summary_deliveries WHERE variant IS NULL AND request IS NOT NULL',
    )
    expect(tables).toHaveLength(4)
    const [short] = csv.filter(({ status }) => status === 'delivered')
    const [quoted, out] = [Number(short?.amount_quoted), Number(short?.amount_out)]
    expect(Number(short?.shortfall_bps)).toBeCloseTo(((quoted - out) / quoted) * 10_000, 1)
    expect(await readFile(at('report.html'), 'utf8')).toContain('What would have arrived')
  })

  test('the tables of the summary are the summary', async () => {
    await writeOutputs(job, sampleResults(job), { folder, formats: ['sqlite', 'json'] })
    const { variants } = JSON.parse(await readFile(at('summary.json'), 'utf8'))
    for (const [measure, values] of [
      ['regret_bps', variants[1].regret],
      ['allowed_slippage_bps', variants[1].allowedSlippage],
    ] as const) {
      const [row] = readTable(
        at('results.sqlite'),
        `SELECT * FROM summary_distributions WHERE measure = '${measure}' AND request IS NULL AND variant = 'one hop'`,
      )
      expect({ ...row, count: Number(row?.count) }).toMatchObject(values)
    }
    const [delay] = readTable(
      at('results.sqlite'),
      "SELECT * FROM summary_delays WHERE delay = 3 AND request IS NULL AND variant = 'one hop'",
    )
    expect(delay?.fill_rate).toBe(variants[1].delays[1].fillRate)
    expect(Number(delay?.filled)).toBe(variants[1].delays[1].filled)
  })

  test('reproducible outputs of the same results have the same bytes, however long the runs took', async () => {
    const again = join(folder, 'again')
    const options = { reproducible: true }
    await writeOutputs(job, sampleResults(job), { folder, formats }, options)
    await writeOutputs(job, slower(job), { folder: again, formats }, options)
    for (const file of Object.values(outputFiles).flat()) {
      expect((await readFile(join(again, file))).equals(await readFile(at(file))), file).toBe(true)
    }
  })

  test('names that a spreadsheet would calculate are text in CSV, and as they are elsewhere', async () => {
    const name = '=HYPERLINK("http://evil.example","x")'
    const variant = '@SUM(1,\n2)'
    const hostile: BacktestJob = {
      ...job,
      plan: {
        ...job.plan,
        requests: job.plan.requests.slice(0, 1).map((request) => ({ ...request, name })),
        variants: [{ name: variant, router: {}, ignoreStandards: [] }],
        baseline: variant,
      },
    }
    await writeOutputs(hostile, sampleResults(hostile), { folder, formats: ['csv', 'parquet'] })
    const [row] = readCsv(at('routes.csv'))
    expect(row).toMatchObject({ request: `'${name}`, variant: `'${variant}` })
    expect(
      readCsv(at('routes.csv')).some(({ price_impact_bps: bps }) => bps?.startsWith('-')),
    ).toBe(true)
    const [exact] = await readParquet(at('routes.parquet'))
    expect(exact).toMatchObject({ request: name, variant })
  })

  test('results that end in an error leave what was there, and no part of a file', async () => {
    await writeFile(at('routes.csv'), 'of before')
    async function* broken() {
      yield* sampleResults(job)
      throw new RangeError('the store is gone')
    }
    await expect(writeOutputs(job, broken(), { folder, formats })).rejects.toThrow(
      'the store is gone',
    )
    expect(await readdir(folder)).toEqual(['routes.csv'])
    expect(await readFile(at('routes.csv'), 'utf8')).toBe('of before')
  })

  test('a folder that cannot be made is STORAGE_UNAVAILABLE', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(
      writeOutputs(job, sampleResults(job), {
        folder: join(folder, 'file', 'below'),
        formats: ['csv'],
      }),
    ).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })

  test('12,000 executions are two row groups of Parquet', async () => {
    const long = sampleJob({ blocks: 1_000, requests: 1, variants: 2, delays: [1, 2, 3, 4, 5, 6] })
    await writeOutputs(long, sampleResults(long), { folder, formats: ['parquet'] })
    const file = await asyncBufferFromFile(at('executions.parquet'))
    const { row_groups: groups, num_rows: rows } = await parquetMetadataAsync(file)
    expect(groups).toHaveLength(2)
    const read = await parquetReadObjects({ file })
    expect(BigInt(read.length)).toBe(rows)
    expect(read.at(-1)).toMatchObject({ block_number: 21_000_999n, delay: 6n })
  })

  test('without any block every file is there, empty', async () => {
    await writeOutputs(job, (async function* () {})(), { folder, formats })
    expect(await readParquet(at('routes.parquet'))).toEqual([])
    expect(readCsv(at('routes.csv'))).toEqual([])
    expect(await readFile(at('routes.csv'), 'utf8')).toMatch(/^block_number,request,variant,/)
    expect(JSON.parse(await readFile(at('summary.json'), 'utf8'))).toMatchObject({ blocks: 0 })
  })
})

test('streamOutput gives the bytes of the file', async () => {
  await writeOutputs(job, sampleResults(job), { folder, formats })
  for (const file of Object.values(outputFiles).flat()) {
    const body = streamOutput(file, job, sampleResults(job))
    const parts: Uint8Array[] = []
    for await (const part of body) parts.push(part)
    expect(Buffer.concat(parts).equals(await readFile(at(file))), file).toBe(true)
  }
})
