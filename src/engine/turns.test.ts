import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTurns } from './turns.js'

/** Works that end when they are released, and which of them have begun. */
function setup(most: number, mostWaiting: number) {
  const turns = createTurns(most, mostWaiting)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const never = new AbortController().signal
  return {
    turns,
    begun,
    run: (name: string, signal = never) =>
      turns.run(() => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      }, signal),
    async end(name: string) {
      ends.get(name)?.()
      await turn()
    },
  }
}

describe('createTurns', () => {
  test('so many run at a time; the others follow in the order asked', async () => {
    const { turns, run, begun, end } = setup(2, 10)
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => run(name)))
    await turn()
    expect(begun).toEqual(['a', 'b'])
    expect(turns.waiting()).toBe(2)
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd']) await end(name)
    expect(await all).toEqual(['a', 'b', 'c', 'd'])
    expect(turns.waiting()).toBe(0)
  })

  test('one more than may wait is refused at once, and harms none of those that wait', async () => {
    const { run, begun, end } = setup(1, 1)
    const first = run('a')
    const second = run('b')
    await expect(run('c')).rejects.toMatchObject({ code: 'OVERLOADED', status: 503 })
    await end('a')
    await end('b')
    expect(await Promise.all([first, second])).toEqual(['a', 'b'])
    expect(begun).toEqual(['a', 'b'])
  })

  test('one that leaves while it waits never begins, and its place is free again', async () => {
    const { turns, run, begun, end } = setup(1, 1)
    const first = run('a')
    const stop = new AbortController()
    const second = run('b', stop.signal)
    stop.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    expect(turns.waiting()).toBe(0)
    const third = run('c')
    await end('a')
    await end('c')
    expect(await Promise.all([first, third])).toEqual(['a', 'c'])
    expect(begun).toEqual(['a', 'c'])
  })

  test('what fails leaves its place to the next', async () => {
    const { turns, run, end } = setup(1, 1)
    const { signal } = new AbortController()
    const failing = turns.run(() => Promise.reject(new Error('broken')), signal)
    const next = run('next')
    await expect(failing).rejects.toThrow('broken')
    await turn()
    await end('next')
    expect(await next).toBe('next')
  })
})
