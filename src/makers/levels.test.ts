import { describe, expect, test } from 'vitest'
import { levelsOf } from './levels.js'

const [a, b] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
const desk = { chainId: 1, name: 'desk' }
const documentOf = (levels: unknown, more: object = {}) => ({
  expiry: 1_900_000_000,
  pairs: [{ tokenIn: a, tokenOut: b, levels, ...more }],
})

function read(document: unknown) {
  const problems: string[] = []
  return { found: levelsOf(desk, document, problems), problems }
}

describe('levels of a maker', () => {
  test('are offers of one direction each, with a name that stays', () => {
    const levels = [
      ['10', '30'],
      ['20', '50'],
    ]
    const { found, problems } = read(documentOf(levels))
    expect(problems).toEqual([])
    expect(found).toMatchObject([
      { name: 'desk', tokenIn: a, tokenOut: b, amountIn: '20', amountOut: '50', levels },
    ])
    expect(read(documentOf([['10', '31']])).found?.[0]?.hash).toBe(found?.[0]?.hash)
    expect(read({ expiry: 1, pairs: [] })).toEqual({ found: [], problems: [] })
  })

  test.each([
    ['no expiry', { ...documentOf([['1', '1']]), expiry: '5' }],
    ['no pairs', { expiry: 5 }],
    ['no object', 7],
    ['one token', documentOf([['1', '1']], { tokenOut: a })],
    ['no address', documentOf([['1', '1']], { tokenOut: '0x12' })],
    ['numbers', documentOf([[1, 1]])],
    ['no level', documentOf([])],
    ['a level of nothing', documentOf([['0', '1']])],
    [
      'an output that falls',
      documentOf([
        ['1', '5'],
        ['2', '4'],
      ]),
    ],
    [
      'a rate that rises',
      documentOf([
        ['1', '5'],
        ['2', '11'],
      ]),
    ],
    ['more than 256 bits', documentOf([['1', String(2n ** 256n)]])],
    ['too many levels', documentOf(Array.from({ length: 51 }, (_, i) => [`${i + 1}`, `${i + 1}`]))],
    [
      'a pair twice',
      { expiry: 5, pairs: [...documentOf([['1', '1']]).pairs, ...documentOf([['2', '2']]).pairs] },
    ],
  ])('with %s are none, and say why', (_, document) => {
    const { found, problems } = read(document)
    expect(found).toBe(null)
    expect(problems.length).toBeGreaterThan(0)
  })
})
