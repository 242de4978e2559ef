/** Gives errors that Node raises before Express sees the request the same error body. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorCodes } from '../domain/errors.js'

interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  /** Where HTTP has a more specific status than the error table. */
  readonly status?: number
}

const answers: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'INVALID_REQUEST',
    status: 431,
    message:
      'The request line and headers are over the limit. Send long lists in the body of a POST.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'INVALID_REQUEST',
    status: 408,
    message: 'The request took too long to arrive.',
  },
}
const malformed: Refusal = { code: 'INVALID_REQUEST', message: 'The request is not valid HTTP.' }
const noTunnel: Refusal = { code: 'METHOD_NOT_ALLOWED', message: 'CONNECT is not allowed here.' }

/** @param isAnswering - whether an answer to an earlier, complete request is pending or being sent on a connection. */
export function answerParserErrors(server: Server, isAnswering: (socket: Socket) => boolean): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // The client has gone, or would take this for the answer to its earlier request.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    refuse(socket, answers[error.code ?? ''] ?? malformed)
  })
  server.on('connect', (_req, socket) => refuse(socket, noTunnel))
}

function refuse(socket: Duplex, { code, message, status = errorCodes[code].status }: Refusal) {
  const requestId = randomUUID()
  const error = STATUS_CODES[status]
  const body = JSON.stringify({ statusCode: status, error, message, code, requestId })
  // The client may disconnect first; without a listener that error would end the process.
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${error}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${body}`,
  )
}
