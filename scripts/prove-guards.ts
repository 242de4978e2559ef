/**
 * `npm run prove:guards -- --guard 'a part of its name'`: removes each guard of the contracts that deliveries reach, by
 * itself, from a copy of the contracts, and runs the tests of deliveries there. Prints which of them fail, and writes the
 * table into docs/explanation/crosschain.md where all guards are run; exits 1 where one is missed by no test.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Guard, guards } from './guards/guards.js'

const { values } = parseArgs({ options: { guard: { type: 'string', default: '' } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/explanation/crosschain.md')
const tests =
  '{AcrossAttacks,CanonicalAttacks,CctpLanding,ComposeLanding,DestinationReceiver,ForeignPayments,StargateAttacks}'
/** Of a test that fails, in the list of forge. */
const failing = /^\[FAIL.*\] (?:test_?)?(\w+)\(/gm
const shown = 3

interface Missed {
  readonly guard: Guard
  readonly tests: readonly string[]
}

const copy = mkdtempSync(join(tmpdir(), 'forkroute-guards-'))
try {
  cpSync(join(root, 'contracts'), join(copy, 'contracts'), { recursive: true })
  for (const name of ['node_modules', 'scripts', 'fixtures'])
    symlinkSync(join(root, name), join(copy, name))
  const before = failuresOf(copy)
  if (before.length) throw new Error(`These tests fail with all guards: ${before.join(', ')}.`)
  const chosen = guards.filter(({ name }) => name.includes(values.guard))
  const rows = chosen.map((guard): Missed => {
    const row = { guard, tests: without(guard) }
    console.log(lineOf(row))
    return row
  })
  if (chosen.length === guards.length) write(rows)
  process.exitCode = rows.some((row) => !row.tests.length) ? 1 : 0
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** @returns the tests that fail without the guard. */
function without({ file, name, code, without: left }: Guard): string[] {
  const path = join(copy, 'contracts/src', file)
  const whole = readFileSync(path, 'utf8')
  if (!whole.includes(code)) throw new Error(`${file} has no "${code}" (${name}).`)
  writeFileSync(path, whole.replaceAll(code, left))
  try {
    return failuresOf(copy)
  } finally {
    writeFileSync(path, whole)
  }
}

function failuresOf(cwd: string): string[] {
  const args = ['tsx', 'scripts/forge.ts', 'test', '--match-path', `contracts/test/${tests}.t.sol`]
  const { stdout, stderr } = spawnSync('npx', args, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
  if (!stdout.includes('Suite result')) throw new Error(`The tests did not run: ${stdout}${stderr}`)
  return [...new Set([...stdout.matchAll(failing)].map(([, name = '']) => name))]
}

function lineOf({ guard, tests }: Missed): string {
  const named = tests.slice(0, shown).map((one) => `\`${one}\``)
  const more = tests.length > shown ? [`${tests.length - shown} more`] : []
  const found = tests.length ? [...named, ...more].join(', ') : '**none**'
  return `| ${guard.file.replace('.sol', '')} | ${guard.name} | ${found} |`
}

function write(rows: readonly Missed[]): void {
  const marks = ['<!-- guards: begin -->', '<!-- guards: end -->'] as const
  const text = readFileSync(page, 'utf8')
  const [begin, end] = marks.map((mark) => text.indexOf(mark)) as [number, number]
  if (begin < 0 || end < 0) throw new Error(`${page} has no place for the table.`)
  const head = '| contract | without | tests that fail |\n|---|---|---|'
  const table = [marks[0], head, ...rows.map(lineOf), ''].join('\n')
  writeFileSync(page, text.slice(0, begin) + table + text.slice(end))
}
