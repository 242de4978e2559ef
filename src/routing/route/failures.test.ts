import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { Unreadable } from '../../protocols/pool.js'
import type { MarketPools } from '../market/market-view.js'
import { noRoute } from './failures.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = [token('a'), token('b'), token('c')]
/** Something to route through, elsewhere in the market. */
const pools = [{}] as unknown as MarketPools['pools']

function fact(pair?: readonly [Address, Address]): Unreadable {
  return { protocol: 'p', subject: 's', message: 'refused', ...(pair && { pair }) }
}

function codeOf(view: MarketPools, tokenIn = a, tokenOut = b): string {
  return noRoute(view, { tokenIn, tokenOut }, ethereum, { maxHops: 3 }).code
}

describe('noRoute', () => {
  test('is NO_ROUTE when every look-up was answered', () => {
    expect(codeOf({ pools, unreadable: [] })).toBe('NO_ROUTE')
    expect(codeOf({ pools: [], unreadable: [] })).toBe('NO_ROUTE')
  })

  test('a failed look-up of one of the two tokens leaves it open: STATE_UNAVAILABLE', () => {
    expect(codeOf({ pools, unreadable: [fact([c, a])] })).toBe('STATE_UNAVAILABLE')
    const wrapped = fact([ethereum.wrappedNative, c])
    expect(codeOf({ pools, unreadable: [wrapped] }, nativeToken)).toBe('STATE_UNAVAILABLE')
  })

  test('what failed elsewhere does not change that there is none', () => {
    expect(codeOf({ pools, unreadable: [fact([c, token('d')]), fact()] })).toBe('NO_ROUTE')
  })

  test('nothing readable at all is STATE_UNAVAILABLE', () => {
    expect(codeOf({ pools: [], unreadable: [fact()] })).toBe('STATE_UNAVAILABLE')
  })
})
