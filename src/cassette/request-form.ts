/** The stored form of requests, and the key by which two are equal. Pure. */
import { createHash } from 'node:crypto'
import type { Hex } from '../domain/primitives.js'
import type { RecordedRequest } from '../domain/recording.js'

/** The stored form. A body keeps the order of its fields, because answers repeat parts of it. */
export function toRequestText(request: RecordedRequest): string {
  const { method, path, query, body, accountId, orders, overlays, laneHistories } = request
  const given = { orders, overlays, laneHistories }
  return JSON.stringify({ method, path, query, body, accountId, ...given })
}

/** @throws SyntaxError for what no recording has written. */
export function fromRequestText(text: string): RecordedRequest {
  const request = JSON.parse(text) as Partial<RecordedRequest> | null
  const isWhole =
    typeof request?.method === 'string' &&
    typeof request.path === 'string' &&
    typeof request.query === 'object' &&
    Object.values(request.query ?? {}).every(Array.isArray)
  if (!isWhole || !request.query) throw new SyntaxError('The text is no recorded request.')
  return request as RecordedRequest
}

/** The same for equal requests, for any account, whatever else was known when they were made, and any order of fields. */
export function keyOfRequest({
  accountId: _,
  orders: __,
  overlays: ___,
  laneHistories: ____,
  ...asked
}: RecordedRequest): Hex {
  return `0x${createHash('sha256')
    .update(JSON.stringify(ordered(asked)))
    .digest('hex')}`
}

/** Path and query as in a URL below /api/v1. */
export function urlOf({ path, query }: Pick<RecordedRequest, 'path' | 'query'>): string {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of values) search.append(name, value)
  }
  return search.size ? `${path}?${search}` : path
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, ordered(field)]),
  )
}
