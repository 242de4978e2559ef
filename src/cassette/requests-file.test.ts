import { describe, expect, test } from 'vitest'
import { ConfigError } from '../config/config.js'
import { type BlockFinder, parseRequests, planRequests } from './requests-file.js'

/** A block each hour of 2026. */
const find: BlockFinder = async (chainId, tag) => {
  if (tag.kind === 'number') return tag.number
  if (tag.kind === 'latest') return (chainId === 1 ? 100n : 500n) - tag.back
  return (tag.timestamp - 1_767_225_600n) / 3_600n
}
const plan = (text: string) => planRequests(parseRequests(text), find)
async function blocksOf(blocks: string) {
  const planned = await plan(`[{ path: /shortcuts/quote, blocks: ${blocks} }]`)
  return planned.map(({ query }) => query.blockNumber)
}

describe('parseRequests', () => {
  test('addresses without quotes stay text, and amounts above 2^53 exact', async () => {
    const [one] = await plan(`
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
  ])('%s is refused', async (text, reason) => {
    await expect((async () => plan(text))()).rejects.toThrow(reason)
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
    ['[2026-01-02, 2026-01-02T03:00Z..latest-72]', [24, 27, 28]],
    ['"@1767229200"', [1]],
  ])('blocks %s are %j', async (blocks, numbers) => expect(await blocksOf(blocks)).toEqual(numbers))

  test.each(['9..5', 'newest', '1..200002', '-3'])('blocks %s are refused', async (blocks) => {
    await expect(blocksOf(blocks)).rejects.toThrow(ConfigError)
  })

  test('each request at each block of the file; the newest block is that of its chain', async () => {
    const planned = await plan(`
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

  test('without blocks a request is asked as it is', async () => {
    expect((await plan('[{ path: /prices/1 }]'))[0]?.query).toEqual({})
  })
})
