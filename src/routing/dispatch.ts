/**
 * The entry of a routing thread: one message in, one reply out, structured-clonable values only. Each kind of task is a
 * handler here, from which the messages have their types. Errors are returned as data, never thrown.
 */
import { performance } from 'node:perf_hooks'
import type { MessagePort } from 'node:worker_threads'
import { untilAborted } from '../domain/abort.js'
import type { TypedBundle } from '../domain/bundle.js'
import { defined } from '../domain/defined.js'
import { ForkrouteError, toWireError, type WireError } from '../domain/errors.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { MakerOffer } from '../domain/signed-order.js'
import type { ArchivedBlock, ForkUrls } from '../forks/block-source.js'
import { atBorder, ForkLostError } from '../forks/faults.js'
import { ForkReader } from '../forks/reader.js'
import type { Pool } from '../protocols/pool.js'
import { quietly } from '../telemetry/quietly.js'
import type { SpanData } from '../telemetry/tracer.js'
import { finishedSpans, inTraceOf, noteSpan } from '../telemetry/tracing.js'
import { openTask, type Task } from './block/task.js'
import { emptyReport, type TaskReport } from './block/task-report.js'
import type { WorkerContext } from './block/worker-context.js'
import { resultOf, runBundle } from './bundle/bundle-task.js'
import { runNontokenized } from './bundle/nontokenized-task.js'
import { runDeliveryStatus } from './crosschain/delivery-status-task.js'
import { runDelivery } from './crosschain/delivery-task.js'
import { runDestinationLeg } from './crosschain/destination-task.js'
import { runEstimates } from './crosschain/estimates-task.js'
import { runExactOffers } from './crosschain/exact-offers-task.js'
import { readLaneHistories, readPastDeposits } from './crosschain/lane-history-task.js'
import { runNeeded } from './crosschain/needed-task.js'
import { runOffers } from './crosschain/offers-task.js'
import { runRoutedAmount } from './crosschain/routed-amount-task.js'
import { findSentTransfers } from './crosschain/sent-transfers-task.js'
import { runSourceLeg } from './crosschain/source-task.js'
import { runSurvey } from './crosschain/survey-task.js'
import type { ClassedPool } from './market/market.js'
import type { RouteArgs } from './route/prepare.js'
import { runRoute } from './route/route.js'
import { findDemand } from './tasks/demand-task.js'
import { runExecutions } from './tasks/executions-task.js'
import { readPositions, readSharePrices } from './tasks/positions-task.js'
import { readPrices } from './tasks/prices-task.js'
import { runQuotes } from './tasks/quotes-task.js'
import { buildApproval, findPresentTokens, readBalances } from './tasks/wallet-task.js'

/** The tasks that the main thread gives to routing threads, by kind: what each takes, does and gives. */
const handlers = {
  route: (task: Task, args: Pick<RouteArgs, 'mode' | 'request' | 'accountId'>) =>
    runRoute(task, args),
  demand: findDemand,
  quotes: runQuotes,
  executions: runExecutions,
  bundle: async (task: Task, args: { readonly request: TypedBundle; readonly accountId: Hex }) =>
    resultOf(await runBundle(task, args)),
  nontokenized: runNontokenized,
  prices: readPrices,
  balances: readBalances,
  approval: buildApproval,
  presentTokens: findPresentTokens,
  positions: readPositions,
  sharePrices: readSharePrices,
  isDeployed: (task: Task, { address }: { readonly address: Address }) =>
    task.archive.hasCode(address),
  survey: runSurvey,
  routedAmount: runRoutedAmount,
  offers: runOffers,
  exactOffers: runExactOffers,
  sourceLeg: runSourceLeg,
  destinationLeg: runDestinationLeg,
  estimates: runEstimates,
  needed: runNeeded,
  delivery: runDelivery,
  deliveryStatus: runDeliveryStatus,
  slotProof: (task: Task, { address, slot }: { readonly address: Address; readonly slot: Hex }) =>
    task.archive.slotProof(address, slot),
  pastDeposits: readPastDeposits,
  laneHistories: readLaneHistories,
  sentTransfers: findSentTransfers,
}

export type TaskKind = keyof typeof handlers

/** Arguments and result of each kind of task. */
export type TaskTypes = {
  readonly [K in TaskKind]: {
    readonly args: Parameters<(typeof handlers)[K]>[1]
    readonly result: Awaited<ReturnType<(typeof handlers)[K]>>
  }
}

/** Where the state of the pinned block is read. */
export interface TaskPlace extends ArchivedBlock, ForkUrls {
  /** Brings the forks once they have started, in place of those above; closed without a message: there will be none. */
  readonly forksToCome?: MessagePort
}

export interface TaskMessage<K extends TaskKind = TaskKind> {
  readonly kind: K
  readonly args: TaskTypes[K]['args']
  readonly place: TaskPlace
  /** The same as in `CallContext`: does not evict what is cached for other blocks. */
  readonly isBackground?: boolean
  /** What the caller may use of makers; absent: nothing. */
  readonly orders?: readonly MakerOffer[]
  /** Milliseconds that are left of the caller's time; absent: no limit. */
  readonly deadlineMs?: number
  /** Trace context (W3C) of the span that the task belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined
  /** Any message on it means: stop, the caller is gone. */
  readonly cancel: MessagePort
}

/** Facts about the work done, for metrics and the catalog. */
export interface TaskTrace extends Readonly<TaskReport> {
  /** Seconds by the name of the stage. */
  readonly stages: Readonly<Record<string, number>>
  readonly discovered: readonly Pool[]
  /** Pools whose hooks were run. */
  readonly classed: readonly ClassedPool[]
  /** That have ended since the last reply of the thread. */
  readonly spans: readonly SpanData[]
}

export type TaskReply<K extends TaskKind = TaskKind> = { readonly trace: TaskTrace } & (
  | { readonly ok: true; readonly value: TaskTypes[K]['result'] }
  /** `lostFork`: a fork did not answer; the same task may succeed on its replacement. */
  | { readonly ok: false; readonly error: WireError; readonly lostFork?: string }
)

/** The handlers in the form in which TypeScript relates the arguments of a kind to its result. */
const byKind: {
  readonly [K in TaskKind]: (
    task: Task,
    args: TaskTypes[K]['args'],
  ) => Promise<TaskTypes[K]['result']>
} = handlers

export async function runTask<K extends TaskKind>(
  worker: WorkerContext,
  message: TaskMessage<K>,
): Promise<TaskReply<K>> {
  const { kind, traceparent } = message
  const reply = await inTraceOf(traceparent, `thread ${kind}`, () => answer(worker, message))
  const spans = finishedSpans()
  return spans.length ? { ...reply, trace: { ...reply.trace, spans } } : reply
}

async function answer<K extends TaskKind>(
  worker: WorkerContext,
  message: TaskMessage<K>,
): Promise<TaskReply<K>> {
  const started = performance.now()
  const abort = new AbortController()
  message.cancel.once('message', () => abort.abort())
  const { pin, archiveUrl } = message.place
  const forks = forksOf(message.place)
  const source = { pin, archiveUrl, forks }
  const { deadlineMs } = message
  let task: Task | undefined
  const trace = () => ({
    ...(task?.report ?? emptyReport()),
    stages: { ...task?.clock.stages, total: (performance.now() - started) / 1_000 },
    discovered: task?.facts.takeDiscovered() ?? [],
    classed: task?.facts.takeClassed() ?? [],
    spans: [],
  })
  try {
    task = openTask({
      settings: worker.settings,
      facts: worker.block(pin, message.isBackground),
      reader: new ForkReader(source),
      source,
      signal: abort.signal,
      deadline: deadlineMs === undefined ? null : started + deadlineMs,
      ...defined({ orders: message.orders }),
    })
    const value = await untilAborted(byKind[message.kind](task, message.args), abort.signal)
    return { ok: true, value, trace: trace() }
  } catch (thrown) {
    const fault = atBorder(thrown, pin)
    const error = toWireError(fault)
    noteSpan({ 'error.type': error.code })
    const isLost = fault instanceof ForkLostError
    return { ok: false, error, ...(isLost && { lostFork: fault.url }), trace: trace() }
  } finally {
    if (task) noteWork(task)
    message.cancel.close()
  }
}

/** @returns rejects with ForkrouteError FORK_UNAVAILABLE when no forks come. */
function forksOf(place: TaskPlace): Promise<ForkUrls> {
  const { forksToCome, pin } = place
  if (!forksToCome) return Promise.resolve(place)
  const forks = new Promise<ForkUrls>((resolve, reject) => {
    forksToCome.once('message', resolve)
    forksToCome.once('close', () => {
      reject(
        new ForkrouteError(
          'FORK_UNAVAILABLE',
          `Block ${pin.number} has no fork at the moment; try again.`,
        ),
      )
    })
  })
  void quietly(forks, 'What needs the forks fails by their error; other reads do without them.')
  return forks
}

/** Into the span of the thread. */
function noteWork({ pin, report: { simulations } }: Task): void {
  noteSpan({
    'forkroute.chain_id': pin.chainId,
    'forkroute.block': Number(pin.number),
    'forkroute.simulated': simulations.success,
    'forkroute.reverted': simulations.reverted,
    'forkroute.unreadable': simulations.unreadable,
  })
}
