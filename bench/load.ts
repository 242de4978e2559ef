/**
 * A client of the service in a process of its own, so that it shares no event loop with what it measures:
 * keeps quotes in flight and times cheap requests beside them. Started by `cheap.ts` with its orders as JSON.
 */
import { performance } from 'node:perf_hooks'
import { Agent, request } from 'undici'

export interface LoadOrders {
  readonly url: string
  readonly key: string
  /** Quotes in flight all the time. */
  readonly quotes: number
  /** Timed one after the other, in turn. */
  readonly paths: readonly string[]
  readonly rounds: number
}

export interface LoadReport {
  /** Milliseconds by path, in the order of the requests. */
  readonly times: Readonly<Record<string, readonly number[]>>
  /** Quotes answered meanwhile, and for how long. */
  readonly quotes: number
  readonly seconds: number
}

const orders = JSON.parse(process.argv[2] ?? '') as LoadOrders
const headers = { authorization: `Bearer ${orders.key}` }
// Cheap requests have connections of their own, as those of another client have.
const quoteAgent = new Agent({ connections: orders.quotes || 1 })
const cheapAgent = new Agent({ connections: 1 })
const pair =
  'tokenIn=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2&tokenOut=0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

async function get(path: string, dispatcher: Agent): Promise<void> {
  const { statusCode, body } = await request(`${orders.url}${path}`, { headers, dispatcher })
  await body.dump({ limit: 10_000_000 })
  if (statusCode !== 200) throw new Error(`${path}: HTTP ${statusCode}`)
}

let answered = 0
let serial = 0
let stopped = false

async function keepQuoting(): Promise<void> {
  while (!stopped) {
    serial += 1
    const amountIn = 10n ** 18n + BigInt(serial) * 10n ** 12n
    await get(`/api/v1/shortcuts/quote?${pair}&amountIn=${amountIn}`, quoteAgent)
    answered += 1
  }
}

const times: Record<string, number[]> = {}
const quoting = Array.from({ length: orders.quotes }, keepQuoting)
while (answered < orders.quotes) await new Promise((resolve) => setTimeout(resolve, 10))
const started = performance.now()
const before = answered
for (let round = 0; round < orders.rounds; round++) {
  for (const path of orders.paths) {
    const begun = performance.now()
    await get(path, cheapAgent)
    const list = times[path] ?? []
    times[path] = list
    list.push(performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const report: LoadReport = {
  times,
  quotes: answered - before,
  seconds: (performance.now() - started) / 1_000,
}
stopped = true
await Promise.all(quoting)
process.stdout.write(JSON.stringify(report))
process.exit(0)
