import { describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import { type Address, bpsOf } from '../domain/primitives.js'
import { touchedPools, verdictOf } from './hindsight-swap.js'

const pool: Address = `0x${'a'.repeat(40)}`

test('a tenth of a basis point is a tie', () => {
  expect([0.11, 0.1, 0, -0.1, -0.11].map(verdictOf)).toEqual([
    ...['won', 'tied', 'tied', 'tied', 'lost'],
  ])
  expect([bpsOf(1n, 3n), bpsOf(-1n, 3n), bpsOf(0n, 3n)]).toEqual([3333.33, -3333.33, 0])
})

describe('touchedPools', () => {
  const factory = '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'
  const trade = { address: pool, id: null, family: 'factory', tokenIn: '0', tokenOut: '1' } as const

  test('a pool is of the venue whose factory it names; of another it is told without one', () => {
    const told = (maker: Address) =>
      touchedPools([trade, trade], new Map([[pool, { factory: maker }]]), ethereum)
    expect(told(factory)).toEqual([{ protocol: 'uniswap-v2', address: pool, id: null }])
    expect(told(pool)).toEqual([{ protocol: null, address: pool, id: null }])
    expect(touchedPools([trade], new Map(), ethereum)).toMatchObject([{ protocol: null }])
  })

  test('a pair that cannot name its factory is of the exchange that makes the pair of its tokens there', () => {
    const [usdc, weth]: readonly [Address, Address] = [
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    ]
    const told = (address: Address) => {
      const makers = new Map([[address, { tokens: [usdc, weth] as const }]])
      return touchedPools([{ ...trade, address }], makers, ethereum)[0]?.protocol
    }
    expect(told('0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc')).toBe('uniswap-v2')
    expect(told('0x397ff1542f962076d0bfe58ea045ffa2d347aca0')).toBe('sushiswap-v2')
    expect(told(pool)).toBeNull()
  })

  test('a contract that is a venue, and pools of Curve', () => {
    const vault: Address = '0xba12222222228d8ba445958a75a0704d566bf2c8'
    const id = `0x${'cd'.repeat(32)}` as const
    const trades = [
      { ...trade, address: vault, id, family: 'singleton' },
      { ...trade, family: 'curve' },
    ] as const
    expect(touchedPools(trades, new Map(), ethereum)).toEqual([
      { protocol: 'balancer-v2', address: vault, id },
      { protocol: 'curve', address: pool, id: null },
    ])
  })
})
