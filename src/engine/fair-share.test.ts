import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createFairShare } from './fair-share.js'

/** Works that end when they are released, and which of them have begun. */
function setup(most: number) {
  const share = createFairShare(most)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const never = new AbortController().signal
  return {
    begun,
    live: (name: string) => share.live(work(name)),
    background: (name: string, signal = never) => share.background(work(name), signal),
    share,
    async end(name: string) {
      ends.get(name)?.()
      await turn()
    },
  }
}

describe('createFairShare', () => {
  test('without live calls as many run as are allowed, in the order asked', async () => {
    const { background, begun, end } = setup(2)
    for (const name of ['a', 'b', 'c', 'd']) void background(name)
    await turn()
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('a live call begins at once; beside it one after the other goes on', async () => {
    const { background, live, begun, end } = setup(2)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void background(name)
    await turn()
    const answer = live('live')
    await turn()
    expect(begun).toEqual(['a', 'b', 'live'])
    await end('a')
    expect(begun).toEqual(['a', 'b', 'live'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'live', 'c'])
    await end('c')
    expect(begun.at(-1)).toBe('d')
    await end('live')
    expect(await answer).toBe('live')
    expect(begun).toEqual(['a', 'b', 'live', 'c', 'd', 'e'])
  })

  test('with live calls all the time background ones come to their end all the same', async () => {
    const { background, live, end } = setup(4)
    void live('one')
    const all = Promise.all(['a', 'b', 'c'].map((name) => background(name)))
    void live('two')
    await turn()
    for (const name of ['a', 'b', 'c']) await end(name)
    expect(await all).toEqual(['a', 'b', 'c'])
  })

  test('one that waits is given up at once, and never begins', async () => {
    const { background, begun, end } = setup(1)
    const stop = new AbortController()
    const first = background('a')
    const second = background('b', stop.signal)
    void background('c')
    stop.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    await expect(background('d', stop.signal)).rejects.toThrow('left')
    await end('a')
    await first
    expect(begun).toEqual(['a', 'c'])
  })

  test('what fails leaves its place to the next', async () => {
    const { background, begun, share } = setup(1)
    const fail = () => Promise.reject(new Error('broken'))
    const { signal } = new AbortController()
    const failures = [share.background(fail, signal), share.live(fail)]
    void background('next')
    for (const failure of failures) await expect(failure).rejects.toThrow('broken')
    await turn()
    expect(begun).toEqual(['next'])
  })
})
