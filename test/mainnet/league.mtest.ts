/** Another router on recorded mainnet: it is given the pools as our adapters read them, and both answers are executed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lostTo } from '../../bench/league/compare.js'
import { createJudge, type Judge } from '../../bench/league/judge.js'
import { openMainnetMarket } from '../../bench/league/mainnet-market.js'
import type { LeagueMarket } from '../../bench/league/market.js'
import { type Played, play } from '../../bench/league/play.js'
import { describe as nameOf } from '../../bench/league/report.js'
import { randomTrades } from '../../bench/league/trades.js'
import { describeRecorded } from './describe-recorded.js'

describeRecorded('the league on recorded mainnet', () => {
  let market: LeagueMarket
  let judge: Judge
  let played: Played

  beforeAll(async () => {
    market = await openMainnetMarket()
    judge = createJudge(market)
    const trades = await randomTrades(market, { exact: 'input', count: 12, seed: 1n })
    played = await play({ peer: 'tines', market, judge, trades, isTimed: false })
  })
  afterAll(async () => {
    await judge?.close()
    await market?.stop()
  })

  test('every answer of ours can be judged, and delivers to the unit what it promises', () => {
    const ours = [...played.restricted, ...played.free].flatMap((match) => match.ours ?? [])
    expect(ours.length).toBeGreaterThan(12)
    for (const { delivered, promised, unjudged } of ours) {
      expect(unjudged).toBeUndefined()
      expect(delivered?.amountOut).toBe(promised)
    }
  })

  test('no trade is lost after gas', () => {
    const lost = lostTo([...played.restricted, ...played.free]).map(nameOf)
    expect(lost).toEqual([])
  })
})
