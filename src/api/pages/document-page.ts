/** The machine-readable description, without a key. It has a megabyte, is written when first asked for, and is sent from memory. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'
import { bigintToString } from '../../domain/primitives.js'

export function documentPage(document: () => object): RequestHandler {
  let kept: ReturnType<typeof write> | null = null
  return (req, res) => {
    kept ??= write(document())
    res.set({ etag: kept.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
    res.type('json')
    if (req.fresh) return res.status(304).end()
    if (req.acceptsEncodings('gzip') === false) return res.send(kept.plain)
    return res.set('content-encoding', 'gzip').send(kept.packed)
  }
}

function write(document: object) {
  const plain = Buffer.from(JSON.stringify(document, bigintToString))
  const hash = createHash('sha256').update(plain).digest('base64url')
  return { plain, packed: gzipSync(plain), etag: `W/"${hash}"` }
}
