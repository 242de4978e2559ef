import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nativeToken } from '../domain/primitives.js'
import { DeclaredVenues, parseVenues, readVenuesFile } from './venues.js'

const [a, b] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]

/** A venue in block form: line 2 is its name. */
function fileOf(changes: Readonly<Record<string, string>> = {}): string {
  const lines = {
    name: 'desk',
    gas: '90000',
    trust: 'none',
    'quote:': '',
    '  function': 'function quote(address from, uint256 amount, uint24 fee) view returns (uint256)',
    '  args': '[tokenIn, amountIn, fee]',
    'swap:': '',
    '  function ': 'function swap(address from, uint256 amount, address to)',
    '  args ': '[tokenIn, amountIn, recipient]',
    '  pay': 'approve',
    'pools:': '',
    '- address': `"${a}"`,
    '  tokens': `[${a}, ${b}]`,
    '  constants': '{ fee: 30 }',
    ...changes,
  }
  const rows = Object.entries(lines).map(([key, value]) =>
    key.endsWith(':') ? `    ${key}` : `    ${key.trimEnd()}: ${value}`,
  )
  return ['venues:', ...rows].join('\n').replace('    name', '  - name')
}

const problemsIn = (text: string) =>
  parseVenues(text).problems.map(({ line, message }) => `${line}: ${message}`)

describe('parseVenues', () => {
  test('a venue has defaults, and every number of a call stays text', () => {
    const { venues, problems } = parseVenues(fileOf())
    expect(problems).toEqual([])
    expect(venues).toMatchObject([
      {
        name: 'desk',
        chainId: 1,
        gas: 90_000,
        trust: 'none',
        holder: 'pool',
        quote: { contract: 'pool', output: [0], negated: false, gasLimit: 1_000_000 },
        swap: { contract: 'pool', pay: 'approve', to: 'contract' },
        pools: [{ id: a, address: a, tokens: [a, b], constants: { fee: '30' } }],
      },
    ])
    expect(DeclaredVenues.parse(JSON.parse(JSON.stringify(venues)))).toEqual(venues)
  })

  test('JSON is as good', () => {
    const { venues } = parseVenues(fileOf())
    const [venue] = venues
    expect(parseVenues(JSON.stringify({ venues: [venue] })).venues).toEqual(venues)
  })

  const factory = (changes: Readonly<Record<string, string>> = {}) => ({
    'factory:': '',
    '  address': `"${a}"`,
    '  event':
      'event Made(address indexed pool, address[] indexed list, address x, address y, uint24 fee)',
    '  pool': 'pool',
    '  tokens ': '[x, y]',
    '  constants ': '{ fee: fee }',
    ...changes,
  })

  test('a factory has defaults, and its pools fit the calls', () => {
    const { venues, problems } = parseVenues(fileOf(factory()))
    expect(problems).toEqual([])
    expect(venues[0]?.factory).toMatchObject({ fromBlock: 0, mostPools: 10_000 })
    expect(DeclaredVenues.parse(JSON.parse(JSON.stringify(venues)))).toEqual(venues)
  })

  test('a token that all pools of a factory have is an address', () => {
    const { venues, problems } = parseVenues(fileOf(factory({ '  tokens ': `["${b}", x]` })))
    expect(problems).toEqual([])
    expect(venues[0]?.factory?.tokens).toEqual([b, 'x'])
  })

  test.each([
    ['an event that is none', { '  event': 'Made' }, 'factory.event must be the signature of an'],
    [
      'a pool that is a number',
      { '  pool': 'fee' },
      'factory.pool must be a parameter of the event',
    ],
    ['a shared contract alone', { '  pool': `"${b}"` }, 'factory.id must tell the pools apart'],
    ['a hashed list', { '  tokens ': '[list]' }, 'factory.tokens[0] must not be an indexed list'],
    ['a constant of many', { '  constants ': '{ fee: list }' }, 'factory.constants.fee must be a'],
    ['a lack of constants', { '  constants ': '{}' }, 'quote.args[2] must be a name or a literal'],
    [
      'a name with a meaning',
      { '  constants ': '{ fee: fee, pool: fee }' },
      'must have another name',
    ],
  ])('of a factory is told: %s', (_name, changes, message) => {
    expect(problemsIn(fileOf(factory(changes))).join()).toContain(message)
  })

  test('a pool of the native token states how much is quoted, and no callback pays it', () => {
    const native = { '  tokens': `[${nativeToken}, ${b}]`, '  pay': 'callback' }
    expect(problemsIn(fileOf(native)).join()).toMatch(/largest.*no callback pays/)
    const able = { ...native, '  pay': 'approve', '  largest': '["1", "1"]' }
    expect(problemsIn(fileOf(able))).toEqual([])
  })

  test.each([
    ['a field that is not known', { gaz: '1' }, '16: venues[0].gaz is not known here'],
    [
      'a number that is none',
      { gas: 'many' },
      '3: venues[0].gas must be a whole number from 1 to 30000000',
    ],
    [
      'a signature that is none',
      { '  function': 'quote' },
      '6: venues[0].quote.function must be the signature of a function, such as function f(uint256 a)',
    ],
    [
      'an argument too few',
      { '  args': '[tokenIn, amountIn]' },
      '7: venues[0].quote.args must be a list of 3, as the function takes',
    ],
    [
      'a name that only swaps know',
      { '  args': '[recipient, amountIn, fee]' },
      '7: venues[0].quote.args[0] must be a name or a literal of type address, which recipient is not',
    ],
    [
      'a name of another type',
      { '  args': '[tokenIn, amountIn, zeroForOne]' },
      '7: venues[0].quote.args[2] must be a name or a literal of type uint24, which zeroForOne is not',
    ],
    [
      'a literal that its type cannot hold',
      { '  constants': '{ fee: 99999999 }' },
      '7: venues[0].quote.args do not fit the function: Number "99999999" is not in safe 24-bit unsigned integer range (0 to 16777215)',
    ],
    [
      'a quote that does not depend on the amount',
      { '  args': '[tokenIn, 1, fee]' },
      '7: venues[0].quote.args must use amountIn',
    ],
    [
      'a pool of one token',
      { '  tokens': `[${a}]` },
      '14: venues[0].pools[0].tokens must hold at least 2 tokens',
    ],
    [
      'a token with a wrong checksum',
      { '  tokens': `[${a}, "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"]` },
      '14: venues[0].pools[0].tokens[1] has a wrong EIP-55 checksum; write it in lower case to skip the check',
    ],
    [
      'an address with a wrong checksum among the arguments',
      { '  args': '["0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", amountIn, fee]' },
      '7: venues[0].quote.args[0] must be a name or a literal of type address, which 0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 is not',
    ],
    [
      'the zero address for the native token',
      { '  tokens': `[${a}, "0x${'0'.repeat(40)}"]` },
      '14: venues[0].pools[0].tokens[1] must not be the zero address: the native token is 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    ],
    [
      'the native token without an amount',
      { '  tokens': `[${a}, 0x${'e'.repeat(40)}]` },
      '13: venues[0].pools[0] must have largest, since what it has of the native token is not read',
    ],
    [
      'a constant with a name of ours',
      { '  constants': '{ pool: 1, fee: 30 }' },
      '15: venues[0].pools[0].constants.pool must have another name: this one has a meaning',
    ],
    [
      'amounts for other tokens',
      { '  largest': '[5]' },
      '16: venues[0].pools[0].largest must have one amount for each token',
    ],
    [
      'a chain that nobody knows',
      { chainId: '77' },
      '16: venues[0].chainId must be the id of a known chain',
    ],
  ] as const)('%s is told with its line', (_name, changes, expected) => {
    const text =
      'gaz' in changes || 'chainId' in changes
        ? `${fileOf()}\n    ${Object.entries(changes).flat().join(': ')}`
        : fileOf(changes)
    expect(problemsIn(text).join('\n')).toContain(expected)
  })

  const byAnother = {
    'reverse:': '',
    '  quote':
      '{ function: "function buyFor(uint256 amount) view returns (uint256, uint256)", args: [amountIn], output: [1], limits: [{ function: "function left() view returns (uint256)", args: [], of: tokenOut }, { function: "function isOpen() view returns (bool)", args: [] }] }',
    '  swap': '{ function: "function buy(uint256 wanted)", args: [quotedOut], pay: approve }',
  }

  test('the other direction may have calls of its own, which know what the quote gives, and limits', () => {
    const { venues, problems } = parseVenues(fileOf(byAnother))
    expect(problems).toEqual([])
    expect(venues[0]?.reverse).toMatchObject({
      quote: {
        contract: 'pool',
        limits: [
          { contract: 'pool', output: [0], of: 'tokenOut' },
          { contract: 'pool', output: [0] },
        ],
      },
      swap: { args: ['quotedOut'], to: 'contract' },
    })
    expect(DeclaredVenues.parse(JSON.parse(JSON.stringify(venues)))).toEqual(venues)
  })

  test.each([
    [
      'a swap of the other direction',
      ['args: [quotedOut]', 'args: [quoted]'],
      '18: venues[0].reverse.swap.args[0] must be a name or a literal of type uint256, which quoted is not',
    ],
    [
      'a limit that depends on the amount',
      [
        'left() view returns (uint256)", args: []',
        'left(uint256 a) view returns (uint256)", args: [amountIn]',
      ],
      '17: venues[0].reverse.quote.limits[0].args[0] must be a name or a literal of type uint256, which amountIn is not',
    ],
    [
      'a limit that is no number',
      ['left() view returns (uint256)', 'left() view returns (bool)'],
      '17: venues[0].reverse.quote.limits[0].output must lead to a number',
    ],
    [
      'a number that bounds nothing',
      ['isOpen() view returns (bool)', 'isOpen() view returns (uint256)'],
      '17: venues[0].reverse.quote.limits[1].output must lead to true or false, or of must say what the number bounds',
    ],
    [
      'a number that is negated',
      ['args: [], of: tokenOut', 'args: [], of: tokenOut, negated: true'],
      '17: venues[0].reverse.quote.limits[0].negated must be absent, where a number bounds an amount',
    ],
    [
      'a quote in a list of any length, wanted on chain',
      [
        'returns (uint256, uint256)", args: [amountIn], output: [1]',
        'returns (uint256[])", args: [amountIn], output: [0, 1]',
      ],
      '18: venues[0].reverse.swap.args must not use quotedOut, where no fixed place of the results has it',
    ],
    [
      'a quote below zero, wanted on chain',
      ['output: [1]', 'output: [1], negated: true'],
      '18: venues[0].reverse.swap.args must not use quotedOut, where the quote is negated',
    ],
  ] as const)('%s is told with its line', (_name, [from, to], expected) => {
    const changes = Object.entries(byAnother).map(([key, value]) => [key, value.replace(from, to)])
    expect(problemsIn(fileOf(Object.fromEntries(changes)))).toEqual([expected])
  })

  test('a constant has no name that is known in the transaction alone', () => {
    expect(problemsIn(fileOf({ '  constants': '{ quotedOut: 1, fee: 30 }' })).join()).toContain(
      'quotedOut must have another name',
    )
  })

  test('two venues of a name and two pools of an id are told', () => {
    const text = `${fileOf()}\n${fileOf().replace('venues:\n', '')}`
    expect(problemsIn(text)).toEqual([
      '16: venues[1].name is the name of another one',
      `27: venues[1].pools[0] has the id of another pool: ${a}`,
    ])
  })

  test('a result that is no number is told', () => {
    const text = fileOf().replace('returns (uint256)', 'returns (address[])')
    expect(problemsIn(text)).toEqual([
      '5: venues[0].quote.output does not lead to a number among the results of the function',
    ])
  })
})

test('a file that is not there is told by its path', () => {
  expect(readVenuesFile('/nowhere/venues.yaml').problems).toEqual([
    '/nowhere/venues.yaml cannot be read (ENOENT).',
  ])
})

test('the page shows the example file as it is', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  expect(read('docs/how-to/venues.md')).toContain(read('examples/venues/curve.yaml'))
})
