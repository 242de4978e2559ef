import { expect, test } from 'vitest'
import { oncePer } from './once-per.js'

test('a value is computed once per object', () => {
  let times = 0
  const twice = oncePer(({ value }: { readonly value: number }) => {
    times++
    return value * 2
  })
  const [one, other] = [{ value: 3 }, { value: 3 }]
  expect([twice(one), twice(one), twice(other)]).toEqual([6, 6, 6])
  expect(times).toBe(2)
})

test('a RangeError is thrown again without computing, any other error comes from the function anew', () => {
  let times = 0
  const failing = oncePer(({ error }: { readonly error: Error }) => {
    times++
    throw error
  })
  const reverting = { error: new RangeError('reverts') }
  const broken = { error: new Error('broken') }
  for (const key of [reverting, reverting, broken, broken]) {
    expect(() => failing(key)).toThrow(key.error)
  }
  expect(times).toBe(3)
})
