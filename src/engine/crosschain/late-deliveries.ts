/**
 * What a route has sent over a bridge, delivered again on the destination as it was some time after the source's block.
 * Only blocks that no later block can replace are used, so that whoever asks again gets the same answer.
 */
import type { LateDelivery } from '../../domain/bridges/terms.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { TaskRunner } from '../task-runner.js'
import type { Journey } from './journey.js'
import type { Final } from './journey-answer.js'

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

/** @throws ForkrouteError what may be otherwise a moment later. */
export function deliverLater(
  parts: TimeParts & { readonly journey: Pick<Journey, 'landAt'>; readonly context: CallContext },
  { final, sentAt }: { readonly final: Final; readonly sentAt: BlockPin },
  seconds: readonly number[],
): Promise<LateDelivery[]> {
  const { journey, context } = parts
  const chainId = final.way.lane.destinationChainId
  const deliverAfter = async (after: number): Promise<LateDelivery> => {
    const timestamp = sentAt.timestamp + BigInt(after)
    const pin = await settledBlock(parts, { chainId, timestamp }, context)
    if (!pin) {
      const message = `Chain ${chainId} has no block after ${timestamp} (unix seconds) yet.`
      return { seconds: after, status: 'unknown', message }
    }
    const common = { seconds: after, blockNumber: pin.number }
    try {
      const landing = await journey.landAt(final, pin)
      if (landing.status === 'reverted' || landing.status === 'unpaid') {
        return { ...common, status: 'reverted', reason: landing.reason }
      }
      if (landing.status === 'fallback') {
        return { ...common, status: 'fallback', ...landing.paid, reason: landing.reason }
      }
      return { ...common, status: 'delivered', amount: at(landing.gained, 0).amount }
    } catch (error) {
      if (!(error instanceof ForkrouteError) || error.code !== 'STATE_UNAVAILABLE') throw error
      return { seconds: after, status: 'unknown', message: error.message }
    }
  }
  return Promise.all(seconds.map(deliverAfter))
}
