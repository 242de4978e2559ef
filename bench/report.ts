/**
 * What the bench leaves behind: bench/results/latest.json and docs/explanation/benchmarks.md. Both are kept by part, so that
 * running one part replaces its own figures and leaves the others as they were measured.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { anvilBinary } from '../src/forks/anvil.js'
import type { Section } from './section.js'

export interface PartReport {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly commit: string
  readonly machine: string
  readonly sections: readonly Section[]
}

/** They change with every run. */
const measuredPages = ['benchmarks', 'league'].map((name) => `docs/explanation/${name}.md`)

const results = new URL('./results/latest.json', import.meta.url)
const page = new URL('../docs/explanation/benchmarks.md', import.meta.url)

const introduction = `<!-- Written by npm run bench: a part that is run replaces its own section. -->
# Benchmarks

What counts are ratios within one run; absolute figures belong to the machine that is named with them. Every part
builds its own setup on the sandbox and needs no network but the npm registry. What bounds the figures, and which levers
gave nothing: [speed.md](speed.md).

\`\`\`sh
npm ci && npm run bench                                    # all parts
npm run bench -- alternatives                              # one part: only its section here changes
BENCH_NODE_URL=http://… npm run bench -- cold alternatives # against a node of chain 1 instead of the sandbox
\`\`\`
`

/** Date, commit and machine of the figures that are measured now. */
export function provenance(): Omit<PartReport, 'sections'> {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged =
    git('status', '--porcelain', '--', '.', ...measuredPages.map((path) => `:!${path}`)) !== ''
  const anvil = /\d+\.\d+\.\d+/.exec(
    execFileSync(anvilBinary(), ['--version'], { encoding: 'utf8' }),
  )
  const [cpu] = cpus()
  return {
    at: new Date().toISOString(),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with local changes' : ''}`,
    machine: [
      `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
      `${Math.round(totalmem() / 2 ** 30)} GB`,
      `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ''}`.trim(),
      `Node ${process.versions.node}`,
      `Anvil ${anvil?.[0] ?? 'unknown'}`,
    ].join(', '),
  }
}

/** Replaces one part in the JSON and on the page. @param order - names of all parts, as the page lists them. */
export function keepReport(name: string, report: PartReport, order: readonly string[]): void {
  mkdirSync(new URL('.', results), { recursive: true })
  const kept = JSON.parse(readOr(results, '{}')) as Record<string, PartReport>
  writeFileSync(results, `${JSON.stringify({ ...kept, [name]: report }, null, 2)}\n`)
  writeFileSync(page, updatePage(readOr(page, ''), name, report, order))
}

/** The page with the part replaced or added; parts that `order` does not name are dropped. */
export function updatePage(
  text: string,
  name: string,
  report: PartReport,
  order: readonly string[],
): string {
  const parts = new Map(
    [...text.matchAll(/<!-- part (.+) -->\n([\s\S]*?)<!-- end -->/g)].map(
      ([, key = '', body = '']) => [key, body],
    ),
  )
  parts.set(name, partText(name, report))
  const blocks = order.flatMap((key) => {
    const body = parts.get(key)
    return body === undefined ? [] : [`<!-- part ${key} -->\n${body}<!-- end -->\n`]
  })
  return [introduction, ...blocks].join('\n')
}

/** A part as Markdown: its title, where it was measured, and its tables. */
export function partText(name: string, { at, commit, machine, sections }: PartReport): string {
  const measured = `Measured ${at.slice(0, 10)} at ${commit}: ${machine}.`
  return [`## ${name}`, measured, ...sections.map(sectionText)].join('\n\n').concat('\n')
}

function sectionText({ name, about, rows }: Section): string {
  const head = Object.keys(rows[0] ?? {})
  const line = (cells: readonly unknown[]) =>
    `| ${cells.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const table = [head, head.map(() => '---'), ...rows.map((row) => head.map((key) => row[key]))]
  const body = rows.length ? table.map(line).join('\n') : 'None.'
  return [`### ${name}`, ...(about ? [about] : []), body].join('\n\n')
}

function readOr(file: URL, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}
