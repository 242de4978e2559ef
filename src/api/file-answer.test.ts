import { describe, expect, test } from 'vitest'
import { allowedFor, longestPauseMs } from './file-answer.js'

/** Parts of 64 kB that a client takes, a hundred at most, where it needs so long for each. */
function partsTaken(msEach: number): number {
  let allowedMs = longestPauseMs
  for (let taken = 0; taken < 100; taken += 1) {
    allowedMs = allowedFor(65_536, allowedMs)
    if (msEach > allowedMs) return taken
    allowedMs -= msEach
  }
  return 100
}

describe('allowedFor', () => {
  test.each([
    ['16 kB a second goes on to the end', 4_096, 100],
    ['a third less goes on for a while', 6_000, 15],
    ['nothing for half a minute ends at once', 35_000, 0],
  ])('%s', (_name, msEach, parts) => {
    expect(partsTaken(msEach)).toBe(parts)
  })

  test('who was fast may not be slower later on', () => {
    const saved = Array.from({ length: 50 }).reduce<number>(
      (allowedMs) => allowedFor(1e6, allowedMs) - 1,
      longestPauseMs,
    )
    expect(allowedFor(0, saved)).toBe(longestPauseMs)
  })
})
