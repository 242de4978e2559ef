/** Reads CSV as RFC 4180 and spreadsheets write it. Pure. */

export interface CsvLine {
  /** Where it begins in the text, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** Lines without any text are left out. A quote inside a quoted cell is doubled; a line ends with LF, CRLF or CR. */
export function parseCsv(text: string): CsvLine[] {
  const lines: CsvLine[] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let line = 1
  let begin = 1
  const endLine = () => {
    cells.push(cell)
    if (cells.some((one) => one.trim() !== '')) lines.push({ line: begin, cells })
    cells = []
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    const isBreak = char === '\n' || char === '\r'
    if (isBreak && char === '\r' && text[at + 1] === '\n') continue
    if (isBreak) line += 1
    if (isQuoted) {
      if (char !== '"') cell += isBreak ? '\n' : char
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (char === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (char === ',') {
      cells.push(cell)
      cell = ''
    } else if (isBreak) {
      endLine()
      begin = line
    } else cell += char
  }
  endLine()
  return lines
}
