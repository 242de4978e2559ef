/** Follows a transfer over a bridge. */
import type { AnswerOf, InputOf, streams } from './calls.js'
import { isTemporary } from './errors.js'
import type { components } from './generated/schema.js'
import type { StreamEvent } from './streams.js'

export type BridgeState = AnswerOf<'getBridgeCheck'>
/** A state, and when the service saw it. */
export type TransferState = components['schemas']['BridgeTransfer']
export type TrackInput = InputOf<typeof streams.track>

/** Whether nothing changes any more: delivered, failed, or not known to the bridge. */
export function isSettled({ status }: Pick<BridgeState, 'status'>): boolean {
  return status !== 'pending' && status !== 'inflight'
}

/** The states as they change; one that cannot be read for now is left out. @throws ForkrouteApiError that does not pass. */
export async function* statesOf(
  events: AsyncIterable<StreamEvent<'transfer', TransferState>>,
): AsyncGenerator<TransferState, void, undefined> {
  let lastText = ''
  for await (const event of events) {
    if (event.event === 'error') {
      if (!isTemporary(event.error)) throw event.error
      continue
    }
    // After a break the service says again where it is.
    const { destinationBlockNumber: _block, seenAt: _seen, ...facts } = event.data
    const text = JSON.stringify(facts, (_key, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    if (text !== lastText) yield event.data
    lastText = text
  }
}
