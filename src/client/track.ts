/** Follows transfers over bridges: one, or those of an account. */
import type { AnswerOf, InputOf, streams } from './calls.js'
import { isTemporary } from './errors.js'
import type { components } from './generated/schema.js'
import type { EventOf } from './streams.js'

export type BridgeState = AnswerOf<'getBridgeCheck'>
/** A state, and when the service saw it. */
export type TransferState = components['schemas']['BridgeTransfer']
export type TrackInput = InputOf<typeof streams.track>
export type TransfersInput = InputOf<typeof streams.trackTransfers>
/** Where transfers of an account were looked for, and which were found. */
export type FoundTransfers = components['schemas']['BridgeTransfers']
type StreamEnd = components['schemas']['BridgeStreamEnd']

export interface AccountTransfers
  extends Pick<FoundTransfers, 'searched' | 'unsearched' | 'count'> {
  /** Those that are followed, newest first; `state` is null until it was read. */
  readonly transfers: readonly (FoundTransfers['transfers'][number] & {
    readonly state: TransferState | null
  })[]
}

/** Whether the service ends a stream because all has ended: after `time` it is opened again. */
export function isEnd(data: unknown, name: string): boolean {
  return name === 'end' && (data as StreamEnd).reason === 'settled'
}

type StateEvents = { readonly transfer: TransferState; readonly end: StreamEnd }
type AccountEvents = StateEvents & { readonly transfers: FoundTransfers }

/** The states as they change; one that cannot be read for now is left out. @throws ForkrouteApiError that does not pass. */
export async function* statesOf(
  events: AsyncIterable<EventOf<StateEvents>>,
): AsyncGenerator<TransferState, void, undefined> {
  let lastText = ''
  for await (const event of events) {
    if (event.event === 'error') {
      if (!isTemporary(event.error)) throw event.error
      continue
    }
    if (event.event === 'end') continue
    // After a break the service says again where it is.
    const text = factsOf(event.data)
    if (text !== lastText) yield event.data
    lastText = text
  }
}

/** All transfers that are followed, again whenever one changes. @throws as `statesOf`. */
export async function* transfersOf(
  events: AsyncIterable<EventOf<AccountEvents>>,
): AsyncGenerator<AccountTransfers, void, undefined> {
  let found: FoundTransfers | null = null
  const states = new Map<string, TransferState>()
  for await (const event of events) {
    if (event.event === 'error') {
      if (!isTemporary(event.error)) throw event.error
      continue
    }
    if (event.event === 'end') continue
    if (event.event === 'transfers') found = event.data
    else {
      const known = states.get(keyOf(event.data))
      states.set(keyOf(event.data), event.data)
      if (known && factsOf(known) === factsOf(event.data)) continue
    }
    if (!found) continue
    const { searched, unsearched, count } = found
    const transfers = found.transfers.map((one) => ({
      ...one,
      state: states.get(keyOf(one)) ?? null,
    }))
    yield { searched, unsearched, count, transfers }
  }
}

function keyOf(of: Pick<TransferState, 'sourceChainId' | 'sourceTxHash'>): string {
  return `${of.sourceChainId}/${of.sourceTxHash}`
}

/** What a state says besides the block that it was read at and the moment. */
function factsOf(state: TransferState): string {
  const { destinationBlockNumber: _block, seenAt: _seen, ...facts } = state
  return JSON.stringify(facts, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
