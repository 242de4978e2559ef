import { Server } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { answerParserErrors } from './parser-errors.js'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A server that listens nowhere; its events are raised by hand, its connection is a pipe. */
function refused(isAnswering = false) {
  const server = new Server()
  answerParserErrors(server, () => isAnswering)
  const socket = new PassThrough()
  const text = () => String(socket.read() ?? '')
  return { server, socket, text }
}

function parsed(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [first, ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  return { first, headers, body }
}

describe('answerParserErrors', () => {
  test.each([
    ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'over the limit'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'too long'],
    ['HPE_INVALID_METHOD', 400, 'Bad Request', 'not valid HTTP'],
    [undefined, 400, 'Bad Request', 'not valid HTTP'],
  ])('%s is answered with %i in the body of all errors', (code, status, words, message) => {
    const { server, socket, text } = refused()
    server.emit('clientError', Object.assign(new Error('from Node'), { code }), socket)
    const { first, headers, body } = parsed(text())
    expect(first).toBe(`HTTP/1.1 ${status} ${words}`)
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': expect.stringMatching(uuid),
      connection: 'close',
    })
    expect(JSON.parse(body)).toStrictEqual({
      statusCode: status,
      error: words,
      message: expect.stringContaining(message),
      code: 'INVALID_REQUEST',
      requestId: headers['x-request-id'],
    })
    expect(socket.writableEnded).toBe(true)
  })

  test('CONNECT is refused', () => {
    const { server, socket, text } = refused()
    server.emit('connect', {}, socket, Buffer.alloc(0))
    const { first, body } = parsed(text())
    expect(first).toBe('HTTP/1.1 405 Method Not Allowed')
    expect(JSON.parse(body)).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      message: expect.stringContaining('CONNECT'),
    })
  })

  test('nothing is written where the client has gone, cannot hear it, or waits for an earlier answer', () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    const malformed = Object.assign(new Error('bad'), { code: 'HPE_INVALID_METHOD' })
    const cases = [
      { ...refused(), error: reset, isEnded: false },
      { ...refused(true), error: malformed, isEnded: false },
      { ...refused(), error: malformed, isEnded: true },
    ]
    for (const { server, socket, text, error, isEnded } of cases) {
      if (isEnded) socket.end()
      server.emit('clientError', error, socket)
      expect(socket.destroyed).toBe(true)
      expect(text()).toBe('')
    }
  })

  test('a client that leaves before it has read the answer ends nothing but its connection', () => {
    const { server, socket } = refused()
    server.emit('connect', {}, socket, Buffer.alloc(0))
    expect(() => socket.emit('error', new Error('EPIPE'))).not.toThrow()
    expect(socket.destroyed).toBe(true)
  })
})
