/**
 * `npm run prove:soak -- --seconds 3600 --block-ms 3000 --rate 16`: the service in a process of its own while blocks
 * keep coming and quotes keep being asked. Prints, by minute, memory, Anvils, latency and how far answers lag behind
 * the chain; every five seconds the chain itself judges an answer. With `--load`: ten times the quotes that the service
 * can answer. Linux only.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { Agent, request } from 'undici'
import { startLatencyNode } from '../bench/latency-node.js'
import { quantile } from '../bench/section.js'
import { proveLoad } from './soak/load.js'
import { openMarket, quotePath, type RouteAnswer, routePath } from './soak/market.js'
import { memoryOf, runService, startChain } from './soak/processes.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3600' },
    /** Time between two blocks; 0: the head stands still. */
    'block-ms': { type: 'string', default: '3000' },
    /** Quotes per second. */
    rate: { type: 'string', default: '16' },
    /** In place of all that: ten times the capacity. */
    load: { type: 'boolean', default: false },
    /** With `--load`: quotes in flight when the service is at its capacity. */
    'in-flight': { type: 'string', default: '8' },
    /** For the Node of the service, such as `--heapsnapshot-signal=SIGUSR2`. */
    'node-options': { type: 'string', default: '' },
  },
})
const seconds = Number(values.seconds)
const blockMs = Number(values['block-ms'])
const rate = Number(values.rate)
const judgeMs = 5_000
const minuteMs = 60_000

const chain = await startChain()
// Development nodes are not cached on disk; this one passes for another.
const node = await startLatencyNode(chain.url, 0, { client: 'Geth/v1.16.0' })
const headPollMs = Math.max(50, Math.min(1_000, Math.floor(blockMs / 3) || 1_000))
const service = await runService(node.url, {
  HEAD_POLL_MS: `${headPollMs}`,
  NODE_OPTIONS: values['node-options'],
})
const market = openMarket(chain.url)
const clients = new Agent({ connections: 128 })
const stopping = new AbortController()

/** When each block came, milliseconds of the monotonic clock. */
const blockTimes = new Map<number, number>()
let minute = emptyMinute()
const failures: string[] = []

function emptyMinute() {
  return { times: [] as number[], lags: [] as number[], blocks: 0, judged: 0, other: 0 }
}

async function ask(path: string): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await request(`${service.url}${path}`, { dispatcher: clients })
  return { status: statusCode, body: await body.json() }
}

/** Milliseconds since the successor of the block came; 0 for the newest. */
function lagOf(block: number, at: number): number {
  const successor = blockTimes.get(block + 1)
  return successor === undefined ? 0 : Math.max(0, at - successor)
}

async function quote(serial: number): Promise<void> {
  const begun = performance.now()
  const { status, body } = await ask(quotePath(serial))
  if (status !== 200) {
    minute.other += 1
    failures.push(JSON.stringify(body).slice(0, 200))
    return
  }
  minute.times.push(performance.now() - begun)
  minute.lags.push(lagOf((body as { blockNumber: number }).blockNumber, begun))
}

async function judge(serial: number): Promise<void> {
  const { path, tokenOut } = routePath(serial)
  const { status, body } = await ask(path)
  if (status !== 200) return
  const answer = body as RouteAnswer
  minute.judged += 1
  if (await market.gives(answer, tokenOut)) return
  failures.push(`WRONG: ${path} at ${answer.createdAt} gave ${answer.amountOut}`)
}

/** Starts the work at each tick, however long it takes: a slow service is asked no less. */
async function every(ms: number, work: (serial: number) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  const begun = performance.now()
  for (let serial = 1; !stopping.signal.aborted; serial++) {
    const one = work(serial).catch((error: unknown) => void failures.push(String(error)))
    running.add(one)
    void one.finally(() => running.delete(one))
    const due = begun + serial * ms - performance.now()
    if (due > 0) await sleep(due, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
  await Promise.all(running)
}

async function oneBlock(): Promise<void> {
  const number = Number(await market.trade())
  blockTimes.set(number, performance.now())
  blockTimes.delete(number - 10_000)
  minute.blocks += 1
}

/** One block after the other: a node that is slow has fewer. */
async function moveHead(): Promise<void> {
  while (!stopping.signal.aborted) {
    const begun = performance.now()
    await oneBlock()
    const rest = begun + blockMs - performance.now()
    if (rest > 0) await sleep(rest, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
}

const ms = (sorted: readonly number[], q: number) => Math.round(quantile(sorted, q))

function report(number: number) {
  const times = minute.times.sort((a, b) => a - b)
  const lags = minute.lags.sort((a, b) => a - b)
  const { serviceMb, forks, forksMb } = memoryOf(service.pid)
  const row = {
    minute: number,
    'service MB': serviceMb,
    Anvils: forks,
    'Anvils MB': forksMb,
    blocks: minute.blocks,
    quotes: times.length,
    'p50 ms': ms(times, 0.5),
    'p99 ms': ms(times, 0.99),
    'lag p99 ms': ms(lags, 0.99),
    'lag most ms': Math.round(lags.at(-1) ?? 0),
    judged: minute.judged,
    'not 200': minute.other,
  }
  console.log(
    Object.entries(row)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  )
  minute = emptyMinute()
  node.reset()
  return row
}

const rows: Record<string, number>[] = []
async function measure(): Promise<void> {
  const begun = performance.now()
  const end = begun + seconds * 1_000
  for (let number = 1; ; number++) {
    const next = Math.min(end, begun + number * minuteMs)
    await sleep(next - performance.now())
    rows.push(report(number))
    if (next >= end) return stopping.abort()
  }
}

async function proveMovingHead(): Promise<boolean> {
  await Promise.all([
    measure(),
    every(1_000 / rate, quote),
    every(judgeMs, judge),
    ...(blockMs > 0 ? [moveHead()] : []),
  ])
  const table = new Table({ head: Object.keys(rows[0] ?? {}), style: { head: [] } })
  table.push(...rows.map((row) => Object.values(row)))
  console.log(
    `${table.toString()}\n${failures.length} failures\n${failures.slice(0, 20).join('\n')}`,
  )
  return failures.length === 0
}

try {
  const isRight = values.load
    ? await proveLoad(service, { seconds, inFlight: Number(values['in-flight']) })
    : await proveMovingHead()
  if (!isRight) process.exitCode = 1
} finally {
  stopping.abort()
  await market.close()
  await clients.destroy()
  await service.stop()
  await node.stop()
  await chain.stop()
}
