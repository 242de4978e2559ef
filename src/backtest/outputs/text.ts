/** CSV and JSON: the formats that are text. */
import { stringify } from 'csv-stringify/sync'
import { bigintToString } from '../../domain/primitives.js'
import type { CreateEncoder, Encoder } from './encoder.js'
import { noBytes, utf8 } from './encoder.js'
import type { RecordTable } from './records.js'

/**
 * A header, then a line per record. Text that a spreadsheet would take for a formula begins with an apostrophe: names
 * come from plans, reasons from contracts that anybody deploys.
 */
export function csvEncoder<Block>({ columns, recordsOf }: RecordTable<Block>): Encoder<Block> {
  const options = {
    escape_formulas: true,
    record_delimiter: '\r\n',
    cast: { boolean: String },
  } as const
  let hasHeader = false
  const header = (): string => {
    if (hasHeader) return ''
    hasHeader = true
    return stringify([columns.map(({ name }) => name)], options)
  }
  return {
    add: (block) => utf8(header() + stringify([...recordsOf(block)], options)),
    end: () => utf8(header()),
  }
}

/** An object per row of the results, with the facts of its block. Amounts are decimal strings. */
export const jsonLinesEncoder: CreateEncoder = (_job, { reproducible = false }) => ({
  add: ({ blockNumber, blockHash, timestamp, rows }) =>
    utf8(
      rows
        .map(({ blockNumber: _, milliseconds, request, variant, outcome, executions }) => ({
          blockNumber: Number(blockNumber),
          blockHash,
          timestamp: Number(timestamp),
          request,
          variant,
          outcome,
          executions,
          ...(!reproducible && { milliseconds }),
        }))
        .map((row) => `${JSON.stringify(row, bigintToString)}\n`)
        .join(''),
    ),
  end: () => noBytes,
})

/** The plan and the summary as one object. */
export const summaryEncoder: CreateEncoder = ({ plan }, _options, wantSummary) => {
  const summary = wantSummary()
  return {
    add: () => noBytes,
    end: async () => utf8(`${JSON.stringify({ plan, ...(await summary()) }, bigintToString, 2)}\n`),
  }
}
