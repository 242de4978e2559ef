/**
 * What the main thread decides about states, and the archive's thread has to know: the blocks of standby addresses, and
 * states as single requests changed them. A thread that dies forgets it, so the next one is told again.
 */
import { randomBytes } from 'node:crypto'
import type { ChangedAccounts } from '../../domain/changes/what-if.js'
import { defined } from '../../domain/defined.js'
import type { BlockPin } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { ArchiveLink } from './archive-link.js'
import type { StandbyBlock } from './archive-messages.js'

export interface ChangedState {
  /** For `PinChanges.stateId`. */
  readonly id: string
  /** Gives it up; nobody may read it any more. */
  release(): void
}

/** An address whose block is decided later. */
export interface Standby {
  readonly url: string
  /**
   * Decides the block, or another one: whoever reads there must have stopped before.
   * @param forkedAt - number by which the reader names the block; absent: its own.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE when it is decided only once the thread has been restarted.
   */
  assign(pin: BlockPin, forkedAt?: bigint): Promise<void>
  /** Gives the address up; nobody may read there any more. */
  release(): void
}

/** Why it does not matter when the thread does not hear something. */
const toldAtRestart = 'The archive is told again when its thread is restarted.'
const forgottenAtRestart = 'A thread that is restarted does not know it any more.'

export class DecidedStates {
  readonly #link: ArchiveLink
  readonly #standbys = new Map<string, StandbyBlock>()
  readonly #changed = new Map<string, ChangedAccounts>()

  constructor(link: ArchiveLink) {
    this.#link = link
  }

  /** For a thread that is new. */
  tellAgain(): void {
    for (const [id, accounts] of this.#changed) {
      void quietly(this.#link.ask({ kind: 'change', id, accounts }), toldAtRestart)
    }
    for (const [id, block] of this.#standbys) {
      void quietly(this.#tellStandby(id, block), toldAtRestart)
    }
  }

  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE while no thread runs. */
  async change(accounts: ChangedAccounts): Promise<ChangedState> {
    const id = randomBytes(16).toString('hex')
    this.#changed.set(id, accounts)
    const release = () => {
      this.#changed.delete(id)
      void quietly(this.#link.ask({ kind: 'change', id, accounts: null }), forgottenAtRestart)
    }
    try {
      await this.#link.ask({ kind: 'change', id, accounts })
    } catch (error) {
      release()
      throw error
    }
    return { id, release }
  }

  standby(): Standby {
    const id = randomBytes(16).toString('hex')
    return {
      url: `ws://127.0.0.1:${this.#link.port}/standby/${id}`,
      assign: (pin: BlockPin, forkedAt?: bigint) => {
        const block = { ...pin, ...defined({ forkedAt }) }
        this.#standbys.set(id, block)
        return this.#tellStandby(id, block)
      },
      release: () => {
        this.#standbys.delete(id)
        void quietly(this.#tellStandby(id, null), forgottenAtRestart)
      },
    }
  }

  /** Where the thread is down, it receives the block after its restart. */
  #tellStandby(id: string, block: StandbyBlock | null): Promise<void> {
    return this.#link.ask({ kind: 'standby', id, block })
  }
}
