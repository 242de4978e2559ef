/** Blocks that no later block can replace, by their time: whoever asks again gets the same answer. */
import type { CallContext, Engine } from '../../domain/engine.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { TaskRunner } from '../task-runner.js'

export interface TimeParts {
  readonly tasks: Pick<TaskRunner, 'pin'>
  readonly blockAtTime: Engine['blockAtTime']
}

/**
 * The newest block not after the time; null as long as no later block is there, which tells that no more will follow.
 * @param timestamp - unix seconds.
 * @throws ForkrouteError as `Engine.blockAtTime`.
 */
export async function settledBlock(
  { tasks, blockAtTime }: TimeParts,
  { chainId, timestamp }: { readonly chainId: number; readonly timestamp: bigint },
  context: CallContext,
): Promise<BlockPin | null> {
  const head = await tasks.pin({ chainId }, context)
  if (head.timestamp <= timestamp) return null
  const { number } = await blockAtTime(chainId, timestamp, context)
  return tasks.pin({ chainId, blockNumber: number }, context)
}
