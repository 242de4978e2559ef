/** Warm quotes over HTTP: latency by requests in flight, against the time of their simulations alone; then memory. */
import { performance } from 'node:perf_hooks'
import { here } from './compare/checkout.js'
import { usageOf } from './compare/processes.js'
import { type MeasuredService, startMeasured } from './compare/service.js'
import { quantile, type Section } from './section.js'

const inFlight = [1, 8, 32]
const quotesPerRow = 400
const memoryQuotes = Number(process.env.BENCH_MEMORY_QUOTES ?? 5_000)
const memorySamples = 10
const path = '/api/v1/shortcuts/quote'
/** Means per quote, in the order in which they run. */
const stages = ['state', 'search', 'plan', 'simulate', 'price', 'finalise', 'total'] as const
const pair =
  'tokenIn=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2&tokenOut=0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

export async function httpBench(): Promise<Section[]> {
  const service = await startMeasured(here, { MAX_IN_FLIGHT: '64' })
  try {
    let serial = 0
    // Never the same amount twice: nothing here may be answered from a cache of answers.
    const quote = async () => {
      serial += 1
      const amountIn = (10n ** 18n + BigInt(serial) * 10n ** 12n).toString()
      await service.get(`${path}?${pair}&amountIn=${amountIn}`)
    }
    await load(50, 8, quote)
    const rows: Section['rows'] = []
    for (const parallel of inFlight) {
      const before = await stageSeconds(service)
      const { times, seconds } = await load(quotesPerRow, parallel, quote)
      const after = await stageSeconds(service)
      const stage = (name: string) =>
        (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / quotesPerRow
      const simulation = stage('simulate') + stage('finalise')
      rows.push({
        'in flight': parallel,
        'quotes/s': Math.round(quotesPerRow / seconds),
        'p50 ms': round(quantile(times, 0.5)),
        'p95 ms': round(quantile(times, 0.95)),
        'p99 ms': round(quantile(times, 0.99)),
        ...Object.fromEntries(stages.map((name) => [`${name} ms`, round(stage(name))])),
        'p50 / simulations': round(quantile(times, 0.5) / simulation),
      })
    }
    return [
      { name: 'warm quote over HTTP, 24 candidates', rows },
      { name: `memory over ${memoryQuotes} quotes`, rows: await memory(service, quote) },
    ]
  } finally {
    await service.stop()
  }
}

async function load(count: number, parallel: number, work: () => Promise<void>) {
  const times: number[] = []
  let left = count
  const started = performance.now()
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left-- > 0) {
        const begun = performance.now()
        await work()
        times.push(performance.now() - begun)
      }
    }),
  )
  return { times: times.sort((a, b) => a - b), seconds: (performance.now() - started) / 1_000 }
}

async function memory(
  service: MeasuredService,
  quote: () => Promise<void>,
): Promise<Section['rows']> {
  const rows: Section['rows'] = [memoryRow(service, 0)]
  for (let sample = 1; sample <= memorySamples; sample++) {
    await load(memoryQuotes / memorySamples, 8, quote)
    rows.push(memoryRow(service, (sample * memoryQuotes) / memorySamples))
  }
  return rows
}

function memoryRow({ pid }: MeasuredService, quotes: number) {
  const { serviceMb, forksMb } = usageOf(pid)
  return { quotes, 'service MB': Math.round(serviceMb), 'forks MB': Math.round(forksMb) }
}

async function stageSeconds(service: MeasuredService): Promise<Map<string, number>> {
  const metrics = await service.get('/metrics')
  const sums = metrics.matchAll(/^forkroute_stage_seconds_sum\{stage="(\w+)"\} (\S+)/gm)
  return new Map([...sums].map(([, stage = '', seconds]) => [stage, Number(seconds)]))
}

function round(value: number): number {
  return Number(value.toFixed(1))
}
