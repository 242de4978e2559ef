/**
 * `npm run prove:crosschain -- --requests 2000 --seed 1 --execute 100 --compare 300`: routes over bridges at random between the
 * sandbox's chains, with one to four inputs, taxed ones among them, and receivers that cannot be paid. Each answer is
 * judged: a 422 may be of credit, amount or a receiver that cannot be paid, a 400 of an address that is no receiver, and
 * no 200 delivers nothing. Some of the answers, spread evenly, are carried out on Anvils of their own by a script that
 * shares no code with the product. Some are asked for in every mode: `full` is at least the best of the others. Prints
 * the tables of docs/explanation/crosschain.md; exits 1 where an answer is another.
 */
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import type { SandboxPlan } from '../src/sandbox/plans/plan.js'
import { sandboxPlans } from '../src/sandbox/plans/registry.js'
import { startSandboxes } from '../src/sandbox/sandbox.js'
import { type Compared, compareModes } from '../test/support/bridges/compare-modes.js'
import { deliverOnFork, sendOnFork } from '../test/support/bridges/deliver-on-fork.js'
import { blacklistUsdc, placeRefuser } from '../test/support/bridges/hostile-receivers.js'
import {
  outcast,
  type RandomRoute,
  randomRoutes,
  receivers,
  taker,
} from '../test/support/bridges/random-routes.js'
import { type Answer, startService } from '../test/support/service/service.js'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    execute: { type: 'string', default: '100' },
    compare: { type: 'string', default: '300' },
  },
})
const atOnce = 2
const shownChars = 700

type Verdict =
  | 'delivers'
  | 'credit'
  | 'amount'
  | 'cannot be paid'
  | 'no receiver'
  /** Must not be. */
  | 'wrong'

const sandboxes = await startSandboxes(sandboxPlans.map(({ market }) => market.chain.id))
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
for (const { market } of sandboxPlans) {
  const rpc = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(nodeOf(market.chain.id), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { result: T }).result
  }
  await placeRefuser(rpc)
  await rpc('anvil_setCode', taker, '0x00')
  await blacklistUsdc(rpc, { usdc: market.token('USDC').address, account: outcast })
}
const service = await startService({
  ...Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
  RATE_LIMIT_PER_MINUTE: '10000000',
})

/** Why a lane was left out, by what it says of itself. */
function laneVerdict(message: string): Verdict {
  if (/cannot be paid/.test(message)) return 'cannot be paid'
  if (/has no credit|has credit for/.test(message)) return 'credit'
  return /delivers nothing of|is less than one|takes the whole amount/.test(message)
    ? 'amount'
    : 'wrong'
}

function verdictOf({ receiver }: RandomRoute, { status, body }: Answer): Verdict {
  const expected = receivers[receiver]
  if (status === 200) {
    const isPaid = [body.amountOut, body.minAmountOut].every((amount) => BigInt(amount) > 0n)
    return isPaid && expected !== 'never' ? 'delivers' : 'wrong'
  }
  if (status === 400) {
    const isRefused = expected === 'never' && /cannot receive anything/.test(String(body.message))
    return isRefused ? 'no receiver' : 'wrong'
  }
  if (status !== 422) return 'wrong'
  if (body.details?.receiver !== undefined)
    return expected === 'always' ? 'wrong' : 'cannot be paid'
  const lanes: readonly { message: string }[] = body.details?.lanes ?? []
  const verdicts = lanes.map(({ message }) => laneVerdict(message))
  return verdicts.find((one) => one === 'wrong') ?? verdicts[0] ?? 'wrong'
}

const place = ({ market, blockSeconds }: SandboxPlan, blockNumber: number) => ({
  chainId: market.chain.id,
  nodeUrl: nodeOf(market.chain.id),
  blockNumber,
  blockTimeSeconds: blockSeconds,
})

/** @returns why it is not as the answer says; null where it is. */
async function carriedOut({ from, to, query, tokenOut }: RandomRoute, { body }: Answer) {
  const source = place(from, body.blockNumber)
  const destination = place(to, body.destinationBlockNumber)
  const sent = await sendOnFork(source, body.tx)
  if (sent.status !== 'success') return 'the transaction reverts'
  const watch = { token: tokenOut, owner: query.receiver as `0x${string}` }
  const { status, gained } = await deliverOnFork({ source, destination, logs: sent.logs, watch })
  if (status !== 'delivered') return 'the delivery reverts'
  const isEqual = gained === BigInt(body.amountOut) && sent.gasUsed === BigInt(body.gas)
  return isEqual ? null : `${gained} are delivered with ${sent.gasUsed} gas`
}

interface Judged {
  readonly route: RandomRoute
  readonly answer: Answer
  readonly verdict: Verdict
  /** Absent: not carried out. */
  readonly failure?: string | null
}

function complain(
  what: string,
  { query, receiver, inputs }: RandomRoute,
  { body, status }: Answer,
) {
  const told = status === 200 ? { amountOut: body.amountOut, warnings: body.warnings } : body
  const request = new URLSearchParams(query).toString()
  console.error(`${what}: ${receiver}; ${inputs.map(({ symbol }) => symbol)}; ${request}`)
  console.error(`  ${status} ${JSON.stringify(told).slice(0, shownChars)}`)
}

function complainOfFull({ query, inputs }: RandomRoute, { full, other, worseBps }: Compared) {
  const given = inputs.map(({ symbol, cents }) => `$${cents / 100} of ${symbol}`).join(', ')
  console.error(`full gives ${worseBps.toFixed(3)} bps less than ${other.mode}: ${given}`)
  console.error(`  ${JSON.stringify({ full, other })} ${new URLSearchParams(query)}`)
}

const columns = ['delivers', 'credit', 'amount', 'cannot be paid', 'no receiver', 'wrong'] as const
function rowOf(name: string, own: readonly Judged[]): string {
  const counts = columns.map((column) => own.filter(({ verdict }) => verdict === column).length)
  const done = own.filter(({ failure }) => failure !== undefined)
  const equal = done.filter(({ failure }) => failure === null).length
  return `| ${[name, own.length, ...counts, `${equal} of ${done.length}`].join(' | ')} |`
}

try {
  const routes = randomRoutes(Number(values.requests), Number(values.seed))
  const limit = pLimit(atOnce)
  const asked = await Promise.all(
    routes.map((route) =>
      limit(async (): Promise<Judged> => {
        const answer = await service.get('/api/v1/shortcuts/route', route.query)
        const verdict = verdictOf(route, answer)
        if (verdict === 'wrong') complain('wrong', route, answer)
        return { route, answer, verdict }
      }),
    ),
  )
  const delivering = asked.filter(({ verdict }) => verdict === 'delivers')
  const every = Math.max(1, Math.ceil(delivering.length / Number(values.execute)))
  const chosen = new Set(delivering.filter((_one, index) => index % every === 0))
  const judged = await Promise.all(
    asked.map((one) =>
      limit(async (): Promise<Judged> => {
        if (!chosen.has(one)) return one
        const failure = await carriedOut(one.route, one.answer)
        if (failure !== null) complain(failure, one.route, one.answer)
        return { ...one, failure }
      }),
    ),
  )
  console.log(`| | requests | ${columns.join(' | ')} | executed as answered |`)
  console.log(`|${'---|'.repeat(columns.length + 3)}`)
  const by = (name: string, isOf: (route: RandomRoute) => boolean) =>
    console.log(
      rowOf(
        name,
        judged.filter(({ route }) => isOf(route)),
      ),
    )
  for (const kind of Object.keys(receivers)) by(kind, ({ receiver }) => receiver === kind)
  for (const count of [1, 2, 3, 4]) by(`${count} tokenIn`, ({ inputs }) => inputs.length === count)
  by('a taxed tokenIn', ({ isTaxed }) => isTaxed)
  for (const mode of ['direct', 'source', 'destination', 'sourceOrDestination', 'full']) {
    by(mode, (route) => route.mode === mode)
  }
  for (const one of ['across', 'stargate']) by(`without ${one}`, ({ ignored }) => ignored === one)
  by('all', () => true)
  const toCompare = randomRoutes(2 * Number(values.compare), Number(values.seed) + 1)
    .filter(({ receiver }) => receiver === 'an account')
    .slice(0, Number(values.compare))
  const compared = await Promise.all(
    toCompare.map((route) =>
      limit(async () => {
        const found = await compareModes(service, route)
        if (found?.worseBps) complainOfFull(route, found)
        return found
      }),
    ),
  )
  const answered = compared.flatMap((one) => one ?? [])
  const worse = answered.filter(({ worseBps }) => worseBps > 0)
  console.log(`Of ${answered.length} routes, full is worse than another mode in ${worse.length}.`)
  const isWrong = judged.some(({ verdict, failure }) => verdict === 'wrong' || failure)
  if (isWrong || worse.length > 0) process.exitCode = 1
} finally {
  await service.stop()
  await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
}
