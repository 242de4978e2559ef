/**
 * `npm run bench -- compare <commit>`: the service of that commit and this one beside each other, each in a process of
 * its own on a sandbox of its own, asked in turns. Fails on nothing: a figure that one side cannot give is empty.
 */
import { quantile, type Section } from '../section.js'
import { checkOut, here } from './checkout.js'
import { usageOf } from './processes.js'
import { backtest, ladder, movingHead, type Slice, stream, warm } from './scenarios.js'
import { type MeasuredService, startMeasured } from './service.js'

const adaptive = '&proof=adaptive'
/** So that a stream's time is that from a head's being seen, and not the pause between two looks for one. */
const lookOften = { HEAD_POLL_MS: '100' }

const about = [
  'Both services run in processes of their own. Medians are over all answers, and the least of the rounds; processor time is that of the service and of its forks for each answer.',
  'Of a ladder each rung is what a quote of its amount alone is, byte for byte, so rungs share the market and the growth of splits, but no simulation:',
  'with all candidates proven, 50 rungs are about 1,300 simulations, which bounds it at the price of that many; at least five a rung (three candidates, the final transaction by both entry points) are left with `proof=adaptive`.',
  "Both look for a head every 100 ms, so that little of a stream's time is the wait for the next look.",
  'A backtest asks four pairs at each block, several blocks at a time; its times are the shares of a job.',
].join(' ')

interface Scenario {
  readonly slice: Slice
  readonly rounds: number
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'warm, 1 in flight': { slice: warm(40, 1), rounds: 8 },
  'warm, 1 in flight, adaptive': { slice: warm(40, 1, adaptive), rounds: 8 },
  'warm, 8 in flight': { slice: warm(120, 8), rounds: 5 },
  'warm, 8 in flight, adaptive': { slice: warm(120, 8, adaptive), rounds: 5 },
  'a block every 3 s': { slice: movingHead({ blockMs: 3_000, seconds: 12 }), rounds: 3 },
  'a block every 3 s, adaptive': {
    slice: movingHead({ blockMs: 3_000, seconds: 12, more: adaptive }),
    rounds: 2,
  },
  'a block every 250 ms': { slice: movingHead({ blockMs: 250, seconds: 8 }), rounds: 3 },
  'ladder of 50': { slice: ladder(50, 4), rounds: 4 },
  'ladder of 50, adaptive': { slice: ladder(50, 4, { proof: 'adaptive' }), rounds: 4 },
  'stream of 50': { slice: stream(50, 4), rounds: 3 },
  'stream of 50, adaptive': { slice: stream(50, 4, { proof: 'adaptive' }), rounds: 3 },
  'backtest of new blocks': { slice: backtest(20), rounds: 4 },
}

interface Measured {
  readonly times: number[]
  readonly medians: number[]
  seconds: number
  serviceMs: number
  forksMs: number
}

/** @param wanted - parts of names of scenarios; empty: all. */
export async function compareBench(
  commit: string,
  wanted: readonly string[] = [],
): Promise<Section[]> {
  const base = checkOut(commit)
  const services: Record<string, MeasuredService> = {}
  try {
    services[base.commit] = await startMeasured(base.folder, lookOften)
    services.here = await startMeasured(here, lookOften)
    for (const service of Object.values(services)) await warm(60, 4)(service)
    const rows: Section['rows'] = []
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (wanted.length && !wanted.some((part) => name.includes(part))) continue
      rows.push(...(await rowsOf(name, scenario, services)))
    }
    return [
      {
        name: `${base.commit} and the present one in turns`,
        about,
        rows,
      },
    ]
  } finally {
    for (const service of Object.values(services)) await service.stop()
    base.remove()
  }
}

async function rowsOf(
  name: string,
  { slice, rounds }: Scenario,
  services: Readonly<Record<string, MeasuredService>>,
): Promise<Section['rows']> {
  const measured = new Map<string, Measured>()
  for (let round = 0; round < rounds; round++) {
    for (const [side, service] of Object.entries(services)) {
      const all = measured.get(side) ?? {
        times: [],
        medians: [],
        seconds: 0,
        serviceMs: 0,
        forksMs: 0,
      }
      measured.set(side, all)
      await measure(all, service, slice).catch((error: unknown) => {
        console.error(`${name}, ${side}: ${error instanceof Error ? error.message : error}`)
      })
    }
  }
  return [...measured].map(([side, all]) => toRow(name, side, all, services[side]))
}

async function measure(all: Measured, service: MeasuredService, slice: Slice): Promise<void> {
  const before = usageOf(service.pid)
  const started = performance.now()
  const times = [...(await slice(service))].sort((a, b) => a - b)
  all.seconds += (performance.now() - started) / 1_000
  const after = usageOf(service.pid)
  all.times.push(...times)
  all.medians.push(quantile(times, 0.5))
  all.serviceMs += after.serviceMs - before.serviceMs
  all.forksMs += after.forksMs - before.forksMs
}

function toRow(
  what: string,
  side: string,
  { times, medians, seconds, serviceMs, forksMs }: Measured,
  service: MeasuredService | undefined,
): Record<string, string | number> {
  const sorted = [...times].sort((a, b) => a - b)
  const count = sorted.length
  const usage = service && usageOf(service.pid)
  if (!count) return { what, side }
  return {
    what,
    side,
    answers: count,
    'least p50 ms': round(Math.min(...medians)),
    'p50 ms': round(quantile(sorted, 0.5)),
    'p99 ms': round(quantile(sorted, 0.99)),
    'a second': round(count / seconds),
    'service ms': round(serviceMs / count),
    'forks ms': round(forksMs / count),
    'service MB': Math.round(usage?.serviceMb ?? 0),
    'forks MB': Math.round(usage?.forksMb ?? 0),
  }
}

function round(value: number): number {
  return Number(value.toFixed(1))
}
