/**
 * Keeps the forks of a block filled (see `fill-fork.ts`): at once where they are about to be used, and after work on
 * them with what it was the first to read. Used by the fork pool and its starter.
 */
import type { BlockPin } from '../domain/primitives.js'
import { type Filled, fillFork, nothingFilled } from './fill-fork.js'
import type { Fork, ForkGroup } from './fork-group.js'

export interface ForkFiller {
  /** Gives the fork what is known at its block. Never rejects. */
  fill(fork: Fork, pin: BlockPin): Promise<void>
  /** Whether it has what forks of its chain read at other blocks, as far as that is known at its own. */
  isFilled(fork: Fork): boolean
  /** Looks soon for what work on the block was the first to read. */
  later(group: ForkGroup): void
  /** Resolves when nothing is being given to the fork, so that it may move to another block. */
  settled(fork: Fork): Promise<void>
  close(): void
}

/** From the end of work to the look for new slots, milliseconds: doubled up to the most while there are none. */
const firstPauseMs = 20
const mostPauseMs = 2_000

export function createForkFiller(archiveUrl: (pin: BlockPin) => string): ForkFiller {
  const filled = new WeakMap<Fork, Filled>()
  const filling = new WeakMap<Fork, Promise<void>>()
  const pauses = new WeakMap<ForkGroup, number>()
  const timers = new Map<ForkGroup, NodeJS.Timeout>()

  /** One after the other, since each goes on where the one before ended. */
  function fill(fork: Fork, pin: BlockPin): Promise<void> {
    const work = (filling.get(fork) ?? Promise.resolve()).then(async () => {
      const before = filled.get(fork) ?? nothingFilled
      filled.set(fork, await fillFork(fork.url, archiveUrl(pin), before))
    })
    filling.set(fork, work)
    return work
  }

  async function look(group: ForkGroup): Promise<void> {
    const slots = () => group.forks().reduce((sum, fork) => sum + (filled.get(fork)?.slots ?? 0), 0)
    const before = slots()
    await Promise.all(group.forks().map((fork) => fill(fork, group.pin)))
    const pause = pauses.get(group) ?? firstPauseMs
    pauses.set(group, slots() > before ? firstPauseMs : Math.min(2 * pause, mostPauseMs))
  }

  return {
    fill,
    isFilled: (fork) => (filled.get(fork)?.slots ?? 0) > 0,
    later(group) {
      if (timers.has(group)) return
      const timer = setTimeout(() => {
        look(group)
          .finally(() => timers.delete(group))
          .catch(() => undefined)
      }, pauses.get(group) ?? firstPauseMs)
      timers.set(group, timer.unref())
    },
    settled: (fork) => filling.get(fork) ?? Promise.resolve(),
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
