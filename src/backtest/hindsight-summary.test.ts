import { describe, expect, test } from 'vitest'
import { hindsightBlockOf } from '../../test/support/backtest/hindsight-blocks.js'
import { createHindsightSummary, venueOf } from './hindsight-summary.js'

const of = (blocks: readonly bigint[]) => {
  const summary = createHindsightSummary()
  for (const block of blocks) summary.add(hindsightBlockOf(block))
  return summary.finish()
}

describe('createHindsightSummary', () => {
  test('counts swaps by what ours came to, in all and by venue', () => {
    const { all, venues, ...facts } = of([10n, 11n])
    expect(facts).toMatchObject({
      blocks: 2,
      firstBlock: 10,
      lastBlock: 11,
      transactions: 16,
      reverted: 2,
      warnings: ['Block 11: one is left out.'],
    })
    expect(all).toMatchObject({ swaps: 12, won: 4, tied: 2, lost: 2, unvalued: 2, withoutOurs: 2 })
    expect(all.netBps).toMatchObject({ count: 8, min: -12.5, p50: 0.05, max: 40 })
    expect(venues.map(({ venue, swaps, lost }) => [venue, swaps, lost])).toEqual([
      ['uniswap-v2', 8, 0],
      ['uniswap-v4', 2, 2],
      ['unknown', 2, 0],
    ])
  })

  test('every figure is in one bucket, a tie in that around 0', () => {
    const { netBpsCounts, sandwiches } = of([10n])
    expect(netBpsCounts.filter(({ swaps }) => swaps > 0)).toEqual([
      { fromBps: -30, swaps: 1 },
      { fromBps: -0.1, swaps: 1 },
      { fromBps: 1, swaps: 1 },
      { fromBps: 30, swaps: 1 },
    ])
    expect(sandwiches.lossBpsCounts.filter(({ swaps }) => swaps > 0)).toEqual([
      { fromBps: 10, swaps: 1 },
    ])
  })

  test('the worst swaps are named, of many only the first hundred', () => {
    const { worst, sandwiches } = of(Array.from({ length: 250 }, (_block, index) => BigInt(index)))
    expect(worst).toHaveLength(100)
    expect(worst[0]).toMatchObject({ blockNumber: 0, venue: 'uniswap-v4', netBps: -12.5 })
    expect(worst.at(-1)).toMatchObject({ blockNumber: 99 })
    expect(sandwiches).toMatchObject({ swaps: 250, lossBps: { count: 250, mean: 25 } })
    expect(sandwiches.worst).toHaveLength(100)
  })

  test('without blocks there is nothing', () => {
    expect(of([])).toMatchObject({ blocks: 0, firstBlock: null, all: { swaps: 0, netBps: null } })
  })
})

test('the venue of a swap names each of its protocols once, in the order of the alphabet', () => {
  const pool = '0x00000000000000000000000000000000000000b1' as const
  const through = ['uniswap-v3', null, 'curve', 'uniswap-v3'].map((protocol) => ({
    protocol,
    address: pool,
    id: null,
  }))
  expect(venueOf(through)).toBe('curve, uniswap-v3, unknown')
  expect(venueOf([])).toBe('unknown')
})
