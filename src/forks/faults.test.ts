import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import { upstreamUnavailable } from '../domain/common-errors.js'
import { ForkrouteError, toWireError } from '../domain/errors.js'
import { BatchRefused, JsonRpcError, MissingAnswer, TransportError } from '../rpc/node/json-rpc.js'
import { atBorder } from './faults.js'

const block = { chainId: 1, number: 7n }
const codeOf = (thrown: unknown) => toWireError(atBorder(thrown, block)).code

const withCode = (code: string) => Object.assign(new Error(code), { code })
const unanswered = (cause: unknown) =>
  new TransportError('The node gave no answer.', null, null, { cause })

describe('atBorder', () => {
  test.each([
    ['headers that do not come', unanswered(new errors.HeadersTimeoutError())],
    ['a body that does not come', unanswered(new errors.BodyTimeoutError())],
    ['a socket that ends', unanswered(new errors.SocketError('other side closed'))],
    ['a pool that is destroyed', unanswered(new errors.ClientDestroyedError())],
    ['a connection that is refused', unanswered(withCode('ECONNREFUSED'))],
    ['HTTP 500', new TransportError('The node answered HTTP 500.', 500)],
    ['what is not JSON', new TransportError('The node answered HTTP 200 without JSON.', 200)],
    ['a batch that is refused', new BatchRefused(new JsonRpcError(-32603, 'no'))],
    ['an answer that is left out', new MissingAnswer()],
    ['an internal error of the server', new JsonRpcError(-32603, 'internal')],
    ['undici itself', new errors.HeadersTimeoutError()],
    ['a connection that is reset', withCode('ECONNRESET')],
    ['a pipe that is broken', withCode('EPIPE')],
    ['no port to be had', withCode('EADDRNOTAVAIL')],
    ['fetch', new TypeError('fetch failed', { cause: withCode('UND_ERR_CONNECT_TIMEOUT') })],
  ])('%s is a fork that does not answer', (_kind, thrown) => {
    const error = atBorder(thrown, block)
    expect(toWireError(error)).toEqual({
      code: 'FORK_UNAVAILABLE',
      message: 'A fork of block 7 does not answer.',
      details: { chainId: 1, blockNumber: '7' },
    })
    expect(error).toMatchObject({ cause: thrown })
  })

  test('what the archive and forks say of their nodes is known by its text', () => {
    expect(codeOf(new JsonRpcError(-32001, 'upstream unavailable: no node'))).toBe(
      'UPSTREAM_UNAVAILABLE',
    )
    expect(codeOf(new JsonRpcError(-32000, 'header not found'))).toBe('STATE_UNAVAILABLE')
  })

  test('in the thread of the archive it is a node that does not answer', () => {
    const wire = toWireError(atBorder(unanswered(withCode('ECONNRESET')), null))
    expect(wire).toEqual({ code: 'UPSTREAM_UNAVAILABLE', message: 'No node answers.' })
  })

  test('an error that callers know stays what it is', () => {
    const known = [
      new ForkrouteError('NO_ROUTE', 'No path.'),
      upstreamUnavailable(block, unanswered(withCode('EPIPE'))),
    ]
    for (const error of known) expect(atBorder(error, block)).toBe(error)
  })

  test.each([
    ['a bug', new RangeError('x')],
    ['a request that is malformed', new JsonRpcError(-32602, 'invalid params')],
    ['a method that is not there', new JsonRpcError(-32601, 'no such method')],
    ['a revert that nobody expected', new JsonRpcError(3, 'execution reverted')],
    ['a file that is not there', withCode('ENOENT')],
    ['a text', 'text'],
  ])('%s stays INTERNAL', (_kind, thrown) => {
    expect(codeOf(thrown)).toBe('INTERNAL')
  })
})
