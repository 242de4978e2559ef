/** Whether the owner of a manager has stopped its swaps. */
import { type Address, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool, Swaps } from '../protocol.js'
import { toWord } from '../shared/storage-slots.js'

/** @see pancakeswap/infinity-core 7c04695, src/base/Pausable.sol and the layout in test/Extsload.t.sol */
const pausedSlot = toWord(1n)

type LoadArgs = Parameters<Swaps['load']>[0]

/** What `load` gives, unless the manager is paused or does not tell. */
export async function unlessPaused<State>(
  { reader, venue, pools }: LoadArgs,
  load: () => Promise<(LoadedPool<State> | Unreadable)[]>,
): Promise<(LoadedPool<State> | Unreadable)[]> {
  if (pools.length === 0) return []
  const manager = toAddress(String(venue.poolManager))
  const [loaded, paused] = await Promise.all([load(), readPaused(reader, manager)])
  if (paused === false) return loaded
  return pools.map((pool: Pool) =>
    typeof paused === 'string'
      ? unreadablePool(pool, paused)
      : { ...unreadablePool(pool, 'its manager is paused'), isLeftOut: true },
  )
}

/** A sentence where it cannot be read. */
async function readPaused(reader: StateReader, address: Address): Promise<boolean | string> {
  const [word] = await reader.storage([{ address, slot: pausedSlot }])
  if (!word?.ok) return word?.message ?? 'Not read.'
  return BigInt(word.value) !== 0n
}
