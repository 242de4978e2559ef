/** The files of a job of hindsight, read back. */
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { streamOutput } from '../../../src/backtest/outputs/index.js'
import type { ResultFile } from '../../../src/domain/backtest.js'
import { hindsightBlockOf, hindsightPlanOf } from '../../support/backtest/hindsight-blocks.js'

const plan = hindsightPlanOf()
const numbers = [10n, 11n, 12n]

async function* results() {
  for (const number of numbers) yield hindsightBlockOf(number)
}

async function read(file: ResultFile): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of streamOutput(file, { plan }, results())) parts.push(part)
  return Buffer.concat(parts)
}

const transactions = numbers.flatMap((number) => hindsightBlockOf(number).transactions)

describe('the files of hindsight', () => {
  test('Parquet has a row per transaction, with the amounts as they were', async () => {
    const file = new Uint8Array(await read('transactions.parquet')).buffer
    const rows = await parquetReadObjects({ file })
    expect(rows).toHaveLength(transactions.length)
    for (const [index, row] of rows.entries()) {
      const one = transactions[index]
      const own = one?.atItsPlace && 'amountOut' in one.atItsPlace ? one.atItsPlace : null
      expect(row).toMatchObject({
        block_number: one?.blockNumber,
        hash: one?.hash,
        status: one?.status,
        gas_used: one?.gasUsed,
        amount_in: one?.swap?.amountIn.toString() ?? null,
        amount_out: one?.swap?.amountOut.toString() ?? null,
        no_swap: one?.noSwap,
        at_its_place_amount_out: own?.amountOut.toString() ?? null,
        at_its_place_net_bps: own?.netBps ?? null,
        at_its_place_result: own?.result ?? null,
        sandwich_loss: one?.sandwich?.loss?.toString() ?? null,
      })
    }
  })

  test('CSV escapes what a spreadsheet would calculate', async () => {
    const lines = (await read('transactions.csv')).toString().trim().split('\r\n')
    expect(lines).toHaveLength(transactions.length + 1)
    expect(lines[7]).toContain("'=the sender gives 2 tokens")
  })

  test('lines of JSON have the facts of their block', async () => {
    const lines = (await read('results.jsonl')).toString().trim().split('\n')
    expect(lines).toHaveLength(transactions.length)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      blockNumber: 10,
      timestamp: 1_700_000_010,
      swap: { amountIn: '1000000000000000000' },
    })
  })

  test('the report has the charts and tables of the summary, and nothing that is loaded', async () => {
    const page = (await read('report.html')).toString()
    for (const words of [
      'Won, tied and lost, by venue',
      'Ours over theirs after gas, bps',
      'Ours over theirs after gas by venue, bps',
      'Loss of sandwiched swaps, bps',
      'Block 11: one is left out.',
    ]) {
      expect(page).toContain(words)
    }
    expect(page).not.toMatch(/<script|src=|NaN|undefined|Infinity/)
    expect(page.match(/ id="([^"]+)"/g)?.length).toBe(new Set(page.match(/ id="([^"]+)"/g)).size)
  })

  test('a file of backtests is refused', async () => {
    await expect(read('routes.csv')).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })
})
