/**
 * Refuses what pages of other sites make a browser send. Where no key is needed such a page would have the whole service: by a
 * host name of its own that leads here (DNS rebinding), or by requests that need no preflight.
 */
import { isIP } from 'node:net'
import type { Request, RequestHandler } from 'express'
import { ForkrouteError } from '../../domain/errors.js'

const thisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * @param allowedHosts - further names by which the service may be asked, and from whose pages.
 * @param corsOrigins - origins whose pages may ask; `*`: all.
 * @throws ForkrouteError CALLER_NOT_ALLOWED, out of the handler.
 */
export function refuseForeignPages(
  allowedHosts: readonly string[],
  corsOrigins: readonly string[],
): RequestHandler {
  const hosts = new Set([...thisMachine, ...allowedHosts.map((host) => host.toLowerCase())])
  const isOwnHost = (url: URL | null) => url !== null && hosts.has(url.hostname)

  /** No name leads here but by a resolver, so an address is always meant as it stands. */
  const isAllowedHost = (host: string) => {
    const url = parsed(`http://${host}`)
    return isOwnHost(url) || isIP(url?.hostname.replaceAll(/[[\]]/g, '') ?? '') !== 0
  }

  const isAllowedOrigin = (origin: string, host: string | undefined) => {
    const url = parsed(origin)
    return (
      isOwnHost(url) ||
      (url !== null && url.host === parsed(`http://${host}`)?.host) ||
      corsOrigins.includes('*') ||
      corsOrigins.includes(origin)
    )
  }

  return (req, _res, next) => {
    const { host, origin } = req.headers
    // Every browser names the host.
    if (host !== undefined && !isAllowedHost(host)) {
      throw refusal(
        `The service may not be asked as ${quoted(host)}: add the name to ALLOWED_HOSTS, or use its address.`,
      )
    }
    if (origin !== undefined ? !isAllowedOrigin(origin, host) : isSentByForeignPage(req)) {
      throw refusal(
        `Pages of ${quoted(origin ?? 'another site')} may not ask this service: add the origin to CORS_ORIGINS.`,
      )
    }
    next()
  }
}

/** Browsers leave the origin out of some requests, but not where they come from. A link that somebody follows is no such request. */
function isSentByForeignPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate'
}

function parsed(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 128))

function refusal(message: string): ForkrouteError {
  return new ForkrouteError('CALLER_NOT_ALLOWED', message)
}
