import { describe, expect, test } from 'vitest'
import { errorCodes } from '../domain/errors.js'
import { ForkrouteApiError, toError, UnexpectedAnswerError } from './errors.js'

describe('errors of the client', () => {
  test.each(Object.keys(errorCodes))('%s has a class of its own', (code) => {
    const body = { statusCode: 422, error: 'x', message: ['a', 'b'], code, requestId: 'r' }
    const error = toError({ ...body, details: { one: 1 } }, 422, 3)
    expect(error).toBeInstanceOf(ForkrouteApiError)
    expect(error.name).toBe(error.constructor.name)
    expect(error).toMatchObject({ code, status: 422, requestId: 'r', retryAfterSeconds: 3 })
    expect(error).toMatchObject({ message: 'a\nb', messages: ['a', 'b'], details: { one: 1 } })
  })

  test('what may be done about it is a list, empty where the body has none', () => {
    const next = [{ parameter: 'executionMode', value: 'backend' }]
    const body = { code: 'INSUFFICIENT_ALLOWANCE', message: 'x' }
    expect(toError({ ...body, details: { next } }, 400)).toMatchObject({ next })
    expect(toError(body, 400)).toMatchObject({ next: [] })
  })

  test('no two codes share one', () => {
    const names = Object.keys(errorCodes).map(
      (code) => toError({ code, message: 'x' }, 400).constructor.name,
    )
    expect(new Set(names).size).toBe(names.length)
  })

  test.each([
    [{ code: 'OF_A_LATER_VERSION', message: 'Why.' }, 'HTTP 418: Why. (OF_A_LATER_VERSION).'],
    [{ code: 'toString', message: 'Why.' }, 'HTTP 418: Why. (toString).'],
    [null, 'HTTP 418: no body that is understood.'],
    [[], 'HTTP 418: no body that is understood.'],
    ['text', 'HTTP 418: no body that is understood.'],
  ])('%j is no answer of this interface', (body, message) => {
    const error = toError(body, 418)
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error.message).toBe(message)
  })
})
