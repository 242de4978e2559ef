/** How often answers of each endpoint and status fitted, counted over the processes of a run, and the table of it. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { familyEndpoints, nameOf } from './endpoints.js'

/** Names the folder of the counts; set by a run of tests, absent where services run for other reasons. */
export const countsVariable = 'VALIDATED_ANSWERS'

export function countAnswer(endpoint: string, status: number): void {
  const folder = process.env[countsVariable]
  if (!folder) return
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify([endpoint, status])}\n`)
}

/** By `endpoint status`. */
export function readCounts(folder: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
      const key = (JSON.parse(line) as [string, number]).join(' ')
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return counts
}

const page = new URL('../../../docs/reference/endpoints.md', import.meta.url)

export function writeEndpointsPage(counts: ReadonlyMap<string, number>): void {
  const statuses = [...new Set(familyEndpoints.flatMap((one) => one.statuses))].toSorted(
    (a, b) => a - b,
  )
  const rows = familyEndpoints.map((endpoint) => {
    const cells = statuses.map((status) =>
      endpoint.statuses.includes(status) ? (counts.get(`${nameOf(endpoint)} ${status}`) ?? 0) : '',
    )
    return `| \`${nameOf(endpoint)}\` | ${cells.join(' | ')} |`
  })
  const all = familyEndpoints.flatMap((one) =>
    one.statuses.map((status) => counts.get(`${nameOf(one)} ${status}`) ?? 0),
  )
  const total = all.reduce((sum, count) => sum + count, 0)
  writeFileSync(
    page,
    `<!-- Written by npm run docs:endpoints. -->
# Answers that were checked

\`test/support/family\` describes the interface a second time, written from its contract and not from
[openapi.json](../openapi.json): each endpoint, what it takes, the statuses that it may answer, and the shape of each answer. In
the end-to-end tests a proxy before every service compares each answer with it: the status is described, the body fits, and
fits the request (one price for each address, \`feeAmount\` with a fee, \`minAmountOut\` by the slippage). What does not fails
the test that asked. The table says how often an answer was checked and fitted in one run of the end-to-end tests; an empty
cell is a status that the endpoint has no reason to answer, 0 one that no test has met.

${total} answers; ${all.filter((count) => count === 0).length} of ${all.length} endpoints and statuses were not met.

| endpoint | ${statuses.join(' | ')} |
|---|${statuses.map(() => '---:').join('|')}|
${rows.join('\n')}
`,
  )
}
