/**
 * What a hostile relayer does to what is on its way, drawn from a seed: it delays, reorders, drops, starves and repeats.
 * What a chain itself does, such as including a deposit or verifying a message, is only delayed and reordered.
 */
import { createSeededRandom, pick, type SeededRandom } from '../seeded-random.js'
import type { PendingDelivery, RelayerMode } from './pending-delivery.js'

/** Blocks of the source after which what it has sent is final; hostile relayers wait as long where a bridge does. */
export const finalityBlocks = 12

/** Of a hundred. */
const delayed = 25
const dropped = 12
const repeated = 30
/** Where it carries something on, and how far. */
const ways: readonly RelayerMode[] = [
  ...(['deliver', 'deliver', 'deliver', 'deliver', 'deliver'] as const),
  ...(['unreceived', 'uncomposed', 'starve', 'short'] as const),
]

/** What becomes of a delivery in one round. */
export type Fate =
  | { readonly kind: 'delayed' }
  /** Carried on so far, and never again. */
  | { readonly kind: 'dropped'; readonly mode: RelayerMode }
  /** @param isRepeated - whether what delivered it is sent a second time. */
  | { readonly kind: 'carried'; readonly mode: RelayerMode; readonly isRepeated: boolean }

export interface HostileCounts {
  rounds: number
  delayed: number
  dropped: number
  /** Transactions that were sent a second time, and how many of them did not revert. */
  repeated: number
  repeatedWell: number
  /** What was delivered again, on a chain that had been put back. */
  again: number
}

export class Hostility {
  readonly counts: HostileCounts = {
    rounds: 0,
    delayed: 0,
    dropped: 0,
    repeated: 0,
    repeatedWell: 0,
    again: 0,
  }
  readonly #random: SeededRandom

  constructor(seed: bigint) {
    this.#random = createSeededRandom(seed)
  }

  /** In the order of this round. */
  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items]
    return items.flatMap(() => left.splice(this.#random(left.length), 1))
  }

  fateOf({ bridge }: Pick<PendingDelivery, 'bridge'>): Fate {
    const drawn = this.#random(100)
    if (drawn < delayed) return { kind: 'delayed' }
    const isRepeated = this.#random(100) < repeated
    // A sequencer includes every deposit.
    if (bridge === 'canonical') return { kind: 'carried', mode: 'deliver', isRepeated: false }
    if (drawn >= delayed + dropped) {
      return { kind: 'carried', mode: pick(ways, this.#random), isRepeated }
    }
    if (bridge === 'across') return { kind: 'dropped', mode: 'short' }
    return { kind: 'dropped', mode: pick(['unreceived', 'uncomposed'], this.#random) }
  }
}
