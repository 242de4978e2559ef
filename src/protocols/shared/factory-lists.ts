/** Pools by a mapping of their factory, whose keys are the tokens and what tells pools of the same tokens apart. */
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import { addressInWord, nestedMappingSlot, toWord } from './storage-slots.js'

export interface WantedPool {
  /** In the order of the factory's keys. */
  readonly pair: readonly [Address, Address]
  /** Keys after the tokens. */
  readonly keys?: readonly bigint[]
  readonly parameters: Pool['parameters']
}

/** @param list.slot - of the mapping; its name is for messages. */
export async function poolsInList(
  slug: string,
  reader: StateReader,
  list: { readonly factory: Address; readonly name: string; readonly slot: bigint },
  wanted: readonly WantedPool[],
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  const results = await reader.storage(
    wanted.map(({ pair: [token0, token1], keys = [] }) => ({
      address: list.factory,
      slot: toWord(nestedMappingSlot([BigInt(token0), BigInt(token1), ...keys], list.slot)),
    })),
  )
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  for (const [index, { pair, keys = [], parameters }] of wanted.entries()) {
    const result = results[index]
    if (!result?.ok) {
      const subject = [list.name, ...pair, ...keys].join(' ')
      unreadable.push({ protocol: slug, subject, message: result?.message ?? 'Not read.', pair })
      continue
    }
    const address = addressInWord(result.value)
    if (address) pools.push({ protocol: slug, id: address, address, tokens: pair, parameters })
  }
  return { pools, unreadable }
}
