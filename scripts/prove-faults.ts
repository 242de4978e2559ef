/**
 * `npm run prove:faults -- --seconds 600 --row '20 %'`: the service in front of nodes that fail in every way
 * (`test/support/nodes/bad-node.ts`). Of each row, quotes six at a time for so long, no two of the same pair at the same
 * block, and again with a fork killed every five seconds; compared to the byte with those of a healthy node.
 *
 * Prints the table, and writes it to docs/explanation/reliability.md where all rows are run or with `--write`; exits 1 where a row
 * misses its target. All rows take eight hours.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { quantile } from '../bench/section.js'
import { errorCodes } from '../src/domain/errors.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { healthyRow, type Row, rows } from './faults/rows.js'
import { type Asked, answersOf, type Run, runSteadily } from './faults/steady.js'

const { values } = parseArgs({
  options: {
    /** Of each run. */
    seconds: { type: 'string', default: '600' },
    /** Of the table, by name, as often as there are rows to run; default: all. */
    row: { type: 'string', multiple: true, default: [] },
    /** Time between two forks that are killed in the second run of a row. */
    'kill-every': { type: 'string', default: '5' },
    /** `without`, `with`: only the run without or with forks killed. */
    forks: { type: 'string', default: 'both' },
    /** Writes the rows that are run, and leaves the others of the table as they are. */
    write: { type: 'boolean', default: false },
    /** Tells at each tenth of a run what the service says of its nodes. */
    watch: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const killEverySeconds = Number(values['kill-every'])
const unknown = values.row.filter((name) => !rows.some((row) => row.name === name))
if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}.`)
const chosen = rows.filter(({ name }) => values.row.length === 0 || values.row.includes(name))
const kills = [null, killEverySeconds].filter((one) =>
  values.forks === 'both' ? true : (one === null) === (values.forks === 'without'),
)

const percentile = (all: readonly number[], share: number): number =>
  quantile(
    all.toSorted((a, b) => a - b),
    share,
  )

interface Judged {
  readonly line: string
  readonly isMet: boolean
}

function judge(row: Row, run: Run, healthy: Run, expected: ReadonlyMap<number, Asked>): Judged {
  const { asked } = run
  const kinds = asked.map((one) => kindOf(one, expected.get(one.index)))
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  const errors = new Map<string, number>()
  for (const { status, code } of asked) {
    if (status !== 200) errors.set(`${status} ${code}`, (errors.get(`${status} ${code}`) ?? 0) + 1)
  }
  const requests = run.requests / requestsOfHealthy(healthy, asked.length)
  const times = asked.map(({ ms }) => ms)
  const p95 = percentile(times, 0.95)
  const slower =
    p95 /
    percentile(
      healthy.asked.map(({ ms }) => ms),
      0.95,
    )
  const isMet =
    asked.every(isDocumented) &&
    count('wrong') === 0 &&
    (row.isPruned
      ? count('error') === asked.length
      : count('right') >= Math.floor(row.complete * asked.length)) &&
    (!row.requests || requests <= row.requests) &&
    (!row.p95 || slower <= row.p95)
  const round = (all: readonly number[]) => all.map((one) => Math.round(one)).join(' ')
  const cells = [
    row.name,
    run.killed === 0 ? '–' : `${run.killed}`,
    `${asked.length}`,
    `${count('right')} (${((100 * count('right')) / asked.length).toFixed(1)} %)`,
    `${count('fewer')}`,
    `${count('wrong')}`,
    [...errors].map(([code, often]) => `${often} × ${code}`).join(', ') || '0',
    `${run.requests} (${requests.toFixed(2)})`,
    `${run.calls}`,
    round(run.requestsPerSecond),
    `${Math.round(percentile(times, 0.5))} / ${Math.round(p95)} (${slower.toFixed(1)})`,
    run.backMs === null ? 'never' : `${Math.round(run.backMs)}`,
    isMet ? 'yes' : 'NO',
  ]
  return { line: `| ${cells.join(' | ')} |`, isMet }
}

/** For so many answers; of more than it gave, as many for each. */
function requestsOfHealthy({ requestsAfter }: Run, answers: number): number {
  const most = requestsAfter.length
  const known = requestsAfter[Math.min(answers, most) - 1] ?? 1
  return answers <= most ? known : (known * answers) / most
}

function kindOf(one: Asked, healthy: Asked | undefined): 'right' | 'fewer' | 'wrong' | 'error' {
  if (one.status !== 200) return 'error'
  if (one.text === healthy?.text) return 'right'
  return one.warnings > (healthy?.warnings ?? 0) ? 'fewer' : 'wrong'
}

const documented: Readonly<Record<string, { readonly status: number }>> = errorCodes
const openapi = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, { get: { responses: Record<string, unknown> } }> }
const statuses = openapi.paths['/api/v1/shortcuts/quote']?.get.responses ?? {}

/** A fault of the service itself is none of the errors that a bad node explains. */
function isDocumented({ status, code }: Asked): boolean {
  if (status === 200) return true
  if (code === null || code === 'INTERNAL') return false
  return documented[code]?.status === status && String(status) in statuses
}

const head = [
  '| node | forks killed | asked | right and complete | fewer candidates | wrong | errors | requests (times healthy) | calls | requests a second, by tenths of the time | p50 / p95 ms (times healthy) | back after ms | met |',
  '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
]

/** By the name of the node and whether forks were killed. */
const nameOf = (line: string) => {
  const [, node = '', killed = ''] = line.split(' | ').join('|').split('|')
  return `${node.trim()} ${killed.trim() === '–'}`
}

function write(lines: readonly string[]): void {
  const file = new URL('../docs/explanation/reliability.md', import.meta.url)
  const [begin, end] = ['<!-- table of faults -->\n', '<!-- end -->']
  const text = readFileSync(file, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const after = rest.slice(rest.indexOf(end))
  const old = rest.slice(0, rest.indexOf(end)).trimEnd().split('\n').slice(head.length)
  const fresh = new Map(lines.map((line) => [nameOf(line), line]))
  const merged = old.map((line) => fresh.get(nameOf(line)) ?? line)
  const added = lines.filter((line) => !old.some((one) => nameOf(one) === nameOf(line)))
  const table = [...head, ...merged, ...added].join('\n')
  writeFileSync(file, `${before}${begin}${table}\n${after}`)
}

const writes = values.write || (values.row.length === 0 && kills.length === 2)
const sandbox = await startSandbox()
try {
  const run = (row: Row, killEverySeconds: number | null) =>
    runSteadily(sandbox, {
      nodes: row.nodes,
      isPruned: row.isPruned ?? false,
      seconds,
      killEverySeconds,
      ...(values.watch && { onPart: (line: string) => console.log(`  ${line}`) }),
    })
  const healthy = await run(healthyRow, null)
  const expected = new Map(healthy.asked.map((one) => [one.index, one]))
  const bad = healthy.asked.find(({ status, warnings }) => status !== 200 || warnings > 0)
  if (bad) throw new Error(`The healthy run is not right and complete: ${bad.text}`)
  const first = judge(healthyRow, healthy, healthy, expected)
  console.log([...head, first.line].join('\n'))
  const judged = [first]
  for (const row of chosen) {
    for (const kill of kills) {
      const result = await run(row, kill)
      const more = result.asked.map(({ index }) => index).filter((index) => !expected.has(index))
      if (more.length > 0 && !row.isPruned) {
        for (const [index, one] of await answersOf(sandbox, more)) expected.set(index, one)
      }
      const one = judge(row, result, healthy, expected)
      console.log(one.line)
      judged.push(one)
      // A run of hours that is broken off keeps what it has measured.
      if (writes) write(judged.map(({ line }) => line))
    }
  }
  if (!judged.every(({ isMet }) => isMet)) process.exitCode = 1
} finally {
  await sandbox.stop()
}
