import { describe, expect, test } from 'vitest'
import { parseBlockTag } from './block-tag.js'

describe('parseBlockTag', () => {
  test('a number', () => {
    expect(parseBlockTag('0')).toEqual({ kind: 'number', number: 0n })
    expect(parseBlockTag(' 21000000 ')).toEqual({ kind: 'number', number: 21_000_000n })
  })

  test('the newest, and blocks below it', () => {
    expect(parseBlockTag('latest')).toEqual({ kind: 'latest', back: 0n })
    expect(parseBlockTag('Latest-300')).toEqual({ kind: 'latest', back: 300n })
  })

  test.each([
    ['@1772366400', 1_772_366_400n],
    ['2026-03-01', 1_772_323_200n],
    ['2026-03-01T12:00Z', 1_772_366_400n],
    ['2026-03-01T12:00:00', 1_772_366_400n],
    ['2026-03-01 12:00:00.999Z', 1_772_366_400n],
    ['2026-03-01T14:00:00+02:00', 1_772_366_400n],
    ['1970-01-01', 0n],
  ])('%s is %s in unix seconds', (text, timestamp) => {
    expect(parseBlockTag(text)).toEqual({ kind: 'time', timestamp })
  })

  test.each([
    '',
    '-1',
    '1.5',
    '0x10',
    'latest+1',
    'latest-',
    'earliest',
    '@',
    '@-5',
    '2026-02-30',
    '2026-13-01',
    '2026-03-01T25:00:00Z',
    '1969-12-31T23:59:59Z',
    '9007199254740992',
    'next tuesday',
  ])('%j names no block', (text) => {
    expect(() => parseBlockTag(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('names no block: give a block'),
      }),
    )
  })
})
