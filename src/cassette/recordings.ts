/** The recordings of a service: passes answers to the recorder, or looks up how requests were recorded. */

import {
  fromHistoriesDocument,
  type HistoriesDocument,
  type LaneHistories,
} from '../domain/bridges/lane-history.js'
import { overlayOf, type StateOverlay } from '../domain/changes/overlay.js'
import { type ErrorCode, errorCodes, ForkrouteError } from '../domain/errors.js'
import {
  type RecordedAnswer,
  type RecordedContext,
  type RecordedRequest,
  type Recordings,
  recordingHeader,
} from '../domain/recording.js'
import { guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import {
  CassetteRequests,
  type NumberedEntry,
  type RequestEntry,
  type RequestRow,
} from '../rpc/cassette/cassette-requests.js'
import { readable } from './contents.js'
import { fromRequestText, keyOfRequest, toRequestText } from './request-form.js'

/** @param record - as `Archive.record`. */
export function createRecordings(record: (entry: NumberedEntry) => Promise<number>): Recordings {
  return {
    find: () => null,
    async add(request, answer, number) {
      return isLasting(answer) ? record({ ...toEntry(request, answer), number }) : null
    },
  }
}

function toEntry(request: RecordedRequest, { status, text, blocks }: RecordedAnswer): RequestEntry {
  return {
    key: keyOfRequest(request),
    request: toRequestText(request),
    status,
    answer: text,
    blocks: blocks.map(({ pin: { chainId, number, hash }, isHead }) => ({
      chainId,
      number,
      hash,
      isHead,
    })),
  }
}

/** Whether the answer is a fact about its block. Temporary refusals and faults of the service are not. */
function isLasting({ status, text }: RecordedAnswer): boolean {
  if (status < 400) return true
  const { code } = JSON.parse(text) as { code?: ErrorCode }
  const known = code === undefined ? undefined : errorCodes[code]
  // Which blocks are known depends on the node.
  return known !== undefined && !known.retry && code !== 'INTERNAL' && code !== 'UNKNOWN_BLOCK'
}

export interface OpenRecordings extends Recordings {
  close(): void
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE when the cassette cannot be opened. */
export function openRecordings(file: string): OpenRecordings {
  const db = openCassetteFile(file, 'read')
  const requests = new CassetteRequests(db)

  /**
   * Among equal requests it prefers the identical text, then the same caller, then the newest blocks, then the last
   * one.
   */
  function rowOf(request: RecordedRequest, number: number | null): RequestRow | null {
    if (number !== null) return requests.get(number)
    const rows = requests.idsOf(keyOfRequest(request)).flatMap((id) => requests.get(id) ?? [])
    const exact = rows.filter((row) => row.request === toRequestText(request))
    const sameCaller = rows.filter(
      (row) => fromRequestText(row.request).accountId === request.accountId,
    )
    const newest = (row: RequestRow) =>
      Math.max(0, ...row.blocks.map((block) => Number(block.number)))
    const best = [exact, sameCaller, rows].find((some) => some.length) ?? []
    return best.sort((a, b) => newest(b) - newest(a) || b.id - a.id)[0] ?? null
  }

  return {
    find(request, number) {
      const row = readable(() => guarded(() => rowOf(request, number)))
      if (number !== null && row?.key !== keyOfRequest(request)) {
        throw new ForkrouteError(
          'NOT_FOUND',
          `There is no recording ${number} of this request. Without the header ${recordingHeader} the newest one is taken.`,
        )
      }
      if (!row) return null
      const heads = row.blocks.filter(({ isHead }) => isHead)
      const {
        accountId,
        orders = [],
        overlays = [],
        laneHistories = [],
      } = fromRequestText(row.request)
      return {
        accountId,
        orders: (chainId) => orders.filter((order) => order.chainId === chainId),
        overlay: (chainId) => recordedOverlay(overlays, chainId),
        laneHistories: (which) => recordedHistories(laneHistories, which),
        heads: new Map(heads.map(({ chainId, number: block }) => [chainId, block])),
      }
    },
    add: async () => null,
    close: () => void db.close(),
  }
}

function recordedOverlay(documents: readonly object[], chainId: number): StateOverlay | null {
  const own = documents.find((one) => 'chainId' in one && one.chainId === chainId)
  return own ? overlayOf(chainId, own, []) : null
}

function recordedHistories(
  documents: readonly HistoriesDocument[],
  { bridge, sourceChainId, destinationChainId }: Parameters<RecordedContext['laneHistories']>[0],
): LaneHistories | null {
  const own = documents.find(
    (one) =>
      one.bridge === bridge &&
      one.sourceChainId === sourceChainId &&
      one.destinationChainId === destinationChainId,
  )
  return own ? fromHistoriesDocument(own) : null
}

/** The block that counts as the newest in a replay, by chain: the newest head at which a request was recorded. */
export function recordedHeads(file: string): Record<number, bigint> {
  const db = openCassetteFile(file, 'read')
  try {
    return guarded(() => {
      const rows = db
        .prepare<[], { chain_id: number; number: number }>(
          `SELECT chain_id, max(number) AS number FROM request_blocks
           JOIN blocks ON blocks.id = request_blocks.block WHERE is_head = 1 GROUP BY chain_id`,
        )
        .all()
      return Object.fromEntries(rows.map(({ chain_id, number }) => [chain_id, BigInt(number)]))
    })
  } finally {
    db.close()
  }
}
