import { describe, expect, test } from 'vitest'
import { ForkrouteError, fromWireError, toWireError } from './errors.js'

describe('ForkrouteError', () => {
  test('has the status of its code, and its name in front of the sentence', () => {
    const error = new ForkrouteError('NO_ROUTE', 'No route.', { maxHops: 3 })
    expect(error).toMatchObject({ status: 422, messages: null, details: { maxHops: 3 } })
    expect(String(error)).toBe('ForkrouteError: No route.')
  })

  test('several wrong inputs are one message each, and one sentence after the other', () => {
    const error = new ForkrouteError('INVALID_REQUEST', ['One.', 'Two.'])
    expect(error.message).toBe('One. Two.')
    expect(error.messages).toEqual(['One.', 'Two.'])
  })

  test('a list of one wrong input is that sentence', () => {
    const error = new ForkrouteError('INVALID_REQUEST', ['a is wrong'])
    expect([error.message, error.messages]).toEqual(['a is wrong', null])
  })

  test('keeps what caused it', () => {
    const cause = new Error('below')
    expect(new ForkrouteError('INTERNAL', 'A fault.', undefined, { cause }).cause).toBe(cause)
  })
})

describe('toWireError', () => {
  test.each([
    ['one message', new ForkrouteError('NO_ROUTE', 'No route.')],
    ['facts', new ForkrouteError('RATE_LIMITED', 'Too many.', { perMinute: 60 })],
    ['several messages', new ForkrouteError('INVALID_REQUEST', ['One.', 'Two.'], { at: [0, 1] })],
  ])('an error with %s comes back from another thread', (_name, error) => {
    const { code, message, messages, details } = error
    const wire = toWireError(error)
    expect(wire).toStrictEqual({
      code,
      message,
      ...(messages && { messages }),
      ...(details && { details }),
    })
    const back = fromWireError(structuredClone(wire))
    expect(back).toBeInstanceOf(ForkrouteError)
    expect({ ...back, message: back.message }).toStrictEqual({ ...error, message })
    expect(back.stack).toContain('ForkrouteError')
  })

  test('anything else is INTERNAL without its message, which is in the stack for the log', () => {
    const thrown = new TypeError('x is not a function')
    const wire = toWireError(thrown)
    expect(wire).toStrictEqual({
      code: 'INTERNAL',
      message: 'A fault of the service itself; its log has the cause.',
      stack: thrown.stack,
    })
    expect(fromWireError(wire).stack).toBe(thrown.stack)
  })

  test('an error without a stack gives its message, a value that is no error its text', () => {
    const bare = new Error('bare')
    delete bare.stack
    expect(toWireError(bare).stack).toBe('bare')
    expect(toWireError('a text').stack).toBe('a text')
  })
})
