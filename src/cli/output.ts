/** What commands print: tables for people, JSON for programs. Answers go to standard output, all else to standard error. */
import Table from 'cli-table3'
import { bigintToString } from '../domain/primitives.js'

export interface OutputOptions {
  readonly json?: boolean
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, bigintToString, 2))
}

type Cell = string | number | null | undefined

/** Characters of a line where the terminal does not tell. */
const usualColumns = 100
/** A column that gives way to others keeps so many characters, its padding included. */
const leastColumn = 10

/**
 * On a terminal cells are wrapped so that a line fits; in a pipe each row of the table stays on its lines, so that programs
 * such as grep find it whole.
 * @param head - empty for a list of facts, whose first column is the name.
 */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const isPlain = !process.stdout.isTTY
  const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? '–'))))
  const table = new Table({
    head: [...head],
    style: isPlain ? { head: [], border: [] } : { head: ['cyan'], border: ['gray'] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    ...(!isPlain && {
      colWidths: columnWidths([head, ...texts], process.stdout.columns || usualColumns),
      wordWrap: true,
      wrapOnWordBoundary: false,
    }),
  })
  for (const row of texts) table.push(row)
  console.log(table.toString())
}

/**
 * Characters of each column with a blank on either side: what its longest line takes, or less of the widest ones where the
 * line of the table would be longer than `limit`.
 */
export function columnWidths(rows: readonly (readonly string[])[], limit: number): number[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      const longest = Math.max(...cell.split('\n').map((line) => line.length))
      widths[index] = Math.max(widths[index] ?? 0, longest + 2)
    }
  }
  const lines = widths.length + 1
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width, lines)
    const widest = Math.max(...widths)
    if (total <= limit || widest <= leastColumn) return widths
    widths[widths.indexOf(widest)] = widest - 1
  }
}

/** An address, hash or id by its first and last digits, such as 0x88e6…5640; all of a short one. */
export function shortHex(text: string): string {
  return /^0x[0-9a-fA-F]{12,}$/.test(text) ? `${text.slice(0, 6)}…${text.slice(-4)}` : text
}

/** Strips control characters: names come from chains and lists that anybody can write, and could control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, '')
}

/** Reports the current stage, and the fraction done, 0 to 1. */
export type Report = (message: string, fraction: number) => void

/**
 * Shows progress on standard error once the work takes over a second: one changing line on a terminal, a line per stage
 * in a pipe.
 */
export async function withProgress<T>(
  label: string,
  work: (report: Report) => Promise<T>,
): Promise<T> {
  const start = Date.now()
  const isTty = process.stderr.isTTY
  let stage = label
  let percent = ''
  const shown = new Set<string>()
  const show = () => {
    const seconds = Math.round((Date.now() - start) / 1_000)
    if (seconds < 1) return
    if (isTty) process.stderr.write(`\r\x1b[K${stage}${percent} … ${seconds} s`)
    else if (!shown.has(stage)) process.stderr.write(`${stage} …\n`)
    shown.add(stage)
  }
  const timer = setInterval(show, 500)
  try {
    return await work((message, fraction) => {
      const isDone = fraction >= 1
      stage = isDone ? label : `${label}: ${message}`
      percent = isDone ? '' : ` (${Math.round(fraction * 100)}%)`
      show()
    })
  } finally {
    clearInterval(timer)
    if (shown.size > 0 && isTty) process.stderr.write('\r\x1b[K')
  }
}

/**
 * Whole tokens as raw units.
 * @throws RangeError for anything but a positive decimal number with at most `decimals` decimals.
 */
export function parseUnits(text: string, decimals: number): bigint {
  const match = /^(\d{1,60})(?:\.(\d+))?$/.exec(text)
  const fraction = match?.[2] ?? ''
  if (!match || fraction.length > decimals) {
    throw new RangeError(
      `${text} is not an amount with at most ${decimals} decimals, such as 1000.5. Only raw units have exponents: they need --raw.`,
    )
  }
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`)
}

/**
 * Raw units; an exponent may follow, as in 1.5e18.
 * @throws RangeError for anything but a whole number of them.
 */
export function parseRaw(text: string): bigint {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,80})(?:\.(\d{1,80}))?(?:e\+?(\d{1,2}))?$/i.exec(text) ?? []
  if (whole === undefined || fraction.length > Number(exponent)) {
    throw new RangeError(`${text} is not a whole number of raw units, such as 1000 or 1e18.`)
  }
  return BigInt(`${whole}${fraction.padEnd(Number(exponent), '0')}`)
}
