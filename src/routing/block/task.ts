/**
 * What one task in a routing thread works with: facts of its block as data, and the parts that read, simulate and keep
 * time for it.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { StateReader } from '../../domain/state.js'
import { gasPriceAfter } from '../../forks/block-environment.js'
import type { BlockSource } from '../../forks/block-source.js'
import { ArchiveReads } from './archive-reads.js'
import type { BlockFacts } from './block-facts.js'
import { Clock } from './clock.js'
import { type Simulate, Simulator } from './simulator.js'
import { emptyReport, type TaskReport } from './task-report.js'
import type { WorkerSettings } from './worker-settings.js'

export interface Task {
  readonly pin: BlockPin
  readonly chain: ChainDefinition
  readonly settings: WorkerSettings
  /** Wei per gas. */
  readonly tip: bigint
  /** Wei per gas: base fee of the next block plus the tip. */
  readonly gasPrice: bigint
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** Shared with all tasks at the block. */
  readonly facts: BlockFacts
  readonly reader: StateReader
  readonly archive: ArchiveReads
  readonly simulator: Simulator
  readonly clock: Clock
  readonly report: TaskReport
  readonly source: BlockSource
  /** What the caller may use of makers; of nobody else's task. */
  readonly orders: readonly MakerOffer[]
}

export interface TaskParts {
  readonly settings: WorkerSettings
  readonly facts: BlockFacts
  readonly reader: StateReader
  readonly source: BlockSource
  readonly signal: AbortSignal
  /** performance.now() at which the answer has to be there; null: no deadline. */
  readonly deadline: number | null
  /** Absent: none. */
  readonly orders?: readonly MakerOffer[]
  /** Simulates for this task, which is part of a batch; absent: it simulates by itself. */
  readonly batch?: Simulate
}

export function openTask(parts: TaskParts): Task {
  const { settings, facts, reader, source, signal, deadline, batch = null, orders = [] } = parts
  const { pin } = source
  const { chain } = facts
  const tip = settings.priorityFeePerGas[pin.chainId] ?? chain.priorityFeePerGas
  const rules = { ...chain, priorityFeePerGas: tip }
  const clock = new Clock(signal, deadline)
  const report = emptyReport()
  return {
    pin,
    chain,
    settings,
    tip,
    gasPrice: gasPriceAfter(pin, rules),
    signal,
    facts,
    reader,
    archive: new ArchiveReads(source, signal, facts.ahead),
    simulator: new Simulator({ source, rules, facts, clock, report, batch }),
    clock,
    report,
    source,
    orders,
  }
}

/** One of several calculations at the block of a task, with a deadline of its own. */
export function partOf(
  task: Task,
  part: Pick<TaskParts, 'deadline' | 'batch'> & { readonly signal?: AbortSignal },
): Task {
  return openTask({ ...task, ...part })
}

/** What a part took and met counts for the whole task; simulations are counted where they are sent. */
export function addPart(task: Task, { clock, report }: Task): void {
  for (const [stage, seconds] of Object.entries(clock.stages)) task.clock.add(stage, seconds)
  for (const [protocol, reverts] of Object.entries(report.reverts)) {
    task.report.reverts[protocol] = (task.report.reverts[protocol] ?? 0) + reverts
  }
  task.report.improvementsBps.push(...report.improvementsBps)
  task.report.isCut ||= report.isCut
}
