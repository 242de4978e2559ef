import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import { balancerV2 } from '../../protocols/balancer-v2/index.js'
import { curve } from '../../protocols/curve/index.js'
import { erc4626 } from '../../protocols/erc-4626/index.js'
import { pendle } from '../../protocols/pendle/index.js'
import { marketPool } from '../../protocols/pendle/pools.js'
import type { Pool } from '../../protocols/pool.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { uniswapV3 } from '../../protocols/uniswap-v3/index.js'
import { uniswapV4 } from '../../protocols/uniswap-v4/index.js'
import { yearnV2 } from '../../protocols/yearn-v2/index.js'
import { doubtOf, doubtOfIndexed, isVerified } from './verified.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [own, other] = [token('1'), token('2')]

/** What is doubted about a pool that the protocol's look-up returned. */
function found(adapter: unknown, more: Partial<Pool> = {}, state: unknown = {}) {
  const { slug, trust } = adapter as ProtocolAdapter
  const pool: Pool = { protocol: slug, id: own, address: own, tokens: [], parameters: {}, ...more }
  const venue = ethereum.venues[slug] ?? {}
  return doubtOf('found', { ...(trust && { trust }) }, { pool, state, partial: false }, venue)
}

describe('doubtOf', () => {
  test('pools of a factory that makes them all alike', () => {
    expect(found(uniswapV3)).toBeNull()
  })

  test('Uniswap V4: hooks that take part in swaps, and those that no list names', () => {
    const swapHooks = token('c')
    expect(found(uniswapV4, { parameters: { hooks: `0x${'0'.repeat(40)}` } })).toBeNull()
    expect(found(uniswapV4, { parameters: { hooks: swapHooks } })).toBe(swapHooks)
    // It is called in no swap, yet nobody vouches for its code.
    const otherHooks = `0x${'1'.repeat(36)}3000`
    expect(found(uniswapV4, { parameters: { hooks: otherHooks } })).toBe(otherHooks)
  })

  test('ERC-4626: vaults that the chain does not name', () => {
    const vaults = ethereum.venues['erc-4626']?.vaults
    const [named = own] = (Array.isArray(vaults) ? vaults : []) as Address[]
    expect(found(erc4626, { address: named })).toBeNull()
    expect(found(erc4626)).toBe(own)
  })

  test('Yearn: every vault, as it is known by its own answers', () => {
    expect(found(yearnV2)).toBe(own)
  })

  test('Balancer: the pool contract, as the Vault takes pools from everybody', () => {
    expect(found(balancerV2, { id: `${other}${'0'.repeat(24)}` })).toBe(other)
  })

  test('Curve: pools that ask others for rates, and pools of unknown math', () => {
    const stable = (rates: readonly bigint[]) => found(curve, {}, { kind: 'stable', rates })
    expect(stable([10n ** 18n, 10n ** 30n])).toBeNull()
    expect(stable([10n ** 18n, 12n * 10n ** 17n])).toBe(own)
    expect(found(curve, {}, { kind: 'sampled' })).toBe(own)
    expect(found(curve, {}, { kind: 'crypto' })).toBeNull()
  })

  test('an import is not believed, the list of the service is', () => {
    const loaded = {
      pool: { protocol: 'p', id: own, address: own, tokens: [], parameters: {} },
      state: {},
      partial: false,
    }
    expect(doubtOf('imported', {}, loaded, {})).toBe('imported')
    expect(doubtOf('listed', { trust: { foreignCode: () => other } }, loaded, {})).toBeNull()
  })
})

describe('doubtOfIndexed', () => {
  const [pt, sy, yt, market] = ['3', '4', '5', '6'].map(token) as [
    Address,
    Address,
    Address,
    Address,
  ]
  const doubted = (adapter: Pick<ProtocolAdapter, 'trust'>, trusted: readonly Address[]) => {
    const pool = marketPool(market, { pt, sy, yt, factory: own })
    return doubtOfIndexed(adapter, { pool, state: {}, partial: false }, {}, new Set(trusted))
  }

  test('the first token that nobody asked for', () => {
    expect(doubted({}, [pt])).toBe(sy)
    expect(doubted({}, [pt, sy, market])).toBe(yt)
    expect(doubted({}, [pt, sy, yt, market])).toBeNull()
  })

  test('no token that the protocol itself has made: of Pendle the SY alone', () => {
    const { trust = {} } = pendle
    expect(doubted({ trust }, [])).toBe(sy)
    // It is anybody's code, also where it was asked for.
    expect(doubted({ trust }, [sy])).toBe(sy)
  })
})

describe('isVerified', () => {
  test('true without a doubt', () => {
    expect(isVerified({})).toBe(true)
    expect(isVerified({ doubt: 'imported' })).toBe(false)
    expect(isVerified({ doubt: own })).toBe(false)
  })

  test('the code of a token that the caller names is not doubted, an import is', () => {
    expect(isVerified({ doubt: own }, new Set([own]))).toBe(true)
    expect(isVerified({ doubt: own }, new Set([other]))).toBe(false)
    expect(isVerified({ doubt: 'imported' }, new Set([own]))).toBe(false)
  })
})
