/**
 * Runs one task in a thread: pins its block, waits for its turn and leases forks of the block. Where a fork was lost,
 * it tries again on a new one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { untilAborted } from '../domain/abort.js'
import { isMeantFor } from '../domain/changes/overlay.js'
import type { CallContext } from '../domain/engine.js'
import type { BlockPin } from '../domain/primitives.js'
import type { ArchivedBlock } from '../forks/block-source.js'
import { atBorder } from '../forks/faults.js'
import type { ForkLease } from '../forks/lease.js'
import type { ForkPool } from '../forks/pool.js'
import { forksOf, replacingLost } from '../forks/replace-lost.js'
import type { TaskKind, TaskPlace, TaskReply, TaskTypes } from '../routing/dispatch.js'
import type { Archive } from '../rpc/archive/archive.js'
import { quietly } from '../telemetry/quietly.js'
import { inSpan } from '../telemetry/tracing.js'
import { createChangedPins } from './changed-pins.js'
import type { ConfiguredChains } from './configured-chains.js'
import { createFairShare } from './fair-share.js'
import type { Pins } from './pins.js'
import type { TraceBook } from './trace-book.js'
import { unwrap, type WorkerPool } from './worker-pool.js'

/** A chain and a block number; without a number, the newest pinned block. */
export interface Place {
  readonly chainId: number
  readonly blockNumber?: bigint | undefined
}

/** Methods throw ForkrouteError, or the signal's reason when aborted. */
export interface TaskRunner {
  /** The pinned block of the place. */
  pin(at: Place, context: CallContext): Promise<BlockPin>
  run<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    at: Place,
    context: CallContext,
  ): Promise<TaskTypes[K]['result']>
  runAt<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    pin: BlockPin,
    context: CallContext,
  ): Promise<TaskTypes[K]['result']>
}

export interface TaskRunnerParts {
  readonly chains: ConfiguredChains
  readonly archive: Pick<Archive, 'url' | 'change'>
  readonly forks: Pick<ForkPool, 'acquire'>
  readonly pins: Pick<Pins, 'at'>
  readonly workers: Pick<WorkerPool, 'threads' | 'turns' | 'run'>
  readonly traces: TraceBook
}

/** Tasks whose answer is one transaction of the next block; others show the chain as it is. */
const overlaidKinds: readonly TaskKind[] = ['route', 'demand', 'quotes', 'bundle', 'nontokenized']
/** Background tasks per thread while there are no live calls: one calculates while another waits for its forks. */
const backgroundPerThread = 2

export function createTaskRunner(parts: TaskRunnerParts): TaskRunner {
  const { chains, pins } = parts
  const changedPins = createChangedPins(parts.archive, parts.workers.threads)
  const share = createFairShare(parts.workers.threads * backgroundPerThread)

  async function onForks<K extends TaskKind>(task: Task<K>): Promise<TaskTypes[K]['result']> {
    const { kind, pin, context } = task
    const overlay = overlaidKinds.includes(kind) && context.overlay?.(pin.chainId)
    if (!overlay || pin.changes || !isMeantFor(overlay, pin)) return runOnForks(task, parts)
    context.onOverlay?.(overlay)
    return changedPins.overlaid(pin, overlay, (changed) =>
      runOnForks({ ...task, pin: changed }, parts),
    )
  }

  function live<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return share.live(() => parts.workers.turns.run(work, signal))
  }

  const runner: TaskRunner = {
    async pin({ chainId, blockNumber }, context) {
      const { signal, isBackground = false, readsAhead = true, heads, onBlock } = context
      const number = blockNumber ?? heads?.get(chainId)
      const options = { isBackground, readsAhead }
      const { id } = chains.of(chainId)
      const pin = await inSpan('pin', () => untilAborted(pins.at(id, number, options), signal), {
        facts: { 'forkroute.chain_id': id },
      })
      onBlock?.(pin, blockNumber === undefined)
      return pin
    },
    async run(kind, args, at, context) {
      const { signal, isBackground = false } = context
      if (isBackground) return runner.runAt(kind, args, await runner.pin(at, context), context)
      const { whatIf } = context
      const calculate = async () => {
        const pin = await runner.pin(at, context)
        return changedPins.at(pin, whatIf, (changed) =>
          onForks({ kind, args, pin: changed, context }),
        )
      }
      return changedPins.turn(whatIf, () => live(calculate, signal), signal)
    },
    runAt(kind, args, pin, context) {
      const { signal, isBackground = false } = context
      const work = () => onForks({ kind, args, pin, context })
      return isBackground ? share.background(work, signal) : live(work, signal)
    },
  }
  return runner
}

interface Task<K extends TaskKind> {
  readonly kind: K
  readonly args: TaskTypes[K]['args']
  readonly pin: BlockPin
  readonly context: CallContext
}

/**
 * Leases forks for as long as the task runs. Where they have to start, the task begins without them: first it reads and
 * searches, which takes as long.
 */
async function runOnForks<K extends TaskKind>(
  task: Task<K>,
  parts: TaskRunnerParts,
): Promise<TaskTypes[K]['result']> {
  const { pin } = task
  const { signal } = task.context
  const leasing = inSpan('lease', () => parts.forks.acquire(pin))
  let isDone = false
  try {
    const running = await Promise.race([leasing, nextTurn(null)])
    const forks = running ? forksOf(running) : { forkUrls: [], forksToCome: bring(leasing) }
    const first = await attempt(task, forks, parts)
    // Why there are no forks is the better reason.
    const lease = first.ok ? null : await untilAborted(leasing, signal)
    const reply = lease
      ? await replacingLost(first, {
          lostIn: (one) => (one.ok ? undefined : one.lostFork),
          replace: (lost) => untilAborted(lease.reportLost(lost), signal),
          again: () => attempt(task, forksOf(lease), parts),
        })
      : first
    isDone = reply.ok && !reply.trace.isCut
    return unwrap(reply)
  } catch (error) {
    throw atBorder(error, pin)
  } finally {
    leasing.then(
      (lease) => lease.release(isDone),
      () => undefined,
    )
  }
}

/** For a thread: what reads there have in common goes on even when the task that began them is given up. */
function bring(leasing: Promise<ForkLease>): MessagePort {
  const { port1, port2 } = new MessageChannel()
  const brought = leasing.then((lease) => port1.postMessage(forksOf(lease)))
  const told = quietly(brought, 'The thread sees that no forks come, and the task says why.')
  void told.finally(() => port1.close())
  return port2
}

async function attempt<K extends TaskKind>(
  { kind, args, pin, context }: Task<K>,
  forks: Omit<TaskPlace, keyof ArchivedBlock>,
  { archive, workers, traces }: TaskRunnerParts,
): Promise<TaskReply<K>> {
  const archiveUrl = archive.url(pin.chainId, pin.number, pin.hash, pin.changes?.stateId)
  const place = { pin, archiveUrl, ...forks }
  const { signal, isBackground = false, deadline } = context
  const orders = context.orders?.(pin.chainId) ?? []
  const left = deadline !== undefined && { deadlineMs: Math.max(0, deadline - Date.now()) }
  const reply = await inSpan(`task ${kind}`, () =>
    workers.run(
      { kind, args, place, isBackground, ...left, ...(orders.length > 0 && { orders }) },
      signal,
    ),
  )
  traces.note(pin, reply.trace)
  return reply
}
