/** Queue of reads to the nodes: equal reads in flight are merged, and reads that arrive together are batched. */
import { ForkrouteError } from '../../domain/errors.js'
import type { Answer, BlockRef } from './answer.js'
import type { Ask } from './ask.js'

export interface AskQueue {
  /**
   * @param id - equal for equal reads.
   * @param of - the block whose state is read, or the height of what is read; null where it has none.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  ask<T>(id: string, of: BlockRef | bigint | null, request: Ask['request']): Promise<Answer<T>>
}

/** Reads that arrive within this time are sent together. */
const groupingMs = 1

export function createAskQueue(parts: {
  /** Settles or fails each of the reads. */
  readonly serve: (asks: readonly Ask[]) => Promise<void>
  /** A read was merged with an equal one in flight. */
  readonly onCoalesced: () => void
}): AskQueue {
  const inFlight = new Map<string, Promise<Answer<unknown>>>()
  let waiting: Ask[] = []

  function flush(): void {
    const asks = waiting
    waiting = []
    void parts.serve(asks).catch((cause) => {
      const error = new ForkrouteError('INTERNAL', 'Reading from the nodes failed.', undefined, {
        cause,
      })
      for (const one of asks) one.fail(error)
    })
  }

  return {
    ask<T>(id: string, of: BlockRef | bigint | null, request: Ask['request']) {
      const running = inFlight.get(id)
      if (running) {
        parts.onCoalesced()
        return running as Promise<Answer<T>>
      }
      const promise = new Promise<Answer<unknown>>((settle, fail) => {
        if (waiting.length === 0) {
          if (inFlight.size === 0) setImmediate(flush)
          else setTimeout(flush, groupingMs)
        }
        const block = typeof of === 'bigint' ? null : of
        const height = typeof of === 'bigint' ? of : (of?.number ?? null)
        const told = { isSent: false, refusedBy: new Map(), odd: new Map() }
        waiting.push({ request, block, height, askedAt: Date.now(), ...told, settle, fail })
      }).finally(() => inFlight.delete(id))
      inFlight.set(id, promise)
      return promise as Promise<Answer<T>>
    },
  }
}
