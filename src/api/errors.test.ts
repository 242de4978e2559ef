import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { NextFunction, Request, Response } from 'express'
import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorCodes, ForkrouteError } from '../domain/errors.js'
import type { Logger } from '../telemetry/log.js'
import { registry } from '../telemetry/metrics.js'
import { allowOnly, cut, errorBody, errorFacts, errorHandler, toForkrouteError } from './errors.js'

const requestId = 'f3b1'

/** What `http-errors` makes: an Error with a status and a type. */
const fault = (fields: object) => Object.assign(new Error('from below'), fields)

describe('toForkrouteError', () => {
  test.each<[string, object, ErrorCode]>([
    ['a body that is no JSON', { status: 400, type: 'entity.parse.failed' }, 'INVALID_REQUEST'],
    ['a body over the limit', { status: 413, type: 'entity.too.large' }, 'BODY_TOO_LARGE'],
    ['an unknown charset', { status: 415, type: 'charset.unsupported' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a client that aborted', { status: 400, type: 'request.aborted' }, 'INVALID_REQUEST'],
    ['any other status', { status: 500 }, 'INTERNAL'],
    ['no status at all', {}, 'INTERNAL'],
  ])('%s', (_name, fields, code) => {
    expect(toForkrouteError(fault(fields)).code).toBe(code)
  })

  test('a body over the limit is told the limit where it is known', () => {
    const messageOf = (limit?: number) => toForkrouteError(fault({ status: 413, limit })).message
    const rest = '(BODY_LIMIT_BYTES). Divide it into several requests.'
    expect(messageOf(4_096)).toBe(`The request body is over the limit of 4096 bytes ${rest}`)
    expect(messageOf()).toBe(`The request body is over the limit ${rest}`)
  })

  test('a body that is no JSON in UTF-8 is told which header says so', () => {
    expect(toForkrouteError(fault({ status: 415 })).details).toEqual({
      next: [{ header: 'content-type', value: 'application/json' }],
    })
  })

  test('broken JSON is told apart from what could not be read', () => {
    const broken = toForkrouteError(fault({ status: 400, type: 'entity.parse.failed' }))
    expect(broken.message).not.toBe(toForkrouteError(fault({ status: 400 })).message)
  })

  test('an expected error passes as it is', () => {
    const error = new ForkrouteError('NO_ROUTE', 'No route.')
    expect(toForkrouteError(error)).toBe(error)
  })

  test('nothing of a bug passes but to the log', () => {
    for (const bug of [
      new TypeError('secret'),
      new ForkrouteError('INTERNAL', 'secret', { at: 'secret' }),
      'secret',
      { status: 413 },
      null,
    ]) {
      const error = toForkrouteError(bug)
      expect(error).toMatchObject({ code: 'INTERNAL', message: errorCodes.INTERNAL.title })
      expect(error.cause).toBe(bug)
      expect(JSON.stringify(errorBody(error, requestId))).not.toContain('secret')
    }
  })
})

describe('errorBody', () => {
  test('status, its words, message, code, request and, where there are any, facts', () => {
    const error = new ForkrouteError('NO_ROUTE', 'No route.')
    const body = {
      statusCode: 422,
      error: 'Unprocessable Entity',
      message: 'No route.',
      code: 'NO_ROUTE',
      requestId,
    }
    expect(errorBody(error, requestId)).toStrictEqual(body)
    const withFacts = new ForkrouteError('NO_ROUTE', 'No route.', { maxHops: 3 })
    expect(errorBody(withFacts, requestId)).toStrictEqual({ ...body, details: { maxHops: 3 } })
    expect(Object.keys(errorBody(withFacts, requestId)).slice(-2)).toEqual(['requestId', 'details'])
  })

  test('several wrong inputs are a list', () => {
    const error = new ForkrouteError('INVALID_REQUEST', ['One.', 'Two.'])
    expect(errorBody(error, requestId).message).toEqual(['One.', 'Two.'])
    expect(errorFacts({ code: 'NO_ROUTE', message: 'No route.' })).toStrictEqual({
      statusCode: 422,
      error: 'Unprocessable Entity',
      message: 'No route.',
      code: 'NO_ROUTE',
    })
  })
})

/** What the handler does with something thrown, on a response that nothing listens to. */
function answerTo(thrown: unknown, prepare: (res: Response) => void = () => undefined) {
  const req = new IncomingMessage(new Socket())
  const res = Object.assign(new ServerResponse(req), {
    locals: { requestId },
  }) as unknown as Response
  let body: unknown = null
  res.status = (code) => Object.assign(res, { statusCode: code })
  res.json = (value) => {
    body = value
    return res
  }
  const lines: (readonly [level: string, ...unknown[]])[] = []
  const level = (name: string) => (facts: object, text: string) => lines.push([name, facts, text])
  const logger = { debug: level('debug'), warn: level('warn'), error: level('error') }
  prepare(res)
  const next: NextFunction = () => {
    throw new Error('nothing comes after')
  }
  errorHandler(logger as unknown as Logger)(thrown, req as Request, res, next)
  return { status: res.statusCode, headers: { ...res.getHeaders() }, body, lines, res }
}

describe('errorHandler', () => {
  test('a mistake of the caller is answered and not logged', () => {
    const error = new ForkrouteError('NO_ROUTE', 'No route.')
    const { status, headers, body, lines } = answerTo(error)
    expect({ status, headers, lines }).toEqual({ status: 422, headers: {}, lines: [] })
    expect(body).toEqual(errorBody(error, requestId))
  })

  test('a second is the time to wait where the error is worth a retry and nothing else is said', () => {
    const error = new ForkrouteError('RATE_LIMITED', 'Too many.')
    expect(answerTo(error).headers).toEqual({ 'retry-after': '1' })
    const answer = answerTo(error, (res) => res.setHeader('retry-after', '7'))
    expect(answer.headers).toEqual({ 'retry-after': '7' })
  })

  test('a missing key is told how to come', () => {
    const { headers } = answerTo(new ForkrouteError('UNAUTHORIZED', 'No key.'))
    expect(headers).toEqual({ 'www-authenticate': 'Bearer' })
  })

  test('a bug is an error in the log, with what was thrown', () => {
    const bug = new TypeError('x is not a function')
    const { status, lines } = answerTo(bug)
    expect(status).toBe(500)
    const text = 'request failed: a fault of the service'
    expect(lines).toEqual([['error', { err: bug, requestId }, text]])
  })

  test('what is expected to fail below us is a warning', () => {
    const error = new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node.')
    expect(answerTo(error).lines).toEqual([
      ['warn', { err: error, requestId, code: 'UPSTREAM_UNAVAILABLE' }, 'request failed'],
    ])
  })

  test.each<[string, (res: Response) => void]>([
    ['half an answer is out', (res) => res.writeHead(200)],
    ['the client has left', (res) => res.destroy()],
  ])('nothing is answered when %s', (_name, prepare) => {
    const error = new ForkrouteError('OVERLOADED', 'Too much.')
    const { body, lines, headers, res } = answerTo(error, prepare)
    expect({ body, headers }).toEqual({ body: null, headers: {} })
    expect(res.destroyed).toBe(true)
    expect(lines).toEqual([['debug', { err: error, requestId }, 'request abandoned']])
  })

  test('an answer that we cut is a warning with its cause, unless the client had left before', () => {
    const error = new ForkrouteError('OVERLOADED', 'Too much.')
    const facts = { err: error, requestId, code: 'OVERLOADED' }
    const begun = answerTo(error, (res) => {
      res.writeHead(200)
      cut(res, error)
    })
    expect(begun.lines).toEqual([['warn', facts, 'answer cut in its middle']])
    for (const cause of [undefined, new Error('another')]) {
      const { lines } = answerTo(error, (res) => cut(res, cause))
      expect(lines).toEqual([['debug', { err: error, requestId }, 'request abandoned']])
    }
    const left = answerTo(error, (res) => {
      res.destroy()
      cut(res, error)
    })
    expect(left.lines).toEqual([['debug', { err: error, requestId }, 'request abandoned']])
  })

  test('each error that is answered or cut counts by its code, which is there from zero on', async () => {
    const countOf = async (wanted: ErrorCode) => {
      const metric = await registry.getSingleMetric('forkroute_errors_total')?.get()
      return metric?.values.find(({ labels }) => labels.code === wanted)?.value
    }
    const error = new ForkrouteError('NO_PRICE', 'None.')
    answerTo(error)
    const before = Number(await countOf('NO_PRICE'))
    answerTo(error)
    answerTo(error, (res) => cut(res, error))
    answerTo(error, (res) => cut(res))
    expect(await countOf('NO_PRICE')).toBe(before + 2)
    expect(await countOf('CALLER_NOT_ALLOWED')).toBe(0)
  })
})

describe('allowOnly', () => {
  test('names what the path takes instead', () => {
    const headers = new Map<string, string>()
    const res = { setHeader: (name: string, value: string) => headers.set(name, value) }
    const refuse = () =>
      allowOnly(['GET', 'HEAD', 'POST'])(
        { method: 'PUT', originalUrl: '/api/v1/keys?a=1' } as Request,
        res as unknown as Response,
        () => undefined,
      )
    expect(refuse).toThrowError(
      expect.objectContaining({
        code: 'METHOD_NOT_ALLOWED',
        message: 'PUT is not allowed here, but GET, HEAD, POST.',
        details: { next: [{ endpoint: 'GET /api/v1/keys' }, { endpoint: 'POST /api/v1/keys' }] },
      }),
    )
    expect([...headers]).toEqual([['allow', 'GET, HEAD, POST']])
  })
})
