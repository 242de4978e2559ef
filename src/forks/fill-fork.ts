/**
 * Fills a fork in bulk with the slots that it would otherwise request from the archive one by one. Anvil sends the first
 * read of a slot in every simulation to another thread, whether it read the slot before or not; what it was given it
 * reads itself, which halves the processor time of simulations. A hint only: the values are those of the archive at the
 * fork's block, and the fork reads missing ones itself.
 */
import type { ArchivedBlock } from './block-source.js'
import { archiveOf, forkClient } from './clients.js'

/** What a fork was given: all that forks of its chain requested up to then and was known at its block. */
export interface Filled {
  readonly requests: number
  readonly slots: number
}

export const nothingFilled: Filled = { requests: 0, slots: 0 }

/** A fork is given no more slots at one block, so that its memory is bounded. */
const maxSlots = 16_384

/**
 * Never throws for what archive or fork answer.
 *
 * @param url - of the fork.
 * @param before - what the fork has at this block.
 */
export async function fillFork(url: string, block: ArchivedBlock, before: Filled): Promise<Filled> {
  if (before.slots >= maxSlots) return before
  const fork = forkClient(url)
  try {
    const archive = archiveOf(block)
    const { requests, slots } = await archive.request('forkroute_held', [before.requests])
    // The first one alone: until it has read one account, a fork reads every account in two ways at once.
    const first = before.slots === 0 ? 1 : 0
    for (const part of [slots.slice(0, first), slots.slice(first)]) {
      if (part.length === 0) continue
      await fork.batch(part.map((params) => ({ method: 'anvil_setStorageAt', params })))
    }
    return { requests, slots: before.slots + slots.length }
  } catch {
    // Ignored: the fork reads what it needs by itself; if it is dead, the next request reports it.
    return before
  }
}
