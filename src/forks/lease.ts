/** The use of a block's forks by one calculation. */
import type { BlockPin } from '../domain/primitives.js'
import type { BlockForks } from './block-forks.js'
import type { Fork } from './process.js'

export interface ForkLease {
  readonly pin: BlockPin
  /** URLs of the block's current forks: changes when one is replaced. */
  readonly urls: readonly string[]
  /** Each of these forks has been given what forks of other blocks read: little is left that it would ask for. */
  readonly isFilled: boolean
  /**
   * Kills and replaces that fork; resolves to the URLs afterwards. Safe to call twice.
   * @throws ForkrouteError when no fork is left and none can be started.
   */
  reportLost(url: string): Promise<readonly string[]>
  /**
   * Safe to call twice.
   * @param isDone - no request of this lease is still in flight, so its forks may serve another block. Default false.
   */
  release(isDone?: boolean): void
}

export class BlockLease implements ForkLease {
  readonly #forks: BlockForks
  readonly #onRelease: () => void
  readonly #held = new Set<Fork>()
  #released = false

  constructor(forks: BlockForks, onRelease: () => void) {
    this.#forks = forks
    this.#onRelease = onRelease
    this.#hold()
  }

  get pin(): BlockPin {
    return this.#forks.pin
  }

  get urls(): readonly string[] {
    return this.#forks.urls()
  }

  get isFilled(): boolean {
    return this.#forks.isFilled()
  }

  async reportLost(url: string): Promise<readonly string[]> {
    if (this.#released) return this.urls
    await this.#forks.replace(url)
    if (!this.#released) this.#hold()
    return this.urls
  }

  release(isDone = false): void {
    if (this.#released) return
    this.#released = true
    // Requests still in flight for this block must not reach a fork of another one.
    if (!isDone) for (const fork of this.#held) fork.isReusable = false
    this.#forks.drop(this.#held)
    this.#forks.fillLater()
    this.#onRelease()
  }

  #hold(): void {
    for (const fork of this.#forks.forks()) {
      if (this.#held.has(fork)) continue
      this.#held.add(fork)
      fork.holders += 1
      fork.uses += 1
    }
  }
}
