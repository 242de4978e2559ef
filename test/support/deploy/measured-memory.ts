/** What docs/explanation/benchmarks.md says about the memory of one process with its forks. */
import { readFileSync } from 'node:fs'

/** MB of service and forks together, of each measurement of this version by one process. */
export function measuredMemory(): number[] {
  const found: number[] = []
  let columns: string[] = []
  for (const line of readFileSync('docs/explanation/benchmarks.md', 'utf8').split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim())
    if (cells.length < 3) columns = []
    else if (columns.length === 0) columns = cells
    else {
      const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
      const sum = Number(cell('service MB')) + Number(cell('forks MB'))
      const isOther = columns.includes('side') && cell('side') !== 'here'
      const isSeveral = columns.includes('processes') && cell('processes') !== '1'
      if (columns.includes('forks MB') && sum > 0 && !isOther && !isSeveral) found.push(sum)
    }
  }
  return found
}
