/**
 * Candidates simulated per second: the product's path against a tuned sequential loop and a naive viem loop on
 * the same transactions, in turns within one run. Prints a table, then JSON as its last line; fails when gas
 * differs from the tuned loop's receipts or a target is missed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import Table from 'cli-table3'
import { anvilBinary } from '../src/forks/anvil.js'
import { createForkPool } from '../src/forks/fork-pool.js'
import { simulate } from '../src/forks/simulate.js'
import { createRpcClient } from '../src/rpc/json-rpc.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import {
  type Baseline,
  naiveBaseline,
  type Outcome,
  tunedBaseline,
} from './simulation-baselines.js'
import { makeCandidates, readPin } from './simulation-scene.js'

const candidateCount = 90
const rounds = 3
/** Of one way in one round. */
const roundMs = 3_000
const targets = { tuned: 10, naive: 60 }

async function startPlainFork(url: string, block: bigint, port: number, flags: readonly string[]) {
  const fork = ['--fork-url', url, '--fork-block-number', `${block}`, '--chain-id', '1']
  const args = [...fork, '--port', `${port}`, '--no-storage-caching', '--no-rate-limit', '-q']
  const child = spawn(anvilBinary(), [...args, ...flags], { stdio: 'ignore' })
  const client = createRpcClient(`http://127.0.0.1:${port}`)
  for (;;) {
    if (child.exitCode !== null) throw new Error('A baseline Anvil did not start.')
    if (await client.request('eth_chainId').catch(() => null)) break
  }
  await client.close()
  const stop = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** Runs in turns until the time is over; candidates per second, and the outcomes of the first pass. */
async function measure(run: () => Promise<readonly Outcome[]>) {
  const started = performance.now()
  let done = 0
  while (performance.now() - started < roundMs) done += (await run()).length
  return (done * 1_000) / (performance.now() - started)
}

function sequence(baseline: Baseline, candidates: Parameters<Baseline>[0][]) {
  let next = 0
  return async () => {
    const candidate = candidates[next++ % candidates.length]
    return candidate ? [await baseline(candidate)] : []
  }
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const sandbox = await startSandbox({})
const client = createRpcClient(sandbox.url)
const pin = await readPin(client)
await client.close()
const pool = createForkPool({ archiveUrl: () => sandbox.url })
const lease = await pool.acquire(pin)
const candidates = await makeCandidates(lease.urls, pin, candidateCount)
const fork = { urls: lease.urls, pin, blockTimeSeconds: 12 }
const requests = candidates.map(({ request }) => request)
const product = async (warm: boolean): Promise<Outcome[]> =>
  (await simulate(fork, requests, { warm })).map((result) =>
    result.status === 'success' ? result.gasUsed : null,
  )

const tunedFork = await startPlainFork(sandbox.url, pin.number, 28_545, ['--no-mining'])
const naiveFork = await startPlainFork(sandbox.url, pin.number, 28_546, [])
const tuned = await tunedBaseline(tunedFork.url, pin, candidates)
const naive = await naiveBaseline(naiveFork.url, candidates)

// A first pass warms every fork and gives the outcomes that must agree.
const productGas = await product(false)
const tunedGas: Outcome[] = []
for (const candidate of candidates) tunedGas.push(await tuned(candidate))
let naiveFailed = 0
for (const candidate of candidates) if ((await naive(candidate)) === null) naiveFailed += 1
const differing = productGas.filter((gas, index) => gas !== tunedGas[index]).length
const succeeded = productGas.filter((gas) => gas !== null).length

const rates = { product: [] as number[], tuned: [] as number[], naive: [] as number[] }
const nextTuned = sequence(tuned, candidates)
const nextNaive = sequence(naive, candidates)
for (let round = 0; round < rounds; round++) {
  rates.product.push(await measure(() => product(true)))
  rates.tuned.push(await measure(nextTuned))
  rates.naive.push(await measure(nextNaive))
}
lease.release()
await Promise.all([pool.close(), tunedFork.stop(), naiveFork.stop()])
await sandbox.stop()

const perSecond = {
  product: median(rates.product),
  tuned: median(rates.tuned),
  naive: median(rates.naive),
}
const ratio = {
  tuned: perSecond.product / perSecond.tuned,
  naive: perSecond.product / perSecond.naive,
}
const table = new Table({ head: ['way', 'per second', 'product is … times faster', 'target'] })
table.push(
  ['product: eth_simulateV1 on shared forks', perSecond.product.toFixed(0), '', ''],
  [
    'tuned: snapshot, send, mine, revert',
    perSecond.tuned.toFixed(0),
    ratio.tuned.toFixed(1),
    targets.tuned,
  ],
  ['naive: viem', perSecond.naive.toFixed(0), ratio.naive.toFixed(1), targets.naive],
)
const met = ratio.tuned >= targets.tuned && ratio.naive >= targets.naive && differing === 0
const report = {
  bench: 'simulation',
  cpus: cpus().length,
  candidates: candidateCount,
  succeeded,
  gasDiffersFromReceipt: differing,
  naiveFailed,
  perSecond,
  ratio,
  targets,
  met,
}
process.stdout.write(`${table.toString()}\n${JSON.stringify(report)}\n`)
process.exitCode = met ? 0 : 1
