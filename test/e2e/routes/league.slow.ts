/** Another router on the same pools: it is asked the same, and both answers are executed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leadBps, type Match, tieBps } from '../../../bench/league/compare.js'
import { createJudge, type Judge } from '../../../bench/league/judge.js'
import type { LeagueMarket } from '../../../bench/league/market.js'
import { type Played, play } from '../../../bench/league/play.js'
import { describe } from '../../../bench/league/report.js'
import { openSandboxMarket } from '../../../bench/league/sandbox-market.js'
import { fixedTrades } from '../../../bench/league/trades.js'

const tradeCount = 12
const exactOutputCount = 6

/** Within the peer's venues; docs/explanation/league.md says what was tried. */
const knownLosses: Readonly<Record<string, string>> = {
  '1,000,000 USD of CRV to LINK': 'the peer takes four hops, and MAX_HOPS is three',
  '5,000,000 USD of sUSD to wstETH': '0.12 bps, also where MAX_HOPS is four',
}

let market: LeagueMarket
let judge: Judge
let played: Played
let exactOutputs: Played

beforeAll(async () => {
  market = await openSandboxMarket()
  judge = createJudge(market)
  const trades = await fixedTrades(market, { exact: 'input', count: tradeCount })
  played = await play({ peer: 'tines', market, judge, trades, isTimed: false })
  const stated = await fixedTrades(market, { exact: 'output', count: exactOutputCount })
  exactOutputs = await play({ peer: 'tines', market, judge, trades: stated, isTimed: false })
})

afterAll(async () => {
  await judge?.close()
  await market?.stop()
})

test('every answer of ours delivers to the unit what it promises', () => {
  for (const { ours } of [...played.restricted, ...played.free]) {
    expect(ours?.delivered?.amountOut).toBe(ours?.promised)
  }
})

test('the peer answers every trade, and its plans can be carried out', () => {
  expect(played.failures.size).toBe(0)
  expect(played.free.filter(({ theirs }) => theirs?.delivered)).toHaveLength(tradeCount)
})

test.each(['restricted', 'free'] as const)('no trade is lost after gas, %s', (way) => {
  const isLost = (match: Match) => (leadBps(match) ?? Infinity) > tieBps
  const isKnown = (match: Match) => way === 'restricted' && describe(match) in knownLosses
  expect(played[way]).toHaveLength(tradeCount)
  const lost = played[way].filter((match) => isLost(match) && !isKnown(match))
  expect(lost.map((match) => `${describe(match)}: ${leadBps(match)}`)).toEqual([])
})

test('an exact output of ours delivers what was stated, and the peer spends no less after gas', () => {
  expect(exactOutputs.free).toHaveLength(exactOutputCount)
  for (const match of exactOutputs.free) {
    const { trade, ours, theirs } = match
    expect(ours?.delivered?.amountOut).toBe(ours?.promised)
    expect(ours?.promised).toBeGreaterThanOrEqual(trade.amount)
    expect(theirs?.delivered).not.toBeNull()
    expect(leadBps(match), describe(match)).toBeLessThanOrEqual(tieBps)
  }
})
