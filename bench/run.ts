/**
 * `npm run bench`: every part, as tables and as JSON in bench/results. Ratios within one run are what counts;
 * absolute figures belong to the machine. Parts by name: `npm run bench -- cold http`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import Table from 'cli-table3'
import { coldBench } from './cold.js'
import { httpBench } from './http.js'
import { qualityBench } from './quality.js'
import { searchBench } from './search.js'
import type { Section } from './section.js'
import { simulationBench } from './simulation.js'

const parts: Readonly<Record<string, () => Promise<readonly Section[]>>> = {
  simulation: async () => [await simulationBench()],
  http: httpBench,
  cold: async () => [await coldBench()],
  quality: qualityBench,
  search: async () => [await searchBench()],
}

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('-'))
const unknown = wanted.filter((name) => !parts[name])
if (unknown.length) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

const sections: Section[] = []
for (const [name, run] of Object.entries(parts)) {
  if (wanted.length && !wanted.includes(name)) continue
  for (const section of await run()) {
    sections.push(section)
    const table = new Table({ head: Object.keys(section.rows[0] ?? {}), style: { head: [] } })
    table.push(...section.rows.map((row) => Object.values(row)))
    console.log(`\n${section.name}\n${table.toString()}`)
  }
}

const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
const report = {
  at: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
  sections,
}
writeFileSync(new URL('latest.json', folder), `${JSON.stringify(report, null, 2)}\n`)
