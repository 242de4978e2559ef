/** What the thread of `follow.ts` does: every chain to its head, again and again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { chainById } from '../chains/registry.js'
import { withDeclaredVenues } from '../protocols/declared/venue.js'
import { createUpstream } from '../rpc/node/upstream.js'
import type { FollowData, FollowedChain, FollowMessage } from './follow.js'
import { sourcesOf } from './sources.js'
import { type IndexStore, openIndexStore } from './store.js'
import { syncChain } from './sync.js'

/** After a failure: a node that has no events will hardly have them a second later. */
const failurePauseMs = 15_000

export async function followInThread(
  data: FollowData,
  post: (message: FollowMessage) => void,
): Promise<void> {
  const store = openIndexStore(data.dataDir)
  await Promise.all(data.chains.map((chain) => follow(chain, data, store, post)))
}

async function follow(
  { chainId, urls, verifyHeaderHash, anchor }: FollowedChain,
  { pollIntervalMs, upstreamTimeoutMs, venues }: FollowData,
  store: IndexStore,
  post: (message: FollowMessage) => void,
): Promise<void> {
  const chain = chainById(chainId)
  if (!chain) return
  const sources = sourcesOf(withDeclaredVenues(chain, venues))
  const upstream = createUpstream({
    chainId,
    urls,
    verifyHeaderHash,
    anchor,
    timeoutMs: upstreamTimeoutMs,
  })
  let last = ''
  for (;;) {
    let isFine = true
    try {
      const { head, found, rolledBack } = await syncChain({ chain, sources, store, upstream })
      if (rolledBack > 0n) {
        post({
          level: 'warn',
          message: `Pool index of chain ${chainId}: ${rolledBack} blocks were replaced and read again.`,
        })
      }
      if (last !== '' || found > 0) {
        post({
          level: 'info',
          message: `Pool index of chain ${chainId}: block ${head}, ${found} pools added.`,
        })
      }
      last = ''
    } catch (error) {
      isFine = false
      const { message } = error as Error
      if (message !== last) post({ level: 'warn', message: `Pool index: ${message}` })
      last = message
    }
    await sleep(isFine ? pollIntervalMs : failurePauseMs)
  }
}
