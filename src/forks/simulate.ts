/**
 * Runs transactions on top of a pinned block with eth_simulateV1: exact gas, balances before and after,
 * logs and decoded revert reasons. Stateless, so any number may run at once on shared forks.
 * Called by the workers; knows nothing of routes.
 */
import { setMaxListeners } from 'node:events'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Abi } from 'viem'
import { upstreamUnavailable } from '../domain/common-errors.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../domain/state.js'
import type { RpcCall, RpcResult } from '../rpc/node/json-rpc.js'
import { askForkAtOnce, faultOf, isMalformed } from './faults.js'
import type { GasBudget } from './gas-budget.js'
import { senderBalances } from './sender-balance.js'
import {
  encodeSimulation,
  firstGas,
  gasOfAll,
  mostGas,
  type NextBlock,
  type SimulatedBlock,
  toResult,
} from './simulation-codec.js'

/** Most calls in one JSON-RPC batch on a warm fork: more is no faster, and 120 hold 310 MB in Anvil. */
const mostPerBatch = 8
/**
 * Fewest, where there are so many: a request of its own costs service and fork as much as half a simulation, and a thread
 * of Anvil woken for one call gains no time (docs/explanation/speed.md).
 */
const leastPerBatch = 3
/** Anvil refuses bodies over 2 MB; leaves room for the envelope. */
const maxBatchChars = 1_500_000
/**
 * Batches in flight on one warm fork, over all calculations of this thread: each keeps a thread of Anvil running, and
 * dozens of those on a few cores would starve the threads that answer requests.
 */
const batchesPerFork = 2
/** Simulations of a request that may fail with the highest gas limit, too: what fails one mostly fails all. */
const mostStarvedTwice = 3
/** Single requests in flight on cold forks, together: Anvil works a batch off one by one, reads included. */
const coldInFlight = 16

export interface SimulationFork extends NextBlock {
  /** Forks of the same block; the work is spread over them. */
  readonly urls: readonly string[]
}

/**
 * Simulates each request by itself in the block after the pinned one. Results are in the order of the requests; a fault
 * of one request never fails another.
 *
 * @param options.warm - true when the forks have the state that the requests touch: batches are then faster.
 * @param options.errorsAbi - custom errors to decode in revert reasons.
 * @param options.budget - of the request that this is part of.
 * @throws ForkLostError when a fork is dead or hangs: replace it and try once again.
 * @throws ForkrouteError SIMULATION_TOO_LARGE; UPSTREAM_UNAVAILABLE when forks cannot read state at all; the signal's reason when aborted.
 */
export async function simulate(
  fork: SimulationFork,
  requests: readonly SimulationRequest[],
  options: {
    readonly signal?: AbortSignal
    readonly warm?: boolean
    readonly errorsAbi?: Abi
    readonly budget?: GasBudget
  } = {},
): Promise<SimulationResult[]> {
  const results: SimulationResult[] = []
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  // Every request in flight listens to it.
  setMaxListeners(0, signal)
  signal.throwIfAborted()
  options.budget?.check(fork.pin)
  const balances = await senderBalances(fork, requests, signal)
  const block: SimulatedBlock = { ...fork, balances }
  let queue: Job[] = []
  const starved: Job[] = []
  function enqueue(index: number, request: SimulationRequest, gas: bigint): void {
    const call = encodeSimulation(block, request, gas)
    if (call.ok) queue.push({ index, request, gas, call: call.value, chars: call.chars })
    else results[index] = { status: 'unreadable', message: call.message }
  }
  for (const [index, request] of requests.entries()) {
    enqueue(index, request, firstGas(fork.pin, request))
  }

  // Evenly, so that no lane is left with the most.
  const all = lanes(fork.urls, options.warm ?? false)
  const share = Math.max(leastPerBatch, Math.ceil(queue.length / all.length))
  const batchSize = options.warm ? Math.min(share, mostPerBatch) : 1

  async function lane(url: string): Promise<void> {
    for (;;) {
      const jobs = takeBatch(queue, batchSize)
      if (jobs.length === 0) return
      const replies = options.warm
        ? await gates.of(url)(() => send(url, fork.pin, jobs, signal))
        : await send(url, fork.pin, jobs, signal)
      for (const [position, job] of jobs.entries()) {
        const reply = replies[position]
        if (!reply) continue
        options.budget?.spend(reply.ok ? gasOfAll(reply.value) : 0n)
        const result = read(fork, job, reply, options.errorsAbi)
        results[job.index] = result
        const most = mostGas(fork.pin, job.request)
        if (job.gas < most && isStarved(result, job.gas)) starved.push(job)
      }
    }
  }

  /** In order, one on each fork at a time, until too many have used up the higher limit as well. */
  async function runAgain(): Promise<void> {
    starved.sort((a, b) => a.index - b.index)
    const mostFailures = mostStarvedTwice * (options.budget?.requests ?? 1)
    let failures = 0
    while (starved.length > 0 && failures < mostFailures) {
      queue = []
      const round = starved.splice(0, fork.urls.length)
      for (const { index, request } of round) enqueue(index, request, mostGas(fork.pin, request))
      await Promise.all(fork.urls.map(lane))
      failures += round.filter(({ index }) => results[index]?.status !== 'success').length
    }
  }

  try {
    await Promise.all(all.map(lane))
    await runAgain()
  } catch (error) {
    stop.abort(error)
    throw error
  }
  return results
}

/** Bounds the batches in flight on each warm fork, over all calculations of a thread. */
class ForkGates {
  readonly #limits = new LRUCache<string, LimitFunction>({ max: 128 })

  of(url: string): LimitFunction {
    const limit = this.#limits.get(url) ?? pLimit(batchesPerFork)
    this.#limits.set(url, limit)
    return limit
  }
}

/** One for each thread, as this module is. */
const gates = new ForkGates()

interface Job {
  readonly index: number
  readonly request: SimulationRequest
  /** Limit of the measured transaction. */
  readonly gas: bigint
  readonly call: RpcCall
  readonly chars: number
}

/** One URL per lane. */
function lanes(urls: readonly string[], warm: boolean): string[] {
  const perFork = warm ? batchesPerFork : Math.ceil(coldInFlight / Math.max(1, urls.length))
  return Array.from({ length: perFork }, () => urls).flat()
}

function takeBatch(queue: Job[], size: number): Job[] {
  let count = 0
  let chars = 0
  for (const job of queue.slice(0, size)) {
    chars += job.chars
    if (count > 0 && chars > maxBatchChars) break
    count += 1
  }
  return queue.splice(0, count)
}

async function send(
  url: string,
  pin: BlockPin,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<RpcResult[]> {
  return askForkAtOnce(
    url,
    pin,
    jobs.map(({ call }) => call),
    signal,
  )
}

/**
 * Whether it may have failed for want of gas. A call that runs out leaves each of its callers a 64th of what they had,
 * so a few levels of calls still count.
 */
function isStarved(result: SimulationResult, gas: bigint): boolean {
  return result.status === 'reverted' && result.gasUsed * 8n >= gas * 7n
}

/** Anvil's words for a transaction that is not valid at all, such as a value above the sender's balance. */
const invalidTransaction = /insufficient funds|nonce|gas|initcode|sender/i

function read(
  fork: SimulationFork,
  { request, gas }: Job,
  reply: RpcResult,
  errorsAbi: Abi | undefined,
): SimulationResult {
  const { pin } = fork
  if (reply.ok) return toResult(fork, { request, gas, errorsAbi }, reply.value)
  const { error } = reply
  if (isMalformed(error)) throw error
  const fault = faultOf(error.message)
  if (fault === 'upstream') throw upstreamUnavailable(pin, error)
  if (fault === 'own' && invalidTransaction.test(error.message)) {
    const noData: Hex = '0x'
    return { status: 'reverted', gasUsed: 0n, returnData: noData, reason: error.message }
  }
  return { status: 'unreadable', message: error.message }
}
