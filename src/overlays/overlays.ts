/** What makers publish of the next block of each chain, as far as the operator has named where. */
import type { StateOverlay } from '../domain/changes/overlay.js'
import { openFeed } from './feed.js'

export interface Overlays {
  /** Null: none was published, or none could be read. */
  current(chainId: number): StateOverlay | null
  close(): Promise<void>
}

/** @param onProblem - gets sentences without addresses. */
export function openOverlays(
  sources: Readonly<Record<number, { readonly source: string }>>,
  options: { readonly pollMs: number; onProblem(message: string): void },
): Overlays {
  const feeds = new Map(
    Object.entries(sources).map(([id, { source }]) => {
      const chainId = Number(id)
      return [chainId, openFeed({ ...options, chainId, source })]
    }),
  )
  return {
    current: (chainId) => feeds.get(chainId)?.current() ?? null,
    async close() {
      await Promise.all([...feeds.values()].map((feed) => feed.close()))
    },
  }
}
