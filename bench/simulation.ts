/**
 * Candidates simulated per second: the product's path against a tuned sequential loop and a naive viem loop on
 * the same transactions, in turns within one run. Run by itself it prints a table, then JSON as its last line.
 */

import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { ethereum } from '../src/chains/ethereum.js'
import { ForkPool } from '../src/forks/pool.js'
import { simulate } from '../src/forks/simulate.js'
import { createRpcClient } from '../src/rpc/node/json-rpc.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { startAnvil } from '../test/support/anvil.js'
import { readPin } from '../test/support/pin.js'
import type { Section } from './section.js'
import {
  type Baseline,
  naiveBaseline,
  type Outcome,
  tunedBaseline,
} from './simulation-baselines.js'
import { type Candidate, makeCandidates, router, routerCode } from './simulation-candidates.js'

const candidateCount = 90
const rounds = 3
/** Of one way in one round. */
const roundMs = 3_000
/** Of one round. */
const maxFailures = 20
const targets = { tuned: 10, naive: 60 }

function startPlainFork(url: string, block: bigint, flags: readonly string[]) {
  const fork = ['--fork-url', url, '--fork-block-number', `${block}`, '--chain-id', '1']
  return startAnvil([...fork, '--no-storage-caching', '--no-rate-limit', ...flags])
}

/** Candidates per second: runs until the time is over. A turn that came to nothing counts neither way. */
async function rateOf(run: () => Promise<readonly Outcome[]>) {
  let done = 0
  let spentMs = 0
  let failed = 0
  while (spentMs < roundMs && failed < maxFailures) {
    const started = performance.now()
    const outcomes = await run()
    if (outcomes.every((gas) => gas === null)) {
      failed += 1
      continue
    }
    spentMs += performance.now() - started
    done += outcomes.length
  }
  return { perSecond: (done * 1_000) / spentMs, failed }
}

function sequence(baseline: Baseline, candidates: readonly Candidate[]) {
  let next = 0
  return async () => {
    const candidate = candidates[next++ % candidates.length]
    return candidate ? [await baseline(candidate)] : []
  }
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Candidates per second of the three ways, and whether gas agrees with the receipts. */
export async function simulationBench(): Promise<Section> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    return report(await run(closers))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

interface Figures {
  readonly succeeded: number
  /** Candidates whose simulated gas is not that of the tuned loop's receipt. */
  readonly differing: number
  /** Turns of the naive loop that ended without a receipt; their time is left out of its rate. */
  readonly naiveHangs: number
  readonly perSecond: Readonly<Record<'product' | 'tuned' | 'naive', number>>
}

async function run(closers: (() => Promise<unknown>)[]): Promise<Figures> {
  const sandbox = await startSandbox({})
  closers.push(() => sandbox.stop())
  const client = createRpcClient(sandbox.url)
  closers.push(() => client.close())
  const pin = await readPin(sandbox.url)
  const pool = new ForkPool({
    archiveUrl: () => sandbox.url,
    contracts: { [router]: routerCode },
  })
  closers.push(() => pool.close())
  await pool.warm(pin)
  const { urls } = await pool.acquire(pin)
  const candidates = await makeCandidates(urls, pin, candidateCount)
  const requests = candidates.map(({ request }) => request)
  const product = async (warm: boolean): Promise<Outcome[]> => {
    const results = await simulate({ urls, pin, chain: ethereum }, requests, { warm })
    return results.map((result) => (result.status === 'success' ? result.gasUsed : null))
  }
  const tunedFork = await startPlainFork(sandbox.url, pin.number, ['--no-mining'])
  closers.push(tunedFork.stop)
  const naiveFork = await startPlainFork(sandbox.url, pin.number, [])
  closers.push(naiveFork.stop)
  const tuned = await tunedBaseline(tunedFork.url, pin, candidates)
  const naive = await naiveBaseline(naiveFork.url, candidates)

  // A first pass warms every fork and gives the outcomes that must agree.
  const gas = await product(false)
  const receipts: Outcome[] = []
  for (const candidate of candidates) receipts.push(await tuned(candidate))
  for (const candidate of candidates) await naive(candidate)

  const rates = { product: [] as number[], tuned: [] as number[], naive: [] as number[] }
  let naiveHangs = 0
  const nextTuned = sequence(tuned, candidates)
  const nextNaive = sequence(naive, candidates)
  for (let round = 0; round < rounds; round++) {
    rates.product.push((await rateOf(() => product(true))).perSecond)
    rates.tuned.push((await rateOf(nextTuned)).perSecond)
    const { perSecond, failed } = await rateOf(nextNaive)
    rates.naive.push(perSecond)
    naiveHangs += failed
  }
  return {
    succeeded: gas.filter((used) => used !== null).length,
    differing: gas.filter((used, index) => used !== receipts[index]).length,
    naiveHangs,
    perSecond: {
      product: median(rates.product),
      tuned: median(rates.tuned),
      naive: median(rates.naive),
    },
  }
}

function report({ perSecond, succeeded, differing, naiveHangs }: Figures): Section {
  const row = (way: string, rate: number, target: number | '') => ({
    way,
    perSecond: Math.round(rate),
    productIsTimesFaster: Number((perSecond.product / rate).toFixed(1)),
    target,
  })
  return {
    name: `simulation: ${candidateCount} candidates of 1 to 3 hops, ${succeeded} succeed, ${differing} differ in gas from the receipt, ${naiveHangs} hangs of the naive loop left out`,
    rows: [
      row('product: eth_simulateV1 on shared forks', perSecond.product, ''),
      row('tuned: snapshot, send, mine, revert', perSecond.tuned, targets.tuned),
      row('naive: viem', perSecond.naive, targets.naive),
    ],
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { name, rows } = await simulationBench()
  const table = new Table({ head: Object.keys(rows[0] ?? {}) })
  table.push(...rows.map((row) => Object.values(row)))
  process.stdout.write(`${name}\n${table.toString()}\n${JSON.stringify({ name, rows })}\n`)
}
