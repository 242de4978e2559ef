/**
 * Reads README.md, CONTRIBUTING.md and docs as a reader does: long sentences, phrases that read as if translated, sentences
 * without a subject, headings in title case, and links that lead nowhere.
 *   npm run prose                    figures of each page; ends with 1 where a page is over its limit or a link is broken
 *   npm run prose -- docs/api.md     each finding of these pages, with its line
 *   npm run prose -- --write         lowers limits to what is left; it raises none, and a new page starts at 0
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brokenLinks } from './prose/links.js'
import { type Kind, kinds, measureProse, type PageProse } from './prose/measure.js'

/** Written by scripts and tests, or history that is not rewritten. */
const notJudged = new Set([
  'CHANGELOG.md',
  'docs/configuration.md',
  'docs/decisions.md',
  'docs/endpoints.md',
  'docs/errors.md',
  'docs/first-day.md',
  'docs/front-runs.md',
  'docs/metrics.md',
  'docs/protocols.md',
])
const limitsPath = new URL('./prose/limits.json', import.meta.url)

const titles: Readonly<Record<Kind, string>> = {
  long: 'sentences of more than 25 words',
  banned: 'banned phrases',
  beginnings: 'sentences without a subject',
  headings: 'headings in title case',
}

type Limits = Readonly<Record<string, readonly number[]>>

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' }, quiet: { type: 'boolean' } },
  allowPositionals: true,
})
const pages = readPages()
const judged = [...pages].filter(([path]) => !path.startsWith('src/') && !notJudged.has(path))
const measured = new Map(judged.map(([path, text]) => [path, measureProse(text)]))
const limits: Limits = JSON.parse(readFileSync(limitsPath, 'utf8'))

if (positionals.length > 0) {
  for (const path of positionals) printFindings(path, measured.get(path))
} else {
  if (!values.quiet) printTable()
  if (values.write) writeLimits()
  const problems = [...overLimits(), ...linkProblems()]
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

function readPages(): ReadonlyMap<string, string> {
  const below = ['docs', 'src'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.md')),
  )
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below.sort()]
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}

function countsOf(prose: PageProse): readonly number[] {
  return kinds.map((kind) => prose[kind].length)
}

function overLimits(): string[] {
  return [...measured].flatMap(([path, prose]) =>
    kinds.flatMap((kind, index) => {
      const limit = limits[path]?.[index] ?? 0
      const count = prose[kind].length
      if (count <= limit) return []
      return [`${path}: ${count} ${titles[kind]}, at most ${limit}: npm run prose -- ${path}`]
    }),
  )
}

function linkProblems(): string[] {
  return [...pages.keys()].flatMap((path) =>
    brokenLinks(path, pages, existsSync).map(({ line, what }) => `${path}:${line}: ${what}`),
  )
}

function writeLimits(): void {
  const rows = [...measured]
    .map(([path, prose]): readonly [string, readonly number[]] => [
      path,
      countsOf(prose).map((count, index) => Math.min(count, limits[path]?.[index] ?? 0)),
    ])
    .filter(([, counts]) => counts.some((count) => count > 0))
    .map(([path, counts]) => `  ${JSON.stringify(path)}: [${counts.join(', ')}]`)
  writeFileSync(limitsPath, `{\n${rows.join(',\n')}\n}\n`)
}

function printTable(): void {
  console.log('sentences  over 25  mean  banned  no subject  title case  page')
  const rows = [...measured].map(([path, prose]) => rowOf(path, [prose]))
  console.log([...rows, rowOf('all pages', [...measured.values()])].join('\n'))
}

function rowOf(name: string, proses: readonly PageProse[]): string {
  const sum = (count: (prose: PageProse) => number) =>
    proses.reduce((total, prose) => total + count(prose), 0)
  const sentences = sum((prose) => prose.sentences)
  const mean = sentences === 0 ? 0 : sum((prose) => prose.words) / sentences
  const [long = 0, ...others] = kinds.map((kind) => sum((prose) => prose[kind].length))
  const [phrases = 0, beginnings = 0, headings = 0] = others
  return [
    String(sentences).padStart(9),
    String(long).padStart(7),
    mean.toFixed(1).padStart(4),
    String(phrases).padStart(6),
    String(beginnings).padStart(10),
    String(headings).padStart(10),
    name,
  ].join('  ')
}

function printFindings(path: string, prose: PageProse | undefined): void {
  if (!prose) throw new Error(`${path} is no page that is judged`)
  for (const { line, what } of kinds.flatMap((kind) => prose[kind])) {
    console.log(`${path}:${line}: ${what}`)
  }
}
