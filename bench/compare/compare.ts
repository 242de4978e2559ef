/**
 * `npm run bench -- compare <commit>`: the service of that commit and this one beside each other, each in a process of
 * its own on a sandbox of its own, asked in turns. Fails on nothing: a figure that one side cannot give is empty.
 */
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { toRow as toFirstRow } from '../cold.js'
import { type FirstCost, firstAnswer, firsts, middleOf, sandboxChain } from '../first-answer.js'
import { startLatencyNode } from '../latency-node.js'
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

const firstsName = 'first answers'
const firstsLatencyMs = 50
const firstsRounds = 7
const aboutFirsts = `Of new services at a new block, ${firstsRounds} each, from a node ${firstsLatencyMs} ms away; figures are those of the middle answer.`

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
  const folders = { [base.commit]: base.folder, here }
  const sides = `${base.commit} and the present one in turns`
  try {
    const inTurns = await rowsInTurns(folders, wanted)
    const firstRows = isWanted(firstsName, wanted) ? await firstsOf(folders) : []
    return [
      { name: sides, about, rows: inTurns },
      { name: `${sides}: ${firstsName}`, about: aboutFirsts, rows: firstRows },
    ].filter(({ rows }) => rows.length > 0)
  } finally {
    base.remove()
  }
}

async function rowsInTurns(
  folders: Readonly<Record<string, string>>,
  wanted: readonly string[],
): Promise<Section['rows']> {
  const asked = Object.entries(scenarios).filter(([name]) => isWanted(name, wanted))
  if (asked.length === 0) return []
  const services: Record<string, MeasuredService> = {}
  const rows: Section['rows'] = []
  try {
    for (const [side, folder] of Object.entries(folders)) {
      services[side] = await startMeasured(folder, lookOften)
    }
    for (const service of Object.values(services)) await warm(60, 4)(service)
    for (const [name, scenario] of asked) rows.push(...(await rowsOf(name, scenario, services)))
    return rows
  } finally {
    for (const service of Object.values(services)) await service.stop()
  }
}

function isWanted(name: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((part) => name.includes(part))
}

/** Each answer is that of a new service, at a new block of one sandbox. */
async function firstsOf(folders: Readonly<Record<string, string>>): Promise<Section['rows']> {
  const sandbox = await startSandbox()
  const node = await startLatencyNode(sandbox.url, firstsLatencyMs)
  const rows: Section['rows'] = []
  try {
    for (const what of firsts) {
      const costs = new Map<string, FirstCost[]>()
      for (let round = 0; round < firstsRounds; round++) {
        for (const [side, folder] of Object.entries(folders)) {
          const cost = await firstAnswer(folder, node, sandboxChain(sandbox.url), what)
          costs.set(side, [...(costs.get(side) ?? []), cost])
        }
      }
      for (const [side, all] of costs) rows.push({ what, side, ...toFirstRow(middleOf(all)) })
    }
  } finally {
    await node.stop()
    await sandbox.stop()
  }
  return rows
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
