/**
 * What a route has sent over a bridge, delivered again on the destination as it was some time after the source's block.
 * Only blocks that no later block can replace are used, so that whoever asks again gets the same answer.
 */
import type { LateDelivery } from '../../domain/bridges/terms.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { Settled, Settlement } from './settle.js'
import { settledBlock, type TimeParts } from './settled-block.js'

/** @throws ForkrouteError what may be otherwise a moment later. */
export function deliverLater(
  parts: TimeParts & {
    readonly settlement: Pick<Settlement, 'deliverAt'>
    readonly context: CallContext
  },
  { settled, sentAt }: { readonly settled: Settled; readonly sentAt: BlockPin },
  seconds: readonly number[],
): Promise<LateDelivery[]> {
  const { settlement, context } = parts
  const chainId = settled.plan.lane.destinationChainId
  const deliverAfter = async (after: number): Promise<LateDelivery> => {
    const timestamp = sentAt.timestamp + BigInt(after)
    const pin = await settledBlock(parts, { chainId, timestamp }, context)
    if (!pin) {
      const message = `Chain ${chainId} has no block after ${timestamp} (unix seconds) yet.`
      return { seconds: after, status: 'unknown', message }
    }
    const common = { seconds: after, blockNumber: pin.number }
    try {
      const outcome = await settlement.deliverAt(settled, pin)
      if (outcome.status === 'reverted' || outcome.status === 'unpaid') {
        return { ...common, status: 'reverted', reason: outcome.reason }
      }
      if (outcome.status === 'fallback') {
        return { ...common, status: 'fallback', ...outcome.paid, reason: outcome.reason }
      }
      return { ...common, status: 'delivered', amount: at(outcome.gained, 0).amount }
    } catch (error) {
      if (!(error instanceof ForkrouteError) || error.code !== 'STATE_UNAVAILABLE') throw error
      return { seconds: after, status: 'unknown', message: error.message }
    }
  }
  return Promise.all(seconds.map(deliverAfter))
}
