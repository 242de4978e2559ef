/** Endpoints that calculate nothing, while quotes keep the machine busy: what a front end feels. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startService, type TestService } from '../test/support/service/service.js'
import type { LoadOrders, LoadReport } from './load.js'
import { quantile, type Section } from './section.js'

const paths = ['/api/v1/networks', '/api/v1/tokens?chainId=1&pageSize=100', '/api/v1/tokens']
const quotesInFlight = [0, 32]
const rounds = 400

export async function cheapBench(): Promise<Section> {
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '10000000', MAX_IN_FLIGHT: '64' })
  try {
    await load(service, { quotes: 8, rounds: 20 })
    const rows: Section['rows'] = []
    for (const quotes of quotesInFlight) {
      const report = await load(service, { quotes, rounds })
      for (const path of paths) {
        const times = [...(report.times[path] ?? [])].sort((a, b) => a - b)
        const at = (q: number) => Number(quantile(times, q).toFixed(1))
        rows.push({
          path,
          'quotes in flight': quotes,
          'quotes/s': Math.round(report.quotes / report.seconds),
          'p50 ms': at(0.5),
          'p95 ms': at(0.95),
          'p99 ms': at(0.99),
        })
      }
    }
    return { name: 'cheap endpoints under load', rows }
  } finally {
    await service.stop()
  }
}

async function load(
  { url, key }: TestService,
  orders: Pick<LoadOrders, 'quotes' | 'rounds'>,
): Promise<LoadReport> {
  const file = fileURLToPath(new URL('./load.ts', import.meta.url))
  const args = ['--import', 'tsx', file, JSON.stringify({ url, key, paths, ...orders })]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
  return JSON.parse(stdout) as LoadReport
}
