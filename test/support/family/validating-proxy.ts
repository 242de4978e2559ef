/**
 * Stands before a service of a test and passes everything on, byte for byte. Every answer is compared with the
 * description of the interface: what is unfit fails the test that asked (see fail-unfit.ts), the rest is counted.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../nodes/loopback-server.js'
import type { Dialect } from './agreement.js'
import { checkAnswer } from './check-answer.js'
import { countAnswer } from './counts.js'

/** Of this process, since a test asks services of its own process. */
const unfit: string[] = []

/** What did not fit since the last call. */
export const takeUnfit = (): string[] => unfit.splice(0)

export interface ValidatingProxy {
  readonly url: string
  stop(): Promise<void>
}

/** @param dialect - that the service speaks. */
export async function startValidatingProxy(
  target: string,
  dialect: Dialect = 'specification',
): Promise<ValidatingProxy> {
  const server = createServer((asked, answer) => pass(new URL(target), dialect, asked, answer))
  // Keep-alive ends when the client or the service ends it, never here.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.headersTimeout = 0
  return listenOnLoopback(server)
}

function pass(target: URL, dialect: Dialect, asked: IncomingMessage, answer: ServerResponse): void {
  const sent: Buffer[] = []
  let isAnswered = false
  const upstream = request({
    host: target.hostname,
    port: target.port,
    method: asked.method,
    path: asked.url,
    // What is packed could not be read here.
    headers: { ...asked.headers, 'accept-encoding': 'identity' },
    // A connection of its own for each request: what the client breaks off is broken off at the service.
    agent: false,
  })
  asked.on('data', (chunk: Buffer) => sent.push(chunk))
  asked.pipe(upstream)
  upstream.once('response', (given) => {
    const { statusCode: status = 0, headers } = given
    const chunks: Buffer[] = []
    isAnswered = true
    const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
    const check = () => {
      const exchange = {
        method: asked.method ?? '',
        target: asked.url ?? '',
        sentHeaders: asked.headers,
        sent: Buffer.concat(sent).toString(),
        status,
        headers,
        text: Buffer.concat(chunks.splice(0)).toString(),
      }
      const { endpoint, problems } = checkAnswer(exchange, dialect)
      if (problems.length > 0) {
        const named = `${exchange.method} ${exchange.target}\n${exchange.sent.slice(0, 2_000)}`
        const shown = exchange.text.slice(0, 2_000)
        unfit.push(`${named}\n${status} ${shown}\n- ${problems.join('\n- ')}`)
      } else if (endpoint) countAnswer(endpoint, status)
    }
    answer.writeHead(status, given.statusMessage, given.rawHeaders)
    // Headers of a stream come before its first event.
    if (isStream) answer.flushHeaders()
    given.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (isStream) {
        // An event ends with an empty line.
        if (chunk.toString().endsWith('\n\n')) check()
        answer.write(chunk)
      }
    })
    given.once('end', () => {
      const body = Buffer.concat(chunks)
      if (isStream) return answer.end()
      check()
      return answer.end(body)
    })
    given.once('error', () => answer.destroy())
  })
  // A service that refuses a body while it is sent has answered before the rest of it is lost.
  upstream.on('error', () => {
    if (!isAnswered) answer.destroy()
  })
  answer.once('close', () => upstream.destroy())
}
