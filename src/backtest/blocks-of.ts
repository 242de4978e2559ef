/** Finds the blocks of a plan, and checks that a job of that size is accepted. */
import { type BacktestPlan, type JobPlan, backtestLimits as limits } from '../domain/backtest.js'
import type { CallContext, Engine } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import { type HindsightPlan, hindsightLimits } from '../domain/hindsight.js'

type BlocksEngine = Pick<Engine, 'block' | 'changedBlocks'>

/**
 * Ascending.
 * @throws ForkrouteError INVALID_REQUEST when there is none, or more than one job may have; as `Engine.changedBlocks`;
 * of hindsight as `Engine.block`, for its last block.
 */
export function blocksOf(
  engine: BlocksEngine,
  plan: JobPlan,
  context: CallContext,
): Promise<readonly bigint[]> {
  return plan.kind === 'hindsight'
    ? hindsightBlocks(engine, plan, context)
    : backtestBlocks(engine, plan, context)
}

async function hindsightBlocks(
  engine: BlocksEngine,
  { chainId, range: { from, to } }: HindsightPlan,
  context: CallContext,
): Promise<readonly bigint[]> {
  const count = Number(to - from) + 1
  if (count > hindsightLimits.blocks) refuse('blocks', count, hindsightLimits.blocks)
  await engine.block(chainId, to, context)
  return Array.from({ length: count }, (_block, index) => from + BigInt(index))
}

async function backtestBlocks(
  engine: BlocksEngine,
  { chainId, range, requests, variants }: BacktestPlan,
  context: CallContext,
): Promise<readonly bigint[]> {
  const { from, to } = range
  const blocks =
    range.kind === 'changes'
      ? await engine.changedBlocks({ chainId, from, to, addresses: range.addresses }, context)
      : stepsOf(from, to, range.step)
  if (!blocks.length) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `blocks.changesOf names contracts that left no event from block ${from} to ${to}`,
    )
  }
  if (blocks.length > limits.blocks) refuse('blocks', blocks.length, limits.blocks)
  const rows = blocks.length * requests.length * variants.length
  if (rows > limits.rows) refuse('rows (blocks x requests x variants)', rows, limits.rows)
  return blocks
}

function stepsOf(from: bigint, to: bigint, step: bigint): bigint[] {
  const count = Number((to - from) / step) + 1
  if (count > limits.blocks) refuse('blocks', count, limits.blocks)
  return Array.from({ length: count }, (_block, index) => from + BigInt(index) * step)
}

function refuse(what: string, count: number, max: number): never {
  throw new ForkrouteError(
    'INVALID_REQUEST',
    `blocks must be fewer: ${count} ${what} are asked for, and one job may have ${max}`,
  )
}
