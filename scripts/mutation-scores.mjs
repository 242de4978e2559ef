// Prints what the mutation tests have found so far, folder by folder, as the table of docs/develop/testing.md.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

const report = new URL('../reports/stryker-incremental.json', import.meta.url)
const { files } = JSON.parse(readFileSync(report, 'utf8'))
const counted = ['Killed', 'Survived', 'Timeout', 'NoCoverage', 'Ignored']
const folders = new Map()
for (const [file, { mutants }] of Object.entries(files)) {
  const counts = folders.get(dirname(file)) ?? Object.fromEntries(counted.map((name) => [name, 0]))
  for (const { status } of mutants) counts[status] = (counts[status] ?? 0) + 1
  folders.set(dirname(file), counts)
}

function row(name, { Killed, Survived, Timeout, NoCoverage, Ignored }) {
  const all = Killed + Survived + Timeout + NoCoverage
  const score = all ? ((100 * (Killed + Timeout)) / all).toFixed(1) : '–'
  const cells = [name, all, Killed, Timeout, Survived, NoCoverage, Ignored, `${score} %`]
  return `| ${cells.join(' | ')} |`
}

const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1))
const sum = Object.fromEntries(
  counted.map((name) => [name, rows.reduce((total, [, counts]) => total + counts[name], 0)]),
)
console.log('| folder | mutants | killed | timeout | survived | no coverage | ignored | score |')
console.log('|---|---|---|---|---|---|---|---|')
for (const [folder, counts] of rows) console.log(row(folder, counts))
console.log(row('all', sum))
