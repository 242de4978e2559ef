import { describe, expect, test } from 'vitest'
import { latestDeadline, parseDeadline } from './deadline.js'

describe('parseDeadline', () => {
  test('a number below a thousand million is a duration, any other a time', () => {
    expect(parseDeadline('0')).toEqual({ kind: 'after', seconds: 0n })
    expect(parseDeadline('600')).toEqual({ kind: 'after', seconds: 600n })
    expect(parseDeadline('999999999')).toEqual({ kind: 'after', seconds: 999_999_999n })
    expect(parseDeadline('1000000000')).toEqual({ kind: 'at', timestamp: 1_000_000_000n })
    expect(parseDeadline('4294967295')).toEqual({ kind: 'at', timestamp: latestDeadline })
  })

  test('a time has a zone; fractions of seconds are cut off', () => {
    expect(parseDeadline('2026-03-01T12:00:00Z')).toEqual({ kind: 'at', timestamp: 1_772_366_400n })
    expect(parseDeadline('2026-03-01T14:00:00.9+02:00')).toEqual({
      kind: 'at',
      timestamp: 1_772_366_400n,
    })
    // Before 2001 a time is still no duration.
    expect(parseDeadline('1999-01-01T00:00Z')).toEqual({ kind: 'at', timestamp: 915_148_800n })
  })

  test.each([
    '',
    'soon',
    '-1',
    '1.5',
    '1e9',
    // Milliseconds, and what does not fit into four bytes.
    '1772366400000',
    '4294967296',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-02-31T12:00:00Z',
    '1969-01-01T00:00:00Z',
    '2200-01-01T00:00:00Z',
  ])('refuses %j', (text) => {
    expect(() => parseDeadline(text)).toThrow(/^A deadline is seconds after the block/)
  })
})
