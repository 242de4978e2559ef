/** An answer that is a file, streamed while it is made at the speed of the client. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { ResultStream } from '../domain/backtest.js'
import { cut } from './errors.js'

/** That a client may take between two parts of a file, where it has not been slow before. */
export const longestPauseMs = 30_000
/** What a client takes in the long run: 16 kB a second. */
export const slowestBytesPerMs = 16

/** What a handler returns in place of a JSON value. */
export class FileAnswer {
  constructor(readonly file: ResultStream) {}
}

/**
 * @param signal - aborted when the client leaves.
 * @throws what the making of the file throws: before its first byte an error with a status, afterwards what cuts the
 * connection, so that no client takes a part for the file.
 */
export async function sendFile(
  res: Response,
  { file }: FileAnswer,
  signal: AbortSignal,
): Promise<void> {
  const parts = file.read(signal)[Symbol.asyncIterator]()
  const first = await parts.next()
  setHeaders(res, file)
  // The pipeline alone adds most of the ten that are no leak.
  res.setMaxListeners(20)
  try {
    const body = inTime(res, first, parts)
    await pipeline(Readable.from(body, { objectMode: false }), res)
  } finally {
    await parts.return?.()
  }
}

/** The answer to HEAD: makes nothing. */
export function sendHead(res: Response, { file }: FileAnswer): void {
  setHeaders(res, file)
  res.end()
}

function setHeaders(res: Response, { contentType, fileName }: ResultStream): void {
  res.setHeader('content-type', contentType)
  // A report has its own styles, no scripts and no outside resources, and is isolated from the service's origin.
  if (contentType.startsWith('text/html')) {
    res.setHeader(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    )
  }
  res.setHeader('content-disposition', `inline; filename="${fileName}"`)
}

/** @returns how long a client may take for a part, of what it was allowed before, ms. */
export function allowedFor(bytes: number, allowedMs: number): number {
  return Math.min(longestPauseMs, allowedMs) + bytes / slowestBytesPerMs
}

/** Who stops reading, or all but stops, keeps others from being served. */
async function* inTime(
  res: Response,
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let allowedMs = longestPauseMs
  try {
    for (let part = first; !part.done; part = await rest.next()) {
      const begun = performance.now()
      allowedMs = allowedFor(part.value.length, allowedMs)
      const pause = setTimeout(() => cut(res), allowedMs)
      try {
        yield part.value
      } finally {
        clearTimeout(pause)
      }
      allowedMs -= performance.now() - begun
    }
  } catch (error) {
    // The pipeline would end the connection in order.
    cut(res, error)
    throw error
  }
}
