/** What makers publish of the state of each chain's next block, as far as the operator has named where. */
import { overlayOf, type StateOverlay } from '../domain/changes/overlay.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { type Feed, mostBytes, openFeed, timeoutMs } from './feed.js'

export interface Overlays {
  /** Null: none was published, or none could be read. */
  current(chainId: number): StateOverlay | null
  close(): Promise<void>
}

export interface OverlayOptions {
  readonly pollMs: number
  /** Gets sentences without addresses. */
  onProblem(message: string): void
}

/** The method by which builders give what makers publish. @see docs.titanbuilder.xyz */
const method = 'titan_getPammStateOverrides'

export function openOverlays(
  sources: Readonly<Record<number, { readonly source: string }>>,
  options: OverlayOptions,
): Overlays {
  const feeds = new Map(
    Object.entries(sources).map(([id, { source }]) => {
      const chainId = Number(id)
      return [chainId, openOverlayFeed(chainId, source, options)]
    }),
  )
  return {
    current: (chainId) => feeds.get(chainId)?.current() ?? null,
    async close() {
      await Promise.all([...feeds.values()].map((feed) => feed.close()))
    },
  }
}

function openOverlayFeed(
  chainId: number,
  source: string,
  options: OverlayOptions,
): Feed<StateOverlay> {
  const client = /^https?:/.test(source)
    ? createRpcClient(source, { timeoutMs, mostBytes: () => mostBytes })
    : null
  const feed = openFeed<StateOverlay>({
    ...options,
    source,
    subject: `The overlay of chain ${chainId}`,
    ask: async (signal) => client?.request(method, [], signal),
    read: (document, problems) => overlayOf(chainId, document, problems),
    // A frame has only the venues that changed, so those of earlier frames for the same block stay.
    merge(earlier, next) {
      const published = earlier?.blockNumber === next.blockNumber ? earlier.published : {}
      return { ...next, published: { ...published, ...next.published } }
    },
  })
  return {
    current: feed.current,
    asked: feed.asked,
    async close() {
      await feed.close()
      await client?.close()
    },
  }
}
