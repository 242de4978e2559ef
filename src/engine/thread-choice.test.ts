import { expect, test } from 'vitest'
import { createThreadChoice } from './thread-choice.js'

const threads = (...usages: number[]) =>
  usages.map((currentUsage, index) => ({ id: index + 1, currentUsage }))

test('each chain keeps to a thread of its own while that has no more to do than others', () => {
  const choose = createThreadChoice(8)
  expect(choose(1, threads(0, 0))?.id).toBe(1)
  expect(choose(8453, threads(0, 0))?.id).toBe(2)
  expect(choose(1, threads(0, 0))?.id).toBe(1)
  expect(choose(8453, threads(1, 1))?.id).toBe(2)
})

test('a thread with less to do comes first, and does not become that of the chain', () => {
  const choose = createThreadChoice(8)
  choose(1, threads(0, 0))
  expect(choose(1, threads(1, 0))?.id).toBe(2)
  expect(choose(1, threads(1, 1))?.id).toBe(1)
})

test('more chains than threads share them', () => {
  const choose = createThreadChoice(8)
  for (const chainId of [1, 8453, 42161]) expect(choose(chainId, threads(0, 0))).not.toBeNull()
})

test('a full thread gets no task, and where all are full none does', () => {
  const choose = createThreadChoice(2)
  expect(choose(1, threads(2, 1))?.id).toBe(2)
  expect(choose(1, threads(2, 2))).toBeNull()
  expect(choose(1, [])).toBeNull()
})

test('the thread of a chain that has ended is replaced by another', () => {
  const choose = createThreadChoice(8)
  choose(1, threads(0, 0))
  expect(choose(1, [{ id: 7, currentUsage: 0 }])?.id).toBe(7)
})
