/** Follows a transfer over a bridge. */
import type { AnswerOf, InputOf } from './calls.js'
import { pause } from './streams.js'
import type { CallOptions } from './transport.js'

export type BridgeState = AnswerOf<'getBridgeCheck'>
export type TrackInput = InputOf<'getBridgeCheck'> & {
  /** Between two questions; default 5 seconds. */
  readonly everyMs?: number
}
type Check = (input: InputOf<'getBridgeCheck'>, options?: CallOptions) => Promise<BridgeState>

/** @throws ForkrouteApiError as `bridgeCheck` does. */
export async function* track(
  check: Check,
  { everyMs = 5_000, ...input }: TrackInput,
  options: CallOptions = {},
): AsyncGenerator<BridgeState, void, undefined> {
  const { signal } = options
  let lastText = ''
  while (!signal?.aborted) {
    const state = await check(input as InputOf<'getBridgeCheck'>, options)
    const { destinationBlockNumber: _block, ...facts } = state
    const text = JSON.stringify(facts, (_key, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    if (text !== lastText) yield state
    lastText = text
    if (state.status === 'delivered' || state.status === 'failed') return
    await pause(everyMs, signal)
  }
}
