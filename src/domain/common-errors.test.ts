import { describe, expect, test } from 'vitest'
import { invalidRequest, scopeMissing, storageUnavailable, unknownChain } from './common-errors.js'

describe('invalidRequest', () => {
  test('one mistake is a message, several are messages', () => {
    const one = invalidRequest(['a is required'])
    expect([one.message, one.messages]).toEqual(['a is required', null])
    const two = invalidRequest(['a is required', 'b is required'], { action: 0 })
    expect(two.messages).toEqual(['a is required', 'b is required'])
    expect(two.details).toEqual({ action: 0 })
  })
})

describe('unknownChain', () => {
  test('names the chains that are known, where it is told them', () => {
    expect(unknownChain(5).message).toBe('Chain 5 is not configured here.')
    expect(unknownChain(5, [1, 8453]).message).toBe(
      'Chain 5 is not configured here; configured: 1, 8453.',
    )
  })
})

describe('scopeMissing', () => {
  test('offers the header with a key that has the scope', () => {
    const { code, message, details } = scopeMissing('Only for admins.', 'admin')
    expect({ code, message, details }).toEqual({
      code: 'SCOPE_MISSING',
      message: 'Only for admins.',
      details: {
        scope: 'admin',
        next: [{ header: 'authorization', value: 'Bearer <key with the scope admin>' }],
      },
    })
  })
})

describe('storageUnavailable', () => {
  test('gives the code of the cause, never its text', () => {
    const cause = Object.assign(new Error('/data/secret.sqlite'), { code: 'SQLITE_FULL' })
    const error = storageUnavailable('The catalog cannot be read or written', cause)
    expect(error.message).toBe('The catalog cannot be read or written (SQLITE_FULL).')
    expect(error.cause).toBe(cause)
    expect(storageUnavailable('It cannot be read', new Error('text')).message).toBe(
      'It cannot be read (unknown).',
    )
  })

  test('says what to do where the package with SQLite was not compiled', () => {
    const cause = new Error('Could not locate the bindings file. Tried:\n → /home/me/build/x.node')
    expect(storageUnavailable('It cannot be read', cause).message).toBe(
      'It cannot be read (better-sqlite3 is not installed for this version of Node; install python3, make and g++, and run npm ci again).',
    )
  })
})
