/** Writes what became of a file of trades: as JSON, CSV or Parquet. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { ConfigError } from '../../config/config.js'

export const outFormats = ['json', 'csv', 'parquet'] as const
export type OutFormat = (typeof outFormats)[number]

/** One trade and its quote. Amounts are raw units as decimal text: they do not fit any number of the formats. */
export interface TradeOutcome {
  readonly row: number
  readonly name: string | null
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string | null
  readonly amountOut: string | null
  /** Whole tokenOut; null where its decimals are not known. */
  readonly amountOutWhole: string | null
  readonly gas: string | null
  /** Basis points. */
  readonly priceImpact: number | null
  readonly blockNumber: number | null
  /** Protocols and pools on the way, with their shares in percent. */
  readonly route: string | null
  /** One line. */
  readonly warnings: string | null
  /** The code of the error; null for a quote. */
  readonly error: string | null
  readonly message: string | null
}

const columns = {
  row: 'integer',
  name: 'text',
  tokenIn: 'text',
  tokenOut: 'text',
  amountIn: 'text',
  amountOut: 'text',
  amountOutWhole: 'text',
  gas: 'integer',
  priceImpact: 'double',
  blockNumber: 'integer',
  route: 'text',
  warnings: 'text',
  error: 'text',
  message: 'text',
} as const satisfies Record<keyof TradeOutcome, 'integer' | 'double' | 'text'>
const names = Object.keys(columns) as (keyof TradeOutcome)[]

/** The format that the file's ending names. @throws ConfigError. */
export function formatOf(path: string): OutFormat {
  const format = outFormats.find((one) => extname(path).toLowerCase() === `.${one}`)
  if (format) return format
  const endings = outFormats.map((one) => `.${one}`).join(', ')
  throw new ConfigError([`--out: ${path} must end with one of ${endings}.`], 'command line')
}

/** The file gets its name only when it is complete. */
export async function writeOutcomes(path: string, outcomes: readonly TradeOutcome[]) {
  const part = `${path}.part`
  try {
    await writeFile(part, encode(formatOf(path), outcomes))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

function encode(format: OutFormat, outcomes: readonly TradeOutcome[]): string | Uint8Array {
  switch (format) {
    case 'json':
      return `${JSON.stringify(outcomes, null, 2)}\n`
    case 'csv':
      // Names come from the file, messages from contracts: text that a spreadsheet would run begins with an apostrophe.
      return stringify(
        outcomes.map((outcome) => names.map((name) => outcome[name])),
        { header: true, columns: names, escape_formulas: true, record_delimiter: '\r\n' },
      )
    case 'parquet':
      return parquet(outcomes)
  }
}

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
} as const

function parquet(outcomes: readonly TradeOutcome[]): Uint8Array {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: names.length },
      ...names.map((name) => ({
        name,
        repetition_type: 'OPTIONAL' as const,
        ...types[columns[name]],
      })),
    ],
    createdBy: 'forkroute',
  })
  const columnData = names.map((name) => ({
    name,
    data: outcomes.map((outcome) => {
      const value = outcome[name]
      return columns[name] === 'integer' && value !== null ? BigInt(value) : value
    }),
  }))
  // Resolved at once, as everything of a writer into memory.
  void writer.write({ columnData, rowGroupSize: outcomes.length })
  void writer.finish()
  return bytes.getBytes()
}
