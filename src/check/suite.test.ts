import { describe, expect, test } from 'vitest'
import { parseSuite } from './suite.js'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const pair = `{ tokenIn: 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE, tokenOut: ${usdc}, amountIn: 100000000000000000000 }`

function problems(lines: readonly string[]): string[] {
  try {
    parseSuite(lines.join('\n'), '/suites/one.yaml')
  } catch (error) {
    return [...(error as { problems: readonly string[] }).problems]
  }
  return []
}

describe('parseSuite', () => {
  test('fills requests with the block and the chain of the suite; the cassette lies beside the file', () => {
    const suite = parseSuite(
      `cassette: cassettes/one.cassette
chainId: 1
block: 378
cases:
  - name: a
    quote: ${pair}
    expect: { atLeast: 1, path: [curve, uniswap-v3] }
  - name: b
    block: 300
    quote: ${pair}
    expect: { amountOut: { ${usdc}: 5 }, toleranceBps: 2.5 }
  - name: c
    prices: { addresses: [${usdc}] }
    expect: { price: 1.0002 }
`,
      '/suites/one.yaml',
    )
    expect(suite).toMatchObject({
      cassette: '/suites/cassettes/one.cassette',
      rpc: null,
      chainId: 1,
    })
    expect(suite.cases).toMatchObject([
      {
        line: 5,
        kind: 'quote',
        request: { chainId: 1, blockNumber: 378, tokenOut: usdc, amountIn: 10n ** 20n },
        expect: { atLeast: 1n, path: ['curve', 'uniswap-v3'] },
      },
      { request: { blockNumber: 300 }, expect: { amountOut: { [usdc]: 5n }, toleranceBps: 2.5 } },
      { kind: 'prices', expect: { price: [1.0002] } },
    ])
  })

  test('lists every mistake with its line', () => {
    expect(
      problems([
        'casette: x',
        'block: -1',
        'rpc: ftp://node',
        'cases:',
        '  - name: a',
        `    quote: ${pair}`,
        '    expect: { atleast: 5, toleranceBps: 20000 }',
        '  - quote: 5',
        '    expect: { error: NOPE }',
      ]),
    ).toEqual([
      'line 1: casette is not known here.',
      'line 2: block must be a whole number of at least 0.',
      'line 3: rpc must be an http(s) URL.',
      'line 7: cases[0].expect.toleranceBps must be basis points from 0 to 10000.',
      'line 7: cases[0].expect.atleast is not known here.',
      'line 8: cases[1].name must be a text.',
      'line 8: cases[1].quote must be the fields of a request.',
      'line 9: cases[1].expect.error must be a code of docs/reference/errors.md.',
    ])
  })

  test('of thousands of mistakes the first hundred are told, repeated keys and names among them', () => {
    const many = (line: (index: number) => string) =>
      Array.from({ length: 2_000 }, (_, index) => line(index))
    const one = `prices: { addresses: [${usdc}] }, expect: { price: 1 }`
    const told = [
      problems(many((index) => `key${index}: 1`)),
      problems(many(() => 'key: 1')),
      problems(['cases:', ...many(() => `  - { name: a, ${one} }`)]),
      problems([
        `cases: [{ name: a, ${one.replace('{', `{ ${many((index) => `k${index}: 1`).join()},`)} }]`,
      ]),
    ]
    expect(told.map(({ length }) => length)).toEqual([100, 100, 100, 100])
    expect(told.map((sentences) => sentences.at(-1))).toEqual([
      'line 99: key98 is not known here.',
      'line 101: Map keys must be unique.',
      'line 102: a: there is another case of this name.',
      'line 1: a: prices has no field k99.',
    ])
  })

  test('a wrong request is told as the API would, at the line of its field', () => {
    expect(
      problems([
        'cases:',
        '  - name: a',
        '    route:',
        `      tokenIn: ${usdc}`,
        '      tokenOut: 0x12',
        '      amountIn: 1e40',
        '      slipage: 10',
        '    expect: { atLeast: 5 }',
        '  - name: b',
        '    bundle:',
        `      fromAddress: ${usdc}`,
        '      actions: [{ protocol: svc }]',
        '    expect: { atLeast: 5 }',
      ]),
    ).toEqual([
      'line 3: a: route: fromAddress is required.',
      'line 5: a: route: tokenOut must be an address: 0x and 40 hexadecimal digits.',
      'line 6: a: route: amountIn must be a string: a number above 2^53 loses digits.',
      'line 7: a: route has no field slipage.',
      'line 12: b: bundle: item 0.action must be a text.',
    ])
  })

  test('expectations that cannot go together', () => {
    const one = (name: string, request: string, expect: string) => [
      `  - { name: ${name}, ${request}, expect: ${expect} }`,
    ]
    const prices = `prices: { addresses: [${usdc}] }`
    expect(
      problems([
        'cases:',
        ...one('a', `quote: ${pair}`, '{}'),
        ...one('b', `quote: ${pair}`, '{ toleranceBps: 5 }'),
        ...one('c', `quote: ${pair}`, '{ error: NO_ROUTE, atLeast: 5 }'),
        ...one('d', `quote: ${pair}`, '{ price: 5 }'),
        ...one('e', prices, '{ amountOut: 5 }'),
        ...one('f', `${prices}, quote: ${pair}`, '{ price: 5 }'),
        ...one('f', prices, '{ price: 5 }'),
      ]),
    ).toEqual([
      'line 2: a: expect must say something.',
      'line 3: b: expect.toleranceBps needs amountOut or price.',
      'line 4: c: expect.atLeast must not be given together with error.',
      'line 5: d: expect.price says nothing about quote.',
      'line 6: e: expect.amountOut says nothing about prices.',
      'line 7: f: must have one of route, quote, bundle, prices.',
      'line 8: f: there is another case of this name.',
    ])
  })

  test('a request may be wrong where that is what is expected; text that is no YAML has a line, too', () => {
    const wrong = '  - { name: a, quote: { tokenIn: 5 }, expect: { error: INVALID_REQUEST } }'
    expect(problems(['cases:', wrong])).toEqual([])
    expect(problems(['cases:', '  - { name: a'])).toEqual([
      expect.stringMatching(/^line 2: Flow map .* must .*/),
    ])
    expect(problems([''])).toEqual(['line 1: the file must be a suite: cassette, cases.'])
  })
})
