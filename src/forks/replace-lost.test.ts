import { describe, expect, test } from 'vitest'
import { replacingLost } from './replace-lost.js'

/** Attempts that lose these forks, one after the other, and then end. */
async function outcomeOf(lost: readonly string[]) {
  const left = [...lost]
  const replaced: string[] = []
  const attempt = () => left.shift()
  const last = await replacingLost(attempt(), {
    lostIn: (one) => one,
    replace: async (url) => replaced.push(url),
    again: async () => attempt(),
  })
  return { last, replaced }
}

describe('replacingLost', () => {
  test('nothing is tried again where no fork is lost', async () => {
    expect(await outcomeOf([])).toEqual({ last: undefined, replaced: [] })
  })

  test('four forks may be lost, and the fifth is the outcome', async () => {
    expect(await outcomeOf(['a', 'b', 'c', 'd'])).toEqual({
      last: undefined,
      replaced: ['a', 'b', 'c', 'd'],
    })
    expect(await outcomeOf(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual({
      last: 'e',
      replaced: ['a', 'b', 'c', 'd'],
    })
  })

  test('one that is replaced already may fail three further attempts', async () => {
    expect(await outcomeOf(['a', 'a', 'a', 'a'])).toMatchObject({ last: undefined })
    expect(await outcomeOf(['a', 'a', 'a', 'a', 'a', 'b'])).toEqual({
      last: 'a',
      replaced: ['a', 'a', 'a', 'a'],
    })
  })
})
