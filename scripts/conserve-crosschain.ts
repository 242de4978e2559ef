/**
 * `npm run conserve:crosschain -- --transfers 2000 --seed 1`: transfers over all bridges between the sandbox's chains under a
 * relayer that delays, reorders, drops, starves and repeats, and chains that put back blocks. Each must end delivered,
 * paid to its fallback, refunded, or freed by the transaction that the service names, and every unit be accounted for.
 * Prints the tables of docs/explanation/crosschain.md; exits 1 where one is not.
 */
import { parseArgs } from 'node:util'
import { bridgesHere } from '../test/support/bridges/conservation/forms.js'
import { conserve, ends } from '../test/support/bridges/conservation/run.js'

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '2000' },
    forms: { type: 'string', default: '160' },
    seed: { type: 'string', default: '1' },
    /** Seconds after which nothing more is sent. */
    within: { type: 'string' },
  },
})

const began = Date.now()
const found = await conserve(
  {
    transfers: Number(values.transfers),
    forms: Number(values.forms),
    seed: Number(values.seed),
    ...(values.within && { within: Number(values.within) }),
  },
  (text) => console.error(`${Math.round((Date.now() - began) / 1_000)} s: ${text}`),
)
const { account, transfers, problems, relayer, reorgs, forms } = found
const standing = transfers.filter(({ end }) => end !== 'unmade')

console.log(`| bridge | transfers | ${ends.join(' | ')} |`)
console.log(`|${'---|'.repeat(ends.length + 2)}`)
for (const bridge of [...bridgesHere, 'all'] as const) {
  const own = standing.filter((one) => bridge === 'all' || one.bridge === bridge)
  const counts = ends.map((end) => own.filter((one) => one.end === end).length)
  console.log(`| ${[bridge, own.length, ...counts].join(' | ')} |`)
}
console.log('')
console.log('| bridge | token | sent | paid | refunded | kept | lost to reorgs | difference |')
console.log(`|${'---|'.repeat(8)}`)
for (const { bridge, symbol, ...row } of account.rows) {
  const amounts = [row.sent, row.paid, row.refunded, row.kept, row.lost, row.difference]
  console.log(`| ${[bridge, symbol, ...amounts].join(' | ')} |`)
}
console.log('')
console.log(
  `${forms} answers; ${reorgs} reorgs with ${transfers.length - standing.length} transfers; ${JSON.stringify(relayer)}`,
)
for (const problem of problems) console.error(problem)
if (problems.length > 0 || standing.length < Number(values.transfers)) process.exitCode = 1
