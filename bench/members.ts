/** PROCESSES: what one, two and four processes answer on this machine, in turns. */

import { here } from './compare/checkout.js'
import { memoryOf } from './compare/processes.js'
import { warm } from './compare/scenarios.js'
import { type MeasuredService, startMeasured } from './compare/service.js'
import { quantile, type Section } from './section.js'

const counts = [1, 2, 4]
const rounds = 5
const quotes = 160
const inFlight = 16

interface Measured {
  readonly times: number[]
  readonly perSecond: number[]
}

/** Warm quotes, all candidates simulated, and adaptive ones; each process has its share of the threads, and one fork. */
export async function membersBench(): Promise<Section> {
  const rows: Section['rows'] = []
  for (const more of ['', '&proof=adaptive']) {
    const services = new Map<number, MeasuredService>()
    for (const count of counts) {
      const env = { PROCESSES: String(count), FORKS_PER_BLOCK: count === 1 ? '2' : '1' }
      services.set(count, await startMeasured(here, { ...env, MAX_IN_FLIGHT: '64' }))
    }
    const all = new Map(
      counts.map((count): [number, Measured] => [count, { times: [], perSecond: [] }]),
    )
    try {
      for (const service of services.values()) await warm(200, inFlight, more)(service)
      for (let round = 0; round < rounds; round++) {
        for (const [count, service] of services) {
          const begun = performance.now()
          const times = await warm(quotes, inFlight, more)(service)
          const seconds = (performance.now() - begun) / 1_000
          all.get(count)?.times.push(...times)
          all.get(count)?.perSecond.push(times.length / seconds)
        }
      }
      for (const [count, { times, perSecond }] of all) {
        const sorted = times.toSorted((a, b) => a - b)
        const usage = memoryOf(services.get(count)?.pid ?? 0)
        rows.push({
          proof: more ? 'adaptive' : 'all',
          processes: count,
          'quotes/s': Math.round(
            quantile(
              perSecond.toSorted((a, b) => a - b),
              0.5,
            ),
          ),
          'p50 ms': Math.round(quantile(sorted, 0.5)),
          'p99 ms': Math.round(quantile(sorted, 0.99)),
          'service MB': Math.round(usage.serviceMb),
          'forks MB': Math.round(usage.forksMb),
        })
      }
    } finally {
      for (const service of services.values()) await service.stop()
    }
  }
  return { name: `warm quotes, ${inFlight} in flight, by PROCESSES`, rows }
}
