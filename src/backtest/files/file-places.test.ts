import { describe, expect, test } from 'vitest'
import { FilePlaces } from './file-places.js'

const never = new AbortController().signal

/** Four places, and what has begun in its order. */
function open(longestWaitMs = 60_000) {
  const places = new FilePlaces({ most: 4, perAccount: 2, longestWaitMs })
  const begun: string[] = []
  const take = async (account: string, signal = never) => {
    const leave = await places.take(account, signal)
    begun.push(account)
    return leave
  }
  return { begun, take }
}

/** Everything that can go on has gone on. */
const settled = () => new Promise(setImmediate)

describe('FilePlaces', () => {
  test('the second file of an account leaves a place to others', async () => {
    const { begun, take } = open()
    const [leaveA, leaveOther] = await Promise.all([take('a'), take('a'), take('b')])
    const second = take('b')
    const leaveC = await take('c')
    expect(begun).toEqual(['a', 'a', 'b', 'c'])
    leaveC()
    await settled()
    expect(begun).toEqual(['a', 'a', 'b', 'c'])
    leaveA()
    await second
    leaveOther()
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'b'])
  })

  test('the next place is for the account with the fewest, and among those for the first', async () => {
    const { begun, take } = open()
    const leaves = await Promise.all(['a', 'b', 'c', 'd'].map((account) => take(account)))
    const waiting = ['a', 'e', 'b', 'f'].map((account) => take(account))
    for (const leave of leaves.toReversed()) leave()
    await Promise.all(waiting)
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'b', 'a'])
  })

  test('what waits counts for its account, and is forgotten when it leaves', async () => {
    const { begun, take } = open()
    const [leave] = await Promise.all(['a', 'b', 'c', 'd'].map((account) => take(account)))
    const left = new AbortController()
    const waiting = take('a', left.signal)
    await expect(take('a')).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' })
    left.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    await expect(take('a', left.signal)).rejects.toThrow('left')
    leave?.()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    await take('e')
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('who finds no place for too long is told to try again', async () => {
    const { begun, take } = open(1)
    const [leave] = await Promise.all(['a', 'b', 'c', 'd'].map((account) => take(account)))
    await expect(take('e')).rejects.toMatchObject({ code: 'OVERLOADED' })
    leave?.()
    await take('f')
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'f'])
  })
})
