/** An answer that is a file, streamed while it is made at the speed of the client. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** Each is made by a thread of its own. */
export const mostFiles = 4
export const filesPerKey = 2
/** That a client may take between two parts of a file. */
export const longestPauseMs = 30_000

/** What a handler returns in place of a JSON value. */
export class FileAnswer {
  constructor(
    readonly file: {
      readonly contentType: string
      readonly fileName: string
      readonly body: AsyncIterable<Uint8Array>
    },
  ) {}
}

/** @throws what ends the file early; the client sees a cut connection, never a file that looks complete. */
export async function sendFile(
  res: Response,
  { file }: FileAnswer,
  isHead: boolean,
): Promise<void> {
  res.setHeader('content-type', file.contentType)
  // A report has its own styles, no scripts and no outside resources, and is isolated from the service's origin.
  if (file.contentType.startsWith('text/html')) {
    res.setHeader(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    )
  }
  res.setHeader('content-disposition', `inline; filename="${file.fileName}"`)
  if (isHead) {
    res.end()
    return
  }
  // The pipeline alone adds most of the ten that are no leak.
  res.setMaxListeners(20)
  await pipeline(Readable.from(inTime(file.body, res), { objectMode: false }), res)
}

/** Who stops reading keeps others from being served. */
async function* inTime(body: AsyncIterable<Uint8Array>, res: Response): AsyncIterable<Uint8Array> {
  for await (const part of body) {
    const pause = setTimeout(() => res.destroy(), longestPauseMs)
    try {
      yield part
    } finally {
      clearTimeout(pause)
    }
  }
}
