import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import { pairsThatMatter } from './hooks.js'

const tokens = Array.from({ length: 8 }, (_, k) => `0x${String(k).repeat(40)}` as Address)
const of = (...places: number[]) => places.map((place) => tokens[place] as Address)

describe('pairsThatMatter', () => {
  test('two connectors come before one, the earlier connectors before the later, and none last', () => {
    const pairs = pairsThatMatter(of(0, 1, 2, 3, 4), of(7, 3, 1), 10)
    expect(pairs).toEqual([
      // Both are connectors.
      [1, 3],
      // The first connector with all others, then the second.
      [0, 3],
      [2, 3],
      [3, 4],
      [0, 1],
      [1, 2],
      [1, 4],
      [0, 2],
      [0, 4],
      [2, 4],
    ])
  })

  test('a pool of eight tokens keeps as many pairs as are asked for, each once', () => {
    const pairs = pairsThatMatter(tokens, of(5), 10)
    expect(pairs).toHaveLength(10)
    expect(new Set(pairs.map(String)).size).toBe(10)
    expect(pairs.slice(0, 7).every((pair) => pair.includes(5))).toBe(true)
    expect(pairs.slice(7)).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
    ])
    expect(pairsThatMatter(tokens, [], 100)).toHaveLength(28)
  })
})
