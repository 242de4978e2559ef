/** The policy of the pages that the service sends: they run its own files alone, and reach it alone. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/** @param more - directives of a page that needs something else. */
export function pagePolicy(more: Readonly<Record<string, readonly string[]>> = {}): RequestHandler {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      ...more,
    },
  })
}
