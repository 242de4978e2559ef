/** What Node's HTTP parser refuses never reaches Express; it gets the same body here. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const answers: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line and headers are over the limit.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
}
const malformed = { status: 400, message: 'The request is not valid HTTP.' }

export function answerParserErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // The client has gone, or an answer has begun: nothing can be said.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy()
      return
    }
    const { status, message } = answers[error.code ?? ''] ?? malformed
    const requestId = randomUUID()
    const title = STATUS_CODES[status]
    const body = JSON.stringify({
      statusCode: status,
      error: title,
      message,
      code: 'INVALID_REQUEST',
      requestId,
    })
    socket.end(
      `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
        `connection: close\r\n\r\n${body}`,
    )
  })
}
