import { describe, expect, test } from 'vitest'
import { bounded, plain } from './plain-text.js'

describe('texts for models', () => {
  test.each([
    ['line\nbreak\r\tand\u0000nul\u001b[31m', 'linebreakandnul[31m'],
    ['right\u202eto\u2066left\u2069', 'righttoleft'],
    ['zero\u200bwidth\u200d\ufeffjoined\u00ad', 'zerowidthjoined'],
    ['tag\u{e0041}\u{e0042}s \ufe0fvariation\u{e0100}', 'tags variation'],
    ['half \ud83d pair', 'half  pair'],
    ['para\u2029graph\u2028', 'paragraph'],
    ['Wrapped Ether ☃ 中', 'Wrapped Ether ☃ 中'],
  ])('%j', (given, text) => {
    expect(plain({ name: given, [given]: 1n })).toEqual({ name: text, [text]: '1' })
  })

  test('a name is cut, call data is not', () => {
    const long = 'x'.repeat(1_000)
    expect(plain({ symbol: long, data: long, tokens: [{ name: long }] })).toEqual({
      symbol: `${'x'.repeat(64)}…`,
      data: long,
      tokens: [{ name: `${'x'.repeat(64)}…` }],
    })
  })
})

describe('the bound of an answer', () => {
  test('the longest lists are halved, and it is said by how much', () => {
    const value = { pools: Array.from({ length: 100 }, (_, id) => ({ id })), route: [1, 2] }
    const { value: kept, cut } = bounded(value, 400)
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(400)
    const { pools, route } = kept as typeof value
    expect(route).toEqual([1, 2])
    expect(pools).toEqual(value.pools.slice(0, pools.length))
    expect(cut).toEqual({ pools: 100 - pools.length })
  })

  test('what is small stays, what cannot be cut is left out', () => {
    expect(bounded({ a: 1 }, 100)).toEqual({ value: { a: 1 }, cut: null })
    expect(bounded({ a: 'x'.repeat(200) }, 100)).toEqual({ value: null, cut: { '': 1 } })
  })

  test('a list inside of a list', () => {
    const value = [{ items: Array.from({ length: 64 }, () => 'abcdefgh') }]
    const { value: kept, cut } = bounded(value, 200)
    expect((kept as typeof value)[0]?.items.length).toBe(16)
    expect(cut).toEqual({ '0.items': 48 })
  })
})
