import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import type { PoolTrade } from './pool-trades.js'
import { findSandwich, type TradingTransaction } from './sandwich.js'

const name = (digit: string): Address => `0x${digit.repeat(40)}`
const [victim, attacker, stranger] = [name('1'), name('2'), name('3')]
const [router, bot, pool, token] = [name('4'), name('5'), name('a'), name('7')]

const trade = (direction: 'in' | 'out', address = pool): PoolTrade => {
  const [tokenIn, tokenOut] = direction === 'in' ? ['0', '1'] : ['1', '0']
  return { address, id: null, family: 'factory', tokenIn: tokenIn ?? '', tokenOut: tokenOut ?? '' }
}

/** @param holder - whose tokens it trades; default: the sender's. */
function sent(
  from: Address,
  direction: 'in' | 'out',
  { to = router, holder = from, address = pool } = {},
): TradingTransaction {
  const flows = new Map([[holder, [{ token, amount: 1n }]]])
  return { from, to, trades: [trade(direction, address)], flows }
}

const own = sent(victim, 'in')

describe('findSandwich', () => {
  test('one before in the same direction, one behind in the opposite one', () => {
    const block = [sent(attacker, 'in'), own, sent(attacker, 'out')]
    expect(findSandwich(block, 1)).toEqual({ attacker, fronts: [0], backs: [2], pools: [pool] })
  })

  test('by one contract that several accounts call, and that holds what it trades', () => {
    const by = { to: bot, holder: bot }
    const block = [sent(attacker, 'in', by), own, sent(stranger, 'out', by)]
    expect(findSandwich(block, 1)).toMatchObject({ attacker: bot, fronts: [0], backs: [2] })
  })

  test('two strangers who call the same router are none', () => {
    const block = [sent(attacker, 'in'), sent(victim, 'in', { to: bot }), sent(stranger, 'out')]
    expect(findSandwich(block, 1)).toBeNull()
  })

  test('nor is another pool, the other direction, nobody behind, or the sender himself', () => {
    const behind = sent(attacker, 'out')
    expect(findSandwich([sent(attacker, 'in', { address: bot }), own, behind], 1)).toBeNull()
    expect(findSandwich([sent(attacker, 'out'), own, behind], 1)).toBeNull()
    expect(findSandwich([sent(attacker, 'in'), own], 1)).toBeNull()
    expect(findSandwich([sent(victim, 'in'), own, sent(victim, 'out')], 1)).toBeNull()
  })

  test('of two sandwiches one after the other each victim has its own', () => {
    const block = [
      ...[sent(attacker, 'in'), own, sent(attacker, 'out')],
      ...[sent(attacker, 'in'), sent(stranger, 'in'), sent(attacker, 'out')],
    ]
    expect(findSandwich(block, 1)).toMatchObject({ fronts: [0], backs: [2] })
    expect(findSandwich(block, 4)).toMatchObject({ fronts: [3], backs: [5] })
  })

  test('two fronts and two victims belong together', () => {
    const block = [sent(attacker, 'in'), sent(attacker, 'in'), own, sent(stranger, 'in')]
    const whole = [...block, sent(attacker, 'out')]
    expect(findSandwich(whole, 2)).toMatchObject({ fronts: [0, 1], backs: [4] })
    expect(findSandwich(whole, 3)).toMatchObject({ fronts: [0, 1], backs: [4] })
  })
})
