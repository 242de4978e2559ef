/** The files of a job of hindsight, by their names. */
import type { ResultFile } from '../../domain/backtest.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { HindsightBlock, HindsightPlan } from '../../domain/hindsight.js'
import { bigintToString } from '../../domain/primitives.js'
import { createHindsightSummary } from '../hindsight-summary.js'
import { type Encoder, noBytes, utf8 } from './encoder.js'
import { transactionsTable } from './hindsight-table.js'
import { parquetEncoder } from './parquet.js'
import { hindsightReport } from './report/hindsight-report.js'
import { csvEncoder } from './text.js'

/** @throws ForkrouteError INVALID_REQUEST for a file that only backtests have. */
export function hindsightEncoder(file: ResultFile, plan: HindsightPlan): Encoder<HindsightBlock> {
  switch (file) {
    case 'results.jsonl':
      return jsonLinesEncoder
    case 'transactions.csv':
      return csvEncoder(transactionsTable())
    case 'transactions.parquet':
      return parquetEncoder(plan, transactionsTable())
    case 'report.html':
      return hindsightReport(plan)
    case 'summary.json':
      return summaryEncoder(plan)
    default:
      throw invalidRequest([`Hindsight has no ${file}.`])
  }
}

/** An object per transaction, with the facts of its block. Amounts are decimal strings. */
const jsonLinesEncoder: Encoder<HindsightBlock> = {
  add: ({ blockNumber, blockHash, timestamp, transactions }) =>
    utf8(
      transactions
        .map(({ blockNumber: _, ...facts }) => ({
          blockNumber: Number(blockNumber),
          blockHash,
          timestamp: Number(timestamp),
          ...facts,
        }))
        .map((one) => `${JSON.stringify(one, bigintToString)}\n`)
        .join(''),
    ),
  end: () => noBytes,
}

/** The plan and the summary as one object. */
function summaryEncoder(plan: HindsightPlan): Encoder<HindsightBlock> {
  const summary = createHindsightSummary()
  return {
    add(block) {
      summary.add(block)
      return noBytes
    },
    end: () => utf8(`${JSON.stringify({ plan, ...summary.finish() }, bigintToString, 2)}\n`),
  }
}
