/**
 * Fills a fork in bulk with the slots that it would otherwise request from the archive one by one: those that forks of
 * other blocks requested. A hint only: the values are those of the archive, and the fork reads missing ones itself.
 */
import type { Address, Hex } from '../domain/primitives.js'
import { forkClient } from './clients.js'

/** Never throws for what archive or fork answer. */
export async function fillFork(url: string, archiveUrl: string): Promise<void> {
  const fork = forkClient(url)
  try {
    const held = await forkClient(archiveUrl).request<[Address, Hex, Hex][]>('forkroute_held')
    // The first one alone: until it has read one account, a fork reads every account in two ways at once.
    for (const part of [held.slice(0, 1), held.slice(1)]) {
      await fork.batch(part.map((params) => ({ method: 'anvil_setStorageAt', params })))
    }
  } catch {
    // Ignored: the fork reads what it needs by itself; if it is dead, the next request reports it.
  }
}
