/**
 * Tells the archive of calls that a fork is about to make, so that what they touch is read in bulk. Calls of a kind are
 * told once in a thread: the archive remembers what they used. A hint only; nothing waits for it.
 */
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../domain/primitives.js'
import { callKind } from '../rpc/hints/call-kind.js'
import { forkClient } from './clients.js'

/** Of one message, as the archive takes them. */
const mostCalls = 1_024

/** Kinds of calls by chain. */
const told = new LRUCache<string, true>({ max: 20_000 })

/** @param archiveUrl - of the block in the archive. */
export function foresee(
  archiveUrl: string,
  chainId: number,
  calls: readonly { readonly to: Address; readonly data: Hex }[],
): void {
  const fresh = calls.filter(({ to, data }) => {
    const kind = `${chainId} ${callKind(to, data)}`
    const isNew = !told.has(kind)
    told.set(kind, true)
    return isNew
  })
  if (fresh.length === 0) return
  const asked = fresh.slice(0, mostCalls).map(({ to, data }) => ({ to, data }))
  forkClient(archiveUrl)
    .request('forkroute_foresee', [asked])
    .catch(() => undefined)
}
