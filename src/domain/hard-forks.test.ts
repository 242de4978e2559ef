import { describe, expect, test } from 'vitest'
import { arbitrum } from '../chains/arbitrum.js'
import { base } from '../chains/base.js'
import { ethereum } from '../chains/ethereum.js'
import { gnosis } from '../chains/gnosis.js'
import { optimism } from '../chains/optimism.js'
import { polygon } from '../chains/polygon.js'
import { chains } from '../chains/registry.js'
import { type HardFork, hardForkOf, hardForks, simulatedHardFork } from './hard-forks.js'

function rules(chain: typeof ethereum, shownHardFork: HardFork, time: string): HardFork {
  const timestamp = BigInt(Date.parse(time) / 1_000)
  return hardForkOf({ shownHardFork, timestamp, number: 0n }, chain.unshownHardForks)
}

describe('hardForkOf', () => {
  test('Ethereum: what a header shows, and Osaka, which has no field, by its time', () => {
    expect(rules(ethereum, 'berlin', '2020-07-01T00:00:00Z')).toBe('berlin')
    expect(rules(ethereum, 'shanghai', '2024-03-13T13:55:23Z')).toBe('shanghai')
    expect(rules(ethereum, 'prague', '2025-12-03T21:49:10Z')).toBe('prague')
    expect(rules(ethereum, 'prague', '2025-12-03T21:49:11Z')).toBe('osaka')
  })

  test('a header with fewer fields than its time would have counts as it is', () => {
    for (const shown of ['berlin', 'london', 'shanghai', 'cancun'] as const) {
      expect(rules(ethereum, shown, '2026-06-01T00:00:00Z')).toBe(shown)
      expect(rules(base, shown, '2026-06-01T00:00:00Z')).toBe(shown)
    }
  })

  test("Arbitrum: its headers keep London's fields, so that all later rules go by time", () => {
    expect(rules(arbitrum, 'london', '2023-01-01T00:00:00Z')).toBe('london')
    expect(rules(arbitrum, 'london', '2024-03-01T00:00:00Z')).toBe('shanghai')
    expect(rules(arbitrum, 'london', '2024-06-01T00:00:00Z')).toBe('cancun')
    expect(rules(arbitrum, 'london', '2025-07-01T00:00:00Z')).toBe('prague')
    expect(rules(arbitrum, 'london', '2026-02-01T00:00:00Z')).toBe('osaka')
  })

  test('Base: Osaka came with Azul, half a year after Ethereum', () => {
    expect(rules(base, 'prague', '2026-05-28T17:59:59Z')).toBe('prague')
    expect(rules(base, 'prague', '2026-05-28T18:00:00Z')).toBe('osaka')
  })

  test('Optimism and Gnosis: Osaka came with Karst and in April 2026', () => {
    expect(rules(optimism, 'prague', '2026-07-08T16:00:00Z')).toBe('prague')
    expect(rules(optimism, 'prague', '2026-07-08T16:00:01Z')).toBe('osaka')
    expect(rules(gnosis, 'prague', '2026-04-14T12:06:19Z')).toBe('prague')
    expect(rules(gnosis, 'prague', '2026-04-14T12:06:20Z')).toBe('osaka')
  })

  test("Polygon: its headers keep London's fields, and rules change at numbers of blocks", () => {
    const at = (number: bigint) =>
      hardForkOf({ shownHardFork: 'london', timestamp: 0n, number }, polygon.unshownHardForks)
    expect(at(50_522_999n)).toBe('london')
    expect(at(50_523_000n)).toBe('shanghai')
    expect(at(54_876_000n)).toBe('cancun')
    expect(at(73_440_255n)).toBe('cancun')
    expect(at(73_440_256n)).toBe('prague')
  })
})

test("simulations follow Cancun's rules at least, and else those of the block", () => {
  expect(hardForks.map(simulatedHardFork)).toEqual([
    ...['cancun', 'cancun', 'cancun', 'cancun'],
    ...['prague', 'osaka'],
  ])
})

test.each(chains)('$name lists its hard forks ascending, without a gap', (chain) => {
  const { unshownHardForks } = chain
  const [first] = unshownHardForks
  const start = hardForks.indexOf(first?.hardFork ?? 'osaka')
  const names = unshownHardForks.map(({ hardFork }) => hardFork)
  expect(names).toEqual(hardForks.slice(start, start + names.length))
  const since = unshownHardForks.map((one) => ('since' in one ? one.since : one.sinceBlock))
  expect(since).toEqual(since.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(unshownHardForks.map((one) => 'since' in one)).size).toBeLessThan(2)
})
