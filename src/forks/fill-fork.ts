/**
 * Gives a fork at once what it would ask the archive for one by one: the slots that recent blocks were asked for.
 * A hint only: the values are those that the archive would answer, and what is missing is asked for later.
 */
import type { Address, Hex } from '../domain/primitives.js'
import { forkClient } from './clients.js'

/** Calls in one request. */
const batchSize = 512

/** Never throws for what archive or fork answer. */
export async function fillFork(url: string, archiveUrl: string): Promise<void> {
  const fork = forkClient(url)
  try {
    const held = await forkClient(archiveUrl).request<[Address, Hex, Hex][]>('forkroute_held')
    for (let start = 0; start < held.length; start += batchSize) {
      const part = held.slice(start, start + batchSize)
      await fork.batch(part.map((params) => ({ method: 'anvil_setStorageAt', params })))
    }
  } catch {
    // The fork reads what it needs by itself; if it is dead, the next request says so.
  }
}
