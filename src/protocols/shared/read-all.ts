import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'

/** Reads of many pools in one bulk request; the answers come back per pool. */
export async function readAll(
  reader: StateReader,
  wanted: readonly (readonly ReadCall[])[],
): Promise<ReadResult[][]> {
  const all = wanted.flat()
  const results = all.length > 0 ? await reader.call(all) : []
  let next = 0
  return wanted.map((list) => {
    next += list.length
    return results.slice(next - list.length, next)
  })
}
