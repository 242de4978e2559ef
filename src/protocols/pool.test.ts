import { describe, expect, test } from 'vitest'
import { liquidityPool as balancerShares } from './balancer-v2/liquidity-pool.js'
import { liquidityPool as curveShares } from './curve/liquidity-pool.js'
import { type Pool, poolName } from './pool.js'
import { sharesPool } from './uniswap-v2/pairs.js'

const address = (digit: string) => `0x${digit.repeat(40)}` as const
const pool: Pool = {
  protocol: 'p',
  id: address('1'),
  address: address('1'),
  tokens: [address('a'), address('b')],
  parameters: {},
}
const id = `${address('2')}${'3'.repeat(24)}`
const inVault: Pool = { ...pool, id, address: address('f') }

describe('poolName', () => {
  test('a pool with a contract of its own goes by its address, others by their id of 32 bytes', () => {
    expect(poolName(pool)).toBe(address('1'))
    expect(poolName(inVault)).toBe(id)
  })

  test('trade in the shares of a pool goes by the name of the pool', () => {
    expect(poolName(sharesPool(pool))).toBe(address('1'))
    expect(poolName(curveShares(pool, address('c'), null))).toBe(address('1'))
    expect(poolName(balancerShares(inVault))).toBe(id)
  })
})
