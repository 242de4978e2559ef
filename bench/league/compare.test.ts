import { describe, expect, test } from 'vitest'
import {
  leadBps,
  lostTo,
  type Match,
  promisesOf,
  type Side,
  scoreOf,
  unjudgedOf,
} from './compare.js'

const trade: Match['trade'] = {
  sizeUsd: 100,
  symbolIn: 'A',
  symbolOut: 'B',
  tokenIn: '0x00000000000000000000000000000000000000aa',
  tokenOut: '0x00000000000000000000000000000000000000bb',
  exact: 'input',
  amount: 1n,
  perEther: 1n,
}

function side(amountOut: bigint, net = amountOut, promised = amountOut): Side {
  return { promised, delivered: { amountOut, compared: amountOut, net, gas: 1n } }
}

function match(ours: Side | null, theirs: Side | null): Match {
  return { trade, ours, theirs }
}

const reverted: Side = { promised: 5n, delivered: null }

describe('leadBps', () => {
  test('the difference after gas is a part of our output before gas', () => {
    expect(leadBps(match(side(10_000n, 9_000n), side(10_000n, 9_001n)))).toBe(1)
    expect(leadBps(match(side(10_000n, 9_000n), side(20_000n, 8_990n)))).toBe(-10)
  })
  test('of an exact output, who spends less leads', () => {
    const spends = (compared: bigint): Side => ({
      promised: 7n,
      delivered: { amountOut: 7n, compared, net: -compared - 5n, gas: 1n },
    })
    expect(leadBps(match(spends(10_000n), spends(9_999n)))).toBe(1)
    expect(leadBps(match(spends(10_000n), spends(10_002n)))).toBe(-2)
  })
  test('without a delivery of either side there is none', () => {
    expect(leadBps(match(null, side(1n)))).toBeNull()
    expect(leadBps(match(side(1n), reverted))).toBeNull()
  })
})

describe('of all trades', () => {
  const all = [
    match(side(1_000_000n), side(1_000_010n)),
    match(side(1_000_000n), side(1_000_011n)),
    match(side(1_000_000n), side(990_000n)),
    match(side(1_000_000n), reverted),
    match(null, side(1n)),
    match(null, null),
  ]
  test('a tenth of a basis point is a tie', () => {
    expect(scoreOf(all)).toEqual({
      wins: 1,
      ties: 1,
      losses: 1,
      onlyOurs: 1,
      onlyTheirs: 1,
      neither: 1,
      unjudged: 0,
      medianBps: 0.1,
      worstBps: -100,
      bestBps: 0.11,
    })
  })
  test('lost are those where the peer leads or answers alone, these first', () => {
    expect(lostTo(all)).toEqual([all[4], all[1]])
  })
})

describe('a trade where an answer of either side cannot be judged', () => {
  const missing = [{ address: trade.tokenIn, name: 'USDC' }]
  const unjudged: Side = { promised: 9n, delivered: null, unjudged: missing }
  const all = [
    match(side(1_000n), unjudged),
    match(unjudged, side(1_000n)),
    match(side(1_000n), side(900n)),
  ]
  test('says whose answer it is, and why', () => {
    expect(all.map(unjudgedOf)).toEqual([
      [{ whose: "the peer's", why: 'USDC' }],
      [{ whose: 'ours', why: 'USDC' }],
      [],
    ])
  })
  test('counts where the peer was asked again and does not lose', () => {
    const again = (amountOut: bigint): Side => ({ ...side(amountOut), unjudged: missing })
    const matches = [
      match(side(1_000_000n), again(1_000_100n)),
      match(side(1_000_000n), again(1_000_000n)),
      match(side(1_000_000n), again(999_000n)),
      match(null, again(1n)),
    ]
    expect(scoreOf(matches)).toMatchObject({
      wins: 1,
      ties: 1,
      losses: 0,
      onlyTheirs: 1,
      unjudged: 1,
    })
    expect(lostTo(matches)).toEqual([matches[3], matches[0]])
  })
  test('counts nowhere else, neither as won nor as lost nor as a promise', () => {
    expect(scoreOf(all)).toMatchObject({ unjudged: 2, losses: 1, onlyOurs: 0, onlyTheirs: 0 })
    expect(lostTo(all)).toEqual([])
    expect(promisesOf([unjudged, side(1n)])).toMatchObject({ answers: 1, reverted: 0 })
  })
})

test('promises are exact, too high, or of a transaction that reverts', () => {
  const sides = [side(10_000n), side(10_000n, 9_000n, 10_001n), side(10_000n, 1n, 9_000n), reverted]
  expect(promisesOf([...sides, null])).toEqual({
    answers: 4,
    exact: 1,
    reverted: 1,
    tooHigh: 1,
    worstBps: 1,
  })
})
