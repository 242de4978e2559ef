/**
 * How the source stands against what it should become: the table of docs/explanation/architecture.md, and the names behind it.
 *   npm run house                  prints both; ends with 1 where the table of the document is older than the source
 *   npm run house -- --write       writes the table into the document
 *   npm run house -- --at <folder> the figures of another checkout, as `measured-before.json` has them
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countedByHand, misplaced } from './house/by-hand.js'
import { type Figures, isMeasured, measure } from './house/measure.js'
import { outdatedReasons, withoutReason } from './house/module-state.js'
import { counted, tableOf, withTable } from './house/table.js'

const documentPath = 'docs/explanation/architecture.md'
const beforePath = new URL('./house/measured-before.json', import.meta.url)

const { values } = parseArgs({ options: { write: { type: 'boolean' }, at: { type: 'string' } } })
const figures = measureIn(values.at ?? '.')
if (values.at === undefined) compare()
else console.log(JSON.stringify(counted(figures), null, 2))

function measureIn(root: string): Figures {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter(isMeasured)
    .sort()
  return measure(paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
}

function compare(): void {
  const before: readonly string[] = JSON.parse(readFileSync(beforePath, 'utf8'))
  const table = tableOf(before, figures, countedByHand)
  console.log(`${table}\n\n${namesOf(figures)}`)
  const problems = [...misplaced(countedByHand, textOf), ...outdatedReasons(figures.moduleCaches)]
  const document = readFileSync(documentPath, 'utf8')
  const renewed = withTable(document, table)
  if (values.write) writeFileSync(documentPath, renewed)
  else if (renewed !== document) {
    problems.push(`The table of ${documentPath} is older than the source: npm run house -- --write`)
  }
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function namesOf({ longFunctions, longestFiles, fullestFolders, ...more }: Figures): string {
  const list = (title: string, lines: readonly string[]) => [`${title}:`, ...lines.map(indented)]
  return [
    ...list(
      'Longest functions',
      longFunctions.slice(0, 10).map(({ name, path, lines }) => `${lines} ${name}, ${path}`),
    ),
    ...list('Longest files', longestFiles.map(counts)),
    ...list('Fullest folders', fullestFolders.map(counts)),
    ...list('Changed by functions, held by modules', withoutReason(more.moduleCaches)),
    ...list('More than four parameters', more.manyParameters),
  ].join('\n')
}

function counts([path, count]: readonly [string, number]): string {
  return `${count} ${path}`
}

function indented(line: string): string {
  return `  ${line}`
}
