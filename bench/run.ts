/**
 * `npm run bench`: every part, as tables, as JSON in bench/results and in docs/explanation/benchmarks.md. Ratios within one
 * run are what counts; absolute figures belong to the machine. Parts by name: `npm run bench -- cold http`.
 */
import Table from 'cli-table3'
import { alternativesBench } from './alternatives.js'
import { backtestBench } from './backtest.js'
import { cheapBench } from './cheap.js'
import { coldBench } from './cold.js'
import { compareBench } from './compare/compare.js'
import { firstsBench } from './compare/firsts.js'
import { crosschainBench } from './crosschain.js'
import { gasBench } from './gas.js'
import { httpBench } from './http.js'
import { largeBench } from './large-market.js'
import { membersBench } from './members.js'
import { indexBench } from './pool-index.js'
import { qualityBench } from './quality.js'
import { keepReport, provenance } from './report.js'
import { restrictedBench } from './restricted.js'
import { searchBench } from './search.js'
import type { Section } from './section.js'
import { simulationBench } from './simulation.js'

const parts: Readonly<Record<string, () => Promise<readonly Section[]>>> = {
  simulation: async () => [await simulationBench()],
  http: httpBench,
  cheap: async () => [await cheapBench()],
  cold: coldBench,
  processes: async () => [await membersBench()],
  crosschain: crosschainBench,
  quality: qualityBench,
  restricted: restrictedBench,
  index: indexBench,
  search: async () => [await searchBench()],
  large: largeBench,
  alternatives: alternativesBench,
  backtest: backtestBench,
  gas: async () => [await gasBench()],
}
/** Parts that run against BENCH_NODE_URL where it is given; kept apart from their figures on the sandbox. */
const askGivenNode = ['cold', 'alternatives']

const [first, ...others] = process.argv.slice(2).filter((name) => !name.startsWith('-'))
/** Against another commit, each alone. */
const comparisons: Readonly<
  Record<string, (commit: string, wanted: readonly string[]) => Promise<readonly Section[]>>
> = { compare: compareBench, firsts: firstsBench }
const comparison = first === undefined ? undefined : comparisons[first]
const wanted = first === undefined || comparison ? [] : [first, ...others]
const unknown = wanted.filter((name) => !parts[name])
if (unknown.length) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

const nodeUrl = process.env.BENCH_NODE_URL
const titleOf = (name: string) =>
  nodeUrl && askGivenNode.includes(name) ? `${name}, given node` : name
const order = [
  ...Object.keys(comparisons),
  ...Object.keys(parts).flatMap((name) => [name, `${name}, given node`]),
]

/** With a commit, and parts of names of what is compared, this part alone runs. */
const [commit, ...scenarios] = others
const chosen: typeof parts =
  first && comparison && commit
    ? { [first]: () => comparison(commit, scenarios) }
    : Object.fromEntries(
        Object.entries(parts).filter(([name]) => !wanted.length || wanted.includes(name)),
      )

for (const [name, run] of Object.entries(chosen)) {
  const sections = await run()
  for (const section of sections) {
    const table = new Table({ head: Object.keys(section.rows[0] ?? {}), style: { head: [] } })
    table.push(...section.rows.map((row) => Object.values(row)))
    console.log(`\n${section.name}\n${table.toString()}`)
  }
  keepReport(titleOf(name), { ...provenance(), sections }, order)
}
