import { expect, test } from 'vitest'
import { createLatencies } from './latencies.js'

test('a node that becomes slow as a whole is waited for longer, though its answers were given up', () => {
  const latencies = createLatencies()
  for (let answer = 0; answer < 64; answer += 1) latencies.note('eth_call', 1, 40)
  const before = latencies.lost('eth_call', 1)
  for (let answer = 0; answer < 8; answer += 1) latencies.givenUp('eth_call', 1, before)
  expect(latencies.lost('eth_call', 1)).toBeGreaterThan(2 * before)
})

test('one of fifty that never comes is given up as soon as before', () => {
  const latencies = createLatencies()
  for (let answer = 0; answer < 500; answer += 1) {
    if (answer % 50 === 0) latencies.givenUp('eth_call', 1, 1_500)
    else latencies.note('eth_call', 1, 40)
  }
  expect(latencies.lost('eth_call', 1)).toBe(1_500)
})
