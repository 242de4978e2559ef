/** The Model Context Protocol at /mcp (Streamable HTTP): its tools ask this service over HTTP with the caller's own key. */
import { type Request, type Response, Router } from 'express'
import { createForkrouteClient } from '../client/client.js'
import type { Config } from '../config/config.js'
import { authenticate, bearerToken, type RateLimit } from './auth.js'
import { jsonBody } from './guards/json-body.js'
import type { KeyStore } from './key-store.js'
import { serviceVersion } from './version.js'

/** The most event streams at a time. A stream tells of changes to what the service offers, of which there are none. */
const mostStreams = 16

export function mcpEndpoint({
  config,
  keys,
  rate,
  draining,
}: {
  readonly config: Config
  readonly keys: KeyStore | null
  readonly rate: RateLimit
  /** Aborted when the service begins to stop. */
  readonly draining: AbortSignal
}): Router {
  const router = Router()
  router.use(authenticate(keys), rate.handler, ...jsonBody(config.bodyLimitBytes))
  // Loaded by the first question: a service that nobody asks so starts no slower.
  let handler: ReturnType<typeof load> | null = null
  router.all('/', async (req, res) => {
    // A body may hold many messages, each of which is a request.
    if (Array.isArray(req.body)) await rate.charge(res, Math.max(0, req.body.length - 1))
    handler ??= load()
    const answer = await handler
    await answer(req, res)
  })

  async function load() {
    const { createMcpHandler } = await import('@modelcontextprotocol/server')
    const { toNodeHandler } = await import('@modelcontextprotocol/node')
    const { createMcpServer } = await import('../mcp/server.js')
    const options = { version: serviceVersion, mayChange: config.mcp.mayChange }
    const serving = createMcpHandler(
      ({ authInfo }) => {
        const { token, extra } = authInfo ?? { token: '' }
        const key = token || undefined
        const traceparent = extra?.traceparent
        const headers = typeof traceparent === 'string' && { headers: { traceparent } }
        const client = createForkrouteClient({ url: String(extra?.url), key, ...headers })
        return createMcpServer(client, options)
      },
      { maxRequestBodySize: config.bodyLimitBytes, maxSubscriptions: mostStreams },
    )
    draining.addEventListener('abort', () => void serving.close(), { once: true })
    const node = toNodeHandler(serving)
    return async (req: Request, res: Response) => {
      const extra = { url: ownUrl(req), traceparent: req.header('traceparent') }
      const auth = { token: bearerToken(req) ?? '', clientId: res.locals.caller, scopes: [], extra }
      await node(Object.assign(req, { auth }), res, req.body)
    }
  }
  return router
}

/** Where this connection came in. */
function ownUrl({ socket }: Request): string {
  const { localAddress = '127.0.0.1', localPort } = socket
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return `http://${host}:${localPort}`
}
