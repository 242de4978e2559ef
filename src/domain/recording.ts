/** Requests in the form that recordings keep: the boundary between the API, which receives them, and the cassette. */

import type { HistoriesDocument } from './bridges/lane-history.js'
import type { StateOverlay } from './changes/overlay.js'
import type { CallContext } from './engine.js'
import type { BlockPin, Hex } from './primitives.js'
import type { SignedOrder } from './signed-order.js'

/** HTTP header. Of a request: the recording that it repeats, or is to become. Of an answer: the number under which it is recorded. */
export const recordingHeader = 'x-forkroute-recording'

export interface RecordedRequest {
  readonly method: 'GET' | 'POST'
  /** Below /api/v1, with a slash in front. */
  readonly path: string
  /** Values by name, in their order. */
  readonly query: Readonly<Record<string, readonly string[]>>
  /** Parsed JSON; absent where there was none. */
  readonly body?: unknown
  /** The requesting account, since the answer depends on it. */
  readonly accountId: Hex
  /** Signed orders that the answer may have used; absent: there were none. */
  readonly orders?: readonly SignedOrder[]
  /** Overlays that the answer was calculated with, as `overlayOf` reads them; absent: there were none. */
  readonly overlays?: readonly object[]
  /** What lanes had cost and taken of late, as far as the answer may depend on it; absent: nothing was known. */
  readonly laneHistories?: readonly HistoriesDocument[]
}

export interface RecordedAnswer {
  readonly status: number
  /** The exact body. */
  readonly text: string
  /** Blocks that the answer was calculated at; `isHead`: used as the newest. */
  readonly blocks: readonly { readonly pin: BlockPin; readonly isHead: boolean }[]
}

/** How a request was recorded. */
export interface RecordedContext {
  readonly accountId: Hex
  /** The newest block of each chain when the request was calculated at it. */
  readonly heads: ReadonlyMap<number, bigint>
  /** Those that it had been given. */
  orders(chainId: number): readonly SignedOrder[]
  overlay(chainId: number): StateOverlay | null
  laneHistories: NonNullable<CallContext['laneHistories']>
}

export interface Recordings {
  /**
   * Replay: the recording of the request, or of one with that number; null: none. Recording: null.
   * @throws ForkrouteError NOT_FOUND when there is no recording with that number.
   */
  find(request: RecordedRequest, number: number | null): RecordedContext | null
  /**
   * Recording: keeps the answer, under that number where it is free and the request is a new one, else under the next.
   * Replay: does nothing.
   * @returns the number of the recording; null where the answer is not kept.
   * @throws ForkrouteError STORAGE_UNAVAILABLE when it cannot be kept.
   */
  add(
    request: RecordedRequest,
    answer: RecordedAnswer,
    number: number | null,
  ): Promise<number | null>
}

/** A request as users write it. */
export interface LocalRequest {
  /** Default: GET without a body, else POST. */
  readonly method?: 'GET' | 'POST'
  /** Below /api/v1, with a slash in front. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** Sent as JSON. */
  readonly body?: unknown
}
