import { afterEach, expect, test, vi } from 'vitest'
import { nativeToken } from '../../domain/primitives.js'
import { namerOf } from '../token-names.js'
import { printTrace, tokensOfTrace } from './trace.js'

const alice = `0x${'a1'.repeat(20)}`
const pool = `0x${'b2'.repeat(20)}`
const usdc = `0x${'c3'.repeat(20)}`
const unknown = `0x${'d4'.repeat(20)}`
const trace = {
  call: {
    type: 'CALL',
    from: alice,
    to: pool,
    function: 'swap',
    selector: '0x12345678',
    args: [{ name: 'amount', value: '5' }],
    value: 1_500_000_000_000_000_000n,
    gasUsed: 21_000n,
    error: null,
    calls: [],
  },
  omittedCalls: 0,
  movements: [
    { token: usdc, from: pool, to: alice, amount: 3_006_523_788n },
    { token: unknown, from: alice, to: pool, amount: 7n },
  ],
  omittedMovements: 0,
  names: { [nativeToken]: 'ETH', [usdc]: 'USDC', [pool]: 'uniswap-v3' },
}

afterEach(() => vi.restoreAllMocks())

test('amounts are whole tokens with their symbols, and raw units where the decimals are not known', () => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(line))
  printTrace(1, trace, namerOf([{ chainId: 1, address: usdc, decimals: 6, symbol: 'USDC' }]))
  const text = lines.join('\n')
  expect(text).toMatch(/swap\(5\) +│ uniswap-v3 │ 1\.5 ETH │ 21000/)
  expect(text).toMatch(/3006\.523788 USDC +│ uniswap-v3 +│ 0xa1a1…a1a1/)
  expect(text).toMatch(/7 raw units of 0xd4d4…d4d4 +│ 0xa1a1…a1a1 +│ uniswap-v3/)
})

test('the tokens of a trace are on the chain of the transaction; without one there are none', () => {
  expect(tokensOfTrace(8453, trace)).toEqual([
    { chainId: 8453, address: usdc },
    { chainId: 8453, address: unknown },
  ])
  expect(tokensOfTrace(8453, undefined)).toEqual([])
})
