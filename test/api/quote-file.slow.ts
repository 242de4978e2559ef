/** `forkroute quote --file`: trades of a file, quoted in calls of many. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli as run } from '../support/cli.js'
import { blockNumber, dai, sender, startTestApi, usdc, weth } from './test-api.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forkroute-quote-file-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

function fileOf(text: string, name = 'trades.csv'): string {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}

describe('forkroute quote --file', () => {
  test('JSON, CSV and Parquet hold the same quotes; failures are rows, and end with 1', async () => {
    const api = await startTestApi()
    const out = folder()
    const paths = ['json', 'csv', 'parquet'].map((format) => join(out, `quotes.${format}`))
    // As a spreadsheet saves it: a mark of the byte order, CRLF, quoted cells with commas and line breaks.
    const file = fileOf(
      '\uFEFFname,amount,tokenIn,tokenOut\r\n' +
        '"a, ""b""\r\nc",1.5,usdc,WETH\r\n' +
        '\r\n' +
        `=1+1,2,${dai},${usdc.toUpperCase().replace('0X', '0x')}\r\n` +
        'none,1,NOPE,WETH\r\n' +
        'fraction,0.0000001,USDC,WETH',
    )
    const outcome = await run(['quote', '--file', file, '--out', ...paths, '--url', api.url])
    expect(outcome.code, outcome.err).toBe(1)
    expect(outcome.err).toContain('2 of 4 trades are quoted; 2 failed')
    expect(outcome.out).toBe('')
    expect(api.asked.batches).toHaveLength(1)
    expect(api.asked.quotes).toMatchObject([
      { inputs: [{ token: usdc, amount: 1_500_000n }], tokensOut: [weth] },
      { inputs: [{ token: dai, amount: 2n * 10n ** 18n }], tokensOut: [usdc] },
    ])
    const [json = '', csv = '', parquet = ''] = paths
    const rows = JSON.parse(readFileSync(json, 'utf8'))
    expect(rows).toMatchObject([
      {
        row: 2,
        name: 'a, "b"\nc',
        tokenIn: usdc,
        amountIn: '1500000',
        amountOut: (2n ** 200n).toString(),
        gas: '150000',
        priceImpact: 12.5,
        blockNumber,
        route: `uniswap-v2 ${weth}`,
        error: null,
      },
      { row: 5, name: '=1+1', error: null },
      { row: 6, error: 'INVALID_REQUEST', amountOut: null },
      { row: 7, error: 'INVALID_REQUEST' },
    ])
    expect(rows[2].message).toContain('called NOPE')
    expect(rows[3].message).toContain('with at most 6 decimals')
    const lines = readFileSync(csv, 'utf8')
    expect(lines.split('\r\n')[0]).toBe(Object.keys(rows[0]).join(','))
    // Text that a spreadsheet would run.
    expect(lines).toContain("'=1+1")
    const bytes = readFileSync(parquet)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const records = await parquetReadObjects({ file: buffer as ArrayBuffer })
    expect(
      JSON.parse(
        JSON.stringify(records, (_key, one) => (typeof one === 'bigint' ? Number(one) : one)),
      ),
    ).toEqual(
      rows.map((row: { gas: string | null }) => ({ ...row, gas: row.gas && Number(row.gas) })),
    )
  })

  test('many trades: calls of fifty at the block of the first, a block of their own elsewhere, in the order of the file', async () => {
    const api = await startTestApi()
    const trades = Array.from({ length: 120 }, (_trade, index) => ({
      amount: String(index + 1),
      tokenIn: weth,
      tokenOut: dai,
      from: sender,
      ...(index === 7 && { block: '17' }),
    }))
    const file = fileOf(JSON.stringify(trades), 'trades.json')
    const outcome = await run(['quote', '--file', file, '--raw', '--json', '--url', api.url])
    expect(outcome.code, outcome.err).toBe(0)
    const rows: { amountIn: string; blockNumber: number }[] = JSON.parse(outcome.out)
    expect(rows.map(({ amountIn }) => amountIn)).toEqual(trades.map(({ amount }) => amount))
    expect(rows.map((row) => row.blockNumber).filter((number) => number !== blockNumber)).toEqual([
      17,
    ])
    expect(api.asked.batches.map((batch) => batch.blockNumber)).toEqual([
      undefined,
      ...[BigInt(blockNumber), BigInt(blockNumber), 17n],
    ])
  })

  test('a service that is asked too often is asked for less, later', async () => {
    const sizes: number[] = []
    const server = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk) => chunks.push(chunk))
      req.on('end', () => {
        const { quotes } = JSON.parse(Buffer.concat(chunks).toString())
        sizes.push(quotes.length)
        const isRefused = quotes.length > 20
        res.writeHead(isRefused ? 429 : 200, isRefused ? { 'retry-after': '0' } : {})
        const quote = { amountOut: '1', gas: '2', route: [] }
        const refusal = { message: 'The key is over its request rate.', code: 'RATE_LIMITED' }
        const batch = { blockNumber: 5, quotes: quotes.map(() => quote) }
        res.end(JSON.stringify(isRefused ? refusal : batch))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const native = `0x${'ee'.repeat(20)}`
    const lines = Array.from({ length: 60 }, () => `1,${native},ETH`)
    const file = fileOf(['amount,tokenIn,tokenOut', ...lines].join('\n'))
    const outcome = await run(['quote', '--file', file, '--json', '--url', url])
    expect(outcome.code, outcome.err).toBe(0)
    expect(JSON.parse(outcome.out)).toHaveLength(60)
    expect(sizes).toEqual([50, 25, 12, 12, 12, 12, 12])
  })

  test.each([
    ['amount,tokenIn\n1,WETH', 'tokenOut is missing'],
    ['amount,tokenIn,tokenOut,chian\n1,WETH,DAI,1', '"chian" is no column of trades'],
    ['amount,tokenIn,tokenOut\n1,WETH,DAI\n1,WETH\n,WETH,DAI', 'row 3: it has 2 cells, not 3'],
    ['amount,tokenIn,tokenOut\n,WETH,DAI', 'row 2: amount is missing'],
    ['amount,tokenIn,tokenOut\n', 'it holds no trades'],
    ['[1', 'it begins like JSON, and is none'],
    ['[1]', 'row 1: it must be an object'],
  ])('%j is refused before anybody is asked', async (text, problem) => {
    const outcome = await run(['quote', '--file', fileOf(text), '--url', 'http://127.0.0.1:9'])
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toContain(problem)
  })

  test('a service that does not answer ends the command; an ending that is no format is refused', async () => {
    const file = fileOf('amount,tokenIn,tokenOut\n1,WETH,DAI')
    const dead = await run(['quote', '--file', file, '--url', 'http://127.0.0.1:65534'])
    expect(dead.err).toMatch(/does not answer .*\. Without --url a service is started/)
    const wrong = await run(['quote', '--file', file, '--out', 'a.xls', '--url', 'x'])
    expect(wrong.err).toContain('--out: a.xls must end with one of .json, .csv, .parquet')
    const neither = await run(['quote', '1', 'WETH', '--url', 'http://127.0.0.1:9'])
    expect(neither.err).toContain('Give an amount and two tokens, or --file')
  })
})
