/** What commands print: tables for people, JSON for programs. Answers go to standard output, all else to standard error. */
import Table from 'cli-table3'

export interface OutputOptions {
  readonly json?: boolean
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

/** @param head - empty for a list of facts, whose first column is the name. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
): void {
  const isPlain = !process.stdout.isTTY
  const table = new Table({
    head: [...head],
    style: isPlain ? { head: [], border: [] } : { head: ['cyan'], border: ['gray'] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  })
  for (const row of rows) table.push(row.map((cell) => String(cell ?? '–')))
  console.log(table.toString())
}

/** Says on standard error what is going on, once it takes over a second. */
export async function withProgress<T>(label: string, work: Promise<T>): Promise<T> {
  const start = Date.now()
  const isTty = process.stderr.isTTY
  let shown = false
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1_000)
    if (isTty) process.stderr.write(`\r${label} … ${seconds} s`)
    else if (!shown) process.stderr.write(`${label} …\n`)
    shown = true
  }, 1_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (shown && isTty) process.stderr.write('\r\x1b[K')
  }
}

/** Shows the stages of the sandbox build: one line on a terminal, a line per stage in a pipe. */
export function progressLine(): (message: string, fraction: number) => void {
  const isTty = process.stderr.isTTY
  let last = ''
  return (message, fraction) => {
    const percent = `${Math.round(fraction * 100)}`.padStart(3)
    if (isTty) process.stderr.write(`\r\x1b[Ksandbox ${percent}% ${message}`)
    else if (message !== last) process.stderr.write(`sandbox ${percent}% ${message}\n`)
    if (isTty && fraction >= 1) process.stderr.write('\r\x1b[K')
    last = message
  }
}

/** Raw units as whole tokens, exact, without trailing zeros. */
export function formatUnits(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction ? `${whole}.${fraction}` : whole
}

/**
 * Whole tokens as raw units.
 * @throws RangeError for anything but a positive decimal number with at most `decimals` decimals.
 */
export function parseUnits(text: string, decimals: number): bigint {
  const match = /^(\d{1,60})(?:\.(\d+))?$/.exec(text)
  const fraction = match?.[2] ?? ''
  if (!match || fraction.length > decimals) {
    throw new RangeError(`${text} is not an amount with at most ${decimals} decimals.`)
  }
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`)
}
