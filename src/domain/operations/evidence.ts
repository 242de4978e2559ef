/** Files that show to a third party what an answer was calculated from. The types only: `src/evidence` makes them. */
import type { RouteAnswer } from '../engine.js'
import type { Hex } from '../primitives.js'

/** An answer, and what it answers. */
export interface AnsweredRequest {
  readonly endpoint: 'route' | 'quote'
  /** As it was checked, with its defaults. */
  readonly input: Readonly<Record<string, unknown>>
  /** On the wire. */
  readonly record: Readonly<Record<string, unknown>>
  readonly answer: RouteAnswer
}

export interface EvidenceDesk {
  /** Ed25519, 32 bytes. @throws ForkrouteError STORAGE_UNAVAILABLE. */
  publicKey(): Hex
  /**
   * @throws ForkrouteError INVALID_REQUEST for an answer of which there can be none; STATE_UNAVAILABLE where no node proves
   *   the state, and in a replay of a cassette without it.
   */
  of(answered: AnsweredRequest): Promise<Readonly<Record<string, unknown>>>
}
