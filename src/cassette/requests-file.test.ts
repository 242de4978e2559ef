import { describe, expect, test } from 'vitest'
import { parseRequests, planRequests } from './requests-file.js'

const headOf = (chainId: number): bigint => (chainId === 1 ? 100n : 500n)
const plan = (text: string) => planRequests(parseRequests(text), headOf)
const blocksOf = (blocks: string) =>
  plan(`[{ path: /shortcuts/quote, blocks: ${blocks} }]`).map(({ query }) => query.blockNumber)

describe('parseRequests', () => {
  test('addresses without quotes stay text, and amounts above 2^53 exact', () => {
    const [one] = plan(`
      - path: /shortcuts/quote
        query:
          tokenIn: 0x00000000000000000000000000000000000a11ce
          amountIn: 123456789012345678901234567890
          chainId: 1`)
    expect(one).toEqual({
      method: 'GET',
      path: '/shortcuts/quote',
      query: {
        tokenIn: '0x00000000000000000000000000000000000a11ce',
        amountIn: '123456789012345678901234567890',
        chainId: 1,
      },
    })
  })

  test.each([
    ['{', 'neither YAML nor JSON'],
    ['[{}]', 'path'],
    ['[{ path: shortcuts/quote }]', 'below /api/v1'],
    ['[{ path: /api/v1/shortcuts/quote }]', 'below /api/v1'],
    ['[{ path: /a, method: GET, body: {} }]', 'a GET has no body'],
    ['[{ path: /a, block: 1 }]', 'block'],
  ])('%s is refused', (text, reason) => {
    expect(() => plan(text)).toThrow(reason)
  })
})

describe('planRequests', () => {
  test.each([
    ['7', [7]],
    ['latest', [100]],
    ['latest-2..latest', [98, 99, 100]],
    ['[3, latest-1, 5..6, 3]', [3, 99, 5, 6]],
    ['{ from: 10, to: 20, step: 5 }', [10, 15, 20]],
    ['{ from: latest-1, to: latest }', [99, 100]],
  ])('blocks %s are %j', (blocks, numbers) => expect(blocksOf(blocks)).toEqual(numbers))

  test.each(['9..5', 'newest', '1..200002', '-3'])('blocks %s are refused', (blocks) => {
    expect(() => blocksOf(blocks)).toThrow()
  })

  test('each request at each block of the file; the newest block is that of its chain', () => {
    const planned = plan(`
      blocks: [latest]
      requests:
        - { path: /prices/8453, query: { addresses: [a, b] } }
        - { path: /quotes, body: { chainId: 8453, quotes: [] } }
        - { path: /shortcuts/bundle, query: { chainId: 1 }, body: [] }
        - { path: /prices/1, blocks: [1, 2] }`)
    expect(planned.map(({ method, query, body }) => [method, query.blockNumber, body])).toEqual([
      ['GET', 500, undefined],
      ['POST', undefined, { chainId: 8453, quotes: [], blockNumber: 500 }],
      ['POST', 100, []],
      ['GET', 1, undefined],
      ['GET', 2, undefined],
    ])
  })

  test('without blocks a request is asked as it is', () => {
    expect(plan('[{ path: /prices/1 }]')[0]?.query).toEqual({})
  })
})
