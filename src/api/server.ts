/**
 * The HTTP server: listens, and stops without cutting off requests in flight.
 * Owns the socket only; the caller owns engine and keys.
 */
import { setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Express } from 'express'
import { ConfigError } from '../config/config.js'
import { shuttingDown } from '../domain/common-errors.js'
import { type AppArgs, createApp } from './app.js'
import { answerParserErrors } from './parser-errors.js'

/** Room for a query with hundreds of addresses in the longest spelling; Node's own limit is 16 KiB. */
const maxHeaderBytes = 65_536
/** Time that a client has to send its whole request. */
const receiveTimeoutMs = 30_000
/** Above the idle time of common proxies, so that they drop idle connections, not the service. */
const keepAliveTimeoutMs = 65_000

export interface ApiServer {
  readonly app: Express
  /** @throws ConfigError when the host or port cannot be used. */
  listen(): Promise<{ readonly url: string; readonly port: number }>
  /** Accepts nothing more, lets requests finish within SHUTDOWN_TIMEOUT_MS, then cuts the rest. Safe to repeat. */
  close(): Promise<void>
}

export function createApiServer(args: Omit<AppArgs, 'stopping' | 'draining'>): ApiServer {
  const { config } = args
  const stopping = new AbortController()
  const draining = new AbortController()
  // Every request in flight adds a listener.
  setMaxListeners(0, stopping.signal, draining.signal)
  const app = createApp({ ...args, stopping: stopping.signal, draining: draining.signal })
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: receiveTimeoutMs,
      // The app refuses such a request itself, with the body of every other error.
      requireHostHeader: false,
    },
    app,
  )
  // An unknown Expect header may be ignored; Node would answer it without a body.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.keepAliveTimeout = keepAliveTimeoutMs
  let closing: Promise<void> | null = null
  const sockets = new Set<Socket>()
  const answering = new Map<ServerResponse, Socket>()
  answerParserErrors(server, (socket) =>
    [...answering].some(([res, its]) => its === socket && (res.headersSent || res.req.complete)),
  )

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (req, res) => {
    answering.set(res, req.socket)
    if (closing) res.setHeader('connection', 'close')
    res.once('close', () => {
      answering.delete(res)
      if (closing) setImmediate(() => server.closeIdleConnections())
    })
  })

  /** Node itself leaves connections open that have not sent a request yet, and keeps alive those that have. */
  function closeIdleSockets(): void {
    for (const res of answering.keys()) {
      if (!res.headersSent) res.setHeader('connection', 'close')
    }
    const busy = new Set(answering.values())
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
  }

  return {
    app,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, config)))
        server.listen(config.port, config.host, () => {
          const { port } = server.address() as AddressInfo
          resolve({ url: `http://${reachableHost(config.host)}:${port}`, port })
        })
      }),
    close() {
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(() => {
          stopping.abort(shuttingDown())
          // Gives the answers to requests that were just stopped time to reach their sockets.
          setImmediate(() => setImmediate(() => server.closeAllConnections()))
        }, config.shutdownTimeoutMs)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        draining.abort()
        closeIdleSockets()
      })
      return closing
    },
  }
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function explain(error: NodeJS.ErrnoException, config: { host: string; port: number }): Error {
  const reason = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be had (${error.code})`
  return new ConfigError([`HOST, PORT: ${config.host}:${config.port} ${reason}.`])
}
