/** Reads the trades of `forkroute quote --file`: CSV with a header, or a JSON array of objects with the same names. */
import { ConfigError } from '../../config/config.js'
import { readTextFile } from '../text-file.js'
import { parseCsv } from './csv.js'

/** Bytes and trades of one file. */
const maxBytes = 16 * 1_048_576
const maxTrades = 20_000
/** Most problems that are printed; the rest is only counted. */
const maxProblems = 20

const needed = ['amount', 'tokenIn', 'tokenOut'] as const
const optional = ['name', 'from', 'block', 'strategy', 'fee'] as const

export interface TradeRow {
  /** Line of a CSV, or place in a JSON array from 1. */
  readonly row: number
  /** Whole tokens, or raw units with --raw. */
  readonly amount: string
  /** Symbol or address. */
  readonly tokenIn: string
  readonly tokenOut: string
  readonly name?: string
  /** Sender; its funds do not matter. */
  readonly from?: string
  /** Takes the values that --block takes. */
  readonly block?: string
  readonly strategy?: string
  /** Basis points. */
  readonly fee?: string
}

/** @throws ConfigError for a file that cannot be read, or holds no trades; it names every wrong row. */
export async function readTrades(path: string): Promise<readonly TradeRow[]> {
  const text = await readTextFile(path)
  if (text.length > maxBytes) throw refused([`${path} is longer than ${maxBytes} bytes.`])
  return parseTrades(text)
}

/** @throws ConfigError. */
export function parseTrades(text: string): readonly TradeRow[] {
  const body = text.replace(/^\uFEFF/, '')
  const rows = /^\s*\[/.test(body) ? fromJson(body) : fromCsv(body)
  const problems = rows.flatMap(({ row, fields }) => [
    ...needed
      .filter((name) => !fields[name]?.trim())
      .map((name) => `row ${row}: ${name} is missing.`),
  ])
  if (rows.length === 0) problems.push('it holds no trades.')
  if (rows.length > maxTrades) problems.push(`it holds more than ${maxTrades} trades.`)
  if (problems.length) throw refused(problems)
  return rows.map(({ row, fields }) => {
    const given = [...needed, ...optional].map((name) => [name, fields[name]?.trim()])
    return { row, ...Object.fromEntries(given.filter(([, value]) => value)) } as TradeRow
  })
}

interface Row {
  readonly row: number
  readonly fields: Readonly<Record<string, string>>
}

function fromCsv(text: string): Row[] {
  const [header, ...lines] = parseCsv(text)
  const names = (header?.cells ?? []).map((name) => name.trim())
  const missing = needed.filter((name) => !names.includes(name))
  if (missing.length) {
    throw refused([
      `its first line must name the columns ${needed.join(', ')}; ${missing.join(', ')} is missing.`,
    ])
  }
  refuseUnknown(names)
  const wrong = lines.filter(({ cells }) => cells.length !== names.length)
  if (wrong.length) {
    throw refused(
      wrong.map(
        ({ line, cells }) => `row ${line}: it has ${cells.length} cells, not ${names.length}.`,
      ),
    )
  }
  return lines.map(({ line, cells }) => ({
    row: line,
    fields: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
  }))
}

function fromJson(text: string): Row[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused(['it begins like JSON, and is none.'])
  }
  const items = value as readonly unknown[]
  const wrong = items.flatMap((item, index) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? []
      : [`row ${index + 1}: it must be an object.`],
  )
  if (wrong.length) throw refused(wrong)
  const rows = items.map((item, index) => ({
    row: index + 1,
    fields: Object.fromEntries(
      Object.entries(item as object).map(([name, field]) => [name, textOf(field)]),
    ),
  }))
  refuseUnknown([...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))])
  return rows
}

/** A number that JSON cannot carry exactly is no amount, and so refused later as the text it becomes. */
function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

function refuseUnknown(names: readonly string[]): void {
  const known: readonly string[] = [...needed, ...optional]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length) {
    throw refused([
      `${unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')} is no column of trades; there are ${known.join(', ')}.`,
    ])
  }
  const twice = names.filter((name, index) => names.indexOf(name) < index)
  if (twice.length) throw refused([`the column ${twice.join(', ')} is there twice.`])
}

function refused(problems: readonly string[]): ConfigError {
  const more = problems.length - maxProblems
  return new ConfigError(
    [...problems.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more.`] : [])],
    'file',
  )
}
