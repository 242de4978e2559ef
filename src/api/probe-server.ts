/** What a process without an API answers to an orchestrator and to Prometheus: /health, /ready and /metrics. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../config/config.js'
import type { Engine } from '../domain/engine.js'
import { registry } from '../telemetry/metrics.js'

export interface ProbeServer {
  readonly port: number
  close(): Promise<void>
}

/** Nothing that is sent is needed. */
const receiveTimeoutMs = 5_000

/** @throws ConfigError when the port cannot be used. */
export async function startProbeServer(
  engine: Pick<Engine, 'readiness'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ProbeServer> {
  const server = createServer({ requestTimeout: receiveTimeoutMs }, (req, res) => {
    res.setHeader('cache-control', 'no-store')
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD')
      return sendJson(res, 405, { status: 'method not allowed' })
    }
    const [path] = (req.url ?? '').split('?')
    if (path === '/health') return sendJson(res, 200, { status: 'ok' })
    if (path === '/ready') {
      const readiness = engine.readiness()
      return sendJson(res, readiness.ready ? 200 : 503, readiness)
    }
    if (path === '/metrics') {
      void registry.metrics().then(
        (text) => res.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => sendJson(res, 503, { status: 'a part did not tell its figures' }),
      )
      return
    }
    sendJson(res, 404, { status: 'not found' })
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new ConfigError([`HOST, WORKER_PORT: ${host}:${port} cannot be had (${code}).`])),
    )
    server.listen(port, host, resolve)
  })
}
