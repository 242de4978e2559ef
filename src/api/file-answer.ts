/** An answer that is a file, streamed while it is made at the speed of the client. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

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
  await pipeline(Readable.from(file.body, { objectMode: false }), res)
}
