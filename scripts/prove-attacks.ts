/**
 * `npm run prove:attacks -- --family texts --attack 'a part of its name'`: what somebody with a key, a file, a page or a
 * node of his own can do to the service, with a plain quote every 250 ms and `/health` every 100 ms beside it.
 *
 * Prints the table, and writes it to docs/explanation/attacks.md where all are run or with `--write`; exits 1 where an attack succeeds
 * or others notice more of it than the target allows. Linux only.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startSandbox } from '../src/sandbox/sandbox.js'
import type { Attack, Family, Outcome } from './attacks/attack.js'
import { backtests } from './attacks/backtests.js'
import { beside } from './attacks/beside.js'
import { cassettes } from './attacks/cassettes.js'
import { etherDust } from './attacks/ether.js'
import { keys } from './attacks/keys.js'
import { mcp } from './attacks/mcp.js'
import { nodes } from './attacks/nodes.js'
import { pages } from './attacks/pages.js'
import { openTarget, type Target } from './attacks/target.js'
import { texts } from './attacks/texts.js'
import type { Noticed } from './attacks/watch.js'

const { values } = parseArgs({
  options: {
    /** By name, as often as there are families to run; default: all. */
    family: { type: 'string', multiple: true, default: [] },
    /** Only attacks whose name has this part. */
    attack: { type: 'string', default: '' },
    /** Writes the rows that were run. */
    write: { type: 'boolean', default: false },
  },
})

/** Of each attack. */
const targets = {
  /** The longest silence of `/health`, milliseconds. */
  healthMs: 1_000,
  /** p99 of the quote, in times of what it takes alone. */
  quoteTimes: 10,
  /** Of the service and its processes that read and check, megabytes. */
  mb: 1_200,
  /** Until it has stopped after SIGTERM, seconds. */
  stop: 15,
}
const aloneMs = 15_000
/** Between two attacks. */
const restMs = 1_000

const families = [texts, backtests, cassettes, mcp, nodes, keys, pages, etherDust]
const unknown = values.family.filter((name) => !families.some((one) => one.name === name))
if (unknown.length > 0) throw new Error(`There is no family ${unknown.join(', ')}.`)
const chosen = families.filter(({ name }) => !values.family.length || values.family.includes(name))
const isAll = chosen.length === families.length && values.attack === ''

interface Row {
  readonly name: string
  readonly line: string
  readonly isHeld: boolean
}

function judge(attack: Attack, outcome: Outcome, noticed: Noticed, alone: Noticed): Row {
  const times = noticed.quoteP99 / alone.quoteP99
  const faults = [
    ...(outcome.reached === null ? [] : [outcome.reached]),
    ...(noticed.healthMs > targets.healthMs ? ['/health was silent'] : []),
    ...(times > targets.quoteTimes ? ['quotes were slow'] : []),
    ...(noticed.mostMb > targets.mb ? ['it took too much memory'] : []),
    ...(noticed.failed.length > 0 ? [`others were answered ${noticed.failed[0]}`] : []),
  ]
  const cells = [
    ...[attack.name, attack.tried, outcome.answer],
    `${Math.round(noticed.healthMs)}`,
    `${times.toFixed(1)}`,
    `${noticed.mostMb}`,
    faults.length === 0 ? 'held' : `**${faults.join('; ')}**`,
  ]
  const line = `| ${cells.map((cell) => cell.replaceAll('|', '/').replaceAll('\n', ' ')).join(' | ')} |`
  return { name: attack.name, line, isHeld: faults.length === 0 }
}

async function attackAll(family: Family, nodeUrl: string): Promise<Row[]> {
  const attacks = family.attacks(nodeUrl).filter(({ name }) => name.includes(values.attack))
  if (attacks.length === 0) return []
  const node = await family.node?.(nodeUrl)
  const target = await openTarget(node?.url ?? nodeUrl, family.env?.())
  const rows: Row[] = []
  try {
    const alone = await measuredAlone(target)
    for (const attack of attacks) {
      await attack.prepare?.(target)
      await sleep(restMs)
      const [outcome, noticed] = await beside(target, () => attack.run(target))
      const row = judge(attack, outcome, noticed, alone)
      console.log(row.line)
      rows.push(row)
    }
  } finally {
    const seconds = await target.stop()
    await node?.stop()
    if (seconds > targets.stop) {
      console.error(`After ${family.name} the service took ${seconds.toFixed(1)} s to stop.`)
      process.exitCode = 1
    }
  }
  return rows
}

/** The first quotes make forks and read state: those are not what others are compared with. */
async function measuredAlone(target: Target): Promise<Noticed> {
  await beside(target, async () => undefined)
  const [, alone] = await beside(target, async () => undefined, aloneMs)
  const { healthMs, quoteP99, mostMb } = alone
  const [health, quote] = [Math.round(healthMs), quoteP99.toFixed(0)]
  console.log(`alone: /health at most ${health} ms, quote p99 ${quote} ms, ${mostMb} MB`)
  return alone
}

const head = [
  '| attack | what was tried | answer | longest silence of /health, ms | p99 of the quote, times alone | most memory, MB | verdict |',
  '|---|---|---|---|---|---|---|',
]

/** Rows that were not run stay as they are. */
function write(rows: readonly Row[]): void {
  const file = new URL('../docs/explanation/attacks.md', import.meta.url)
  const [begin, end] = ['<!-- table of attacks -->\n', '<!-- end -->']
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin)
  const at = rest.indexOf(end)
  const nameOf = (line: string) => line.split(' | ')[0]?.slice(2)
  const old = rest.slice(0, at).trimEnd().split('\n').slice(head.length).filter(Boolean)
  const kept = isAll ? [] : old
  const merged = kept.map((line) => rows.find(({ name }) => name === nameOf(line))?.line ?? line)
  const added = rows.filter(({ name }) => !kept.some((line) => nameOf(line) === name))
  const table = [...head, ...merged, ...added.map(({ line }) => line)].join('\n')
  writeFileSync(file, `${before}${begin}${table}\n${rest.slice(at)}`)
}

// As on most machines, whatever the shell of whoever runs this has.
process.umask(0o022)
const sandbox = await startSandbox()
try {
  console.log(head.join('\n'))
  const rows: Row[] = []
  for (const family of chosen) rows.push(...(await attackAll(family, sandbox.url)))
  if (isAll || values.write) write(rows)
  if (!rows.every(({ isHeld }) => isHeld)) process.exitCode = 1
} finally {
  await sandbox.stop()
}
