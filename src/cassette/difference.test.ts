import { describe, expect, test } from 'vitest'
import { firstDifference } from './difference.js'

describe('firstDifference', () => {
  test('the same text has none', () => expect(firstDifference('{"a":1}', '{"a":1}')).toBeNull())

  test.each([
    ['{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}', '$.a.b[1]', '2', '3'],
    ['{"a":"1"}', '{"a":1}', '$.a', '"1"', '1'],
    ['{"a":1}', '{}', '$.a', '1', 'nothing'],
    ['[]', '[null]', '$[0]', 'nothing', 'null'],
    ['[]', '{}', '$', '[]', '{}'],
  ])('%s and %s differ at %s', (expected, got, path, left, right) => {
    expect(firstDifference(expected, got)).toEqual({ path, expected: left, got: right })
  })

  test('bodies that are equal as JSON differ at a character', () => {
    expect(firstDifference('{"a":1,"b":2}', '{"b":2,"a":1}')?.path).toBe('$ (character 2)')
  })
})
