/**
 * Gives a fork at once what it would ask the archive for one by one: the slots that forks of other blocks asked for.
 * A hint only: the values are those that the archive would answer, and what is missing is asked for later.
 */
import type { Address, Hex } from '../domain/primitives.js'
import { forkClient } from './clients.js'

/** Never throws for what archive or fork answer. */
export async function fillFork(url: string, archiveUrl: string): Promise<void> {
  const fork = forkClient(url)
  try {
    const held = await forkClient(archiveUrl).request<[Address, Hex, Hex][]>('forkroute_held')
    // The first alone: until it has read an account, a fork reads each in two ways at once.
    for (const part of [held.slice(0, 1), held.slice(1)]) {
      await fork.batch(part.map((params) => ({ method: 'anvil_setStorageAt', params })))
    }
  } catch {
    // The fork reads what it needs by itself; if it is dead, the next request says so.
  }
}
