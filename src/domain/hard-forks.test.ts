import { describe, expect, test } from 'vitest'
import { arbitrum } from '../chains/arbitrum.js'
import { base } from '../chains/base.js'
import { ethereum } from '../chains/ethereum.js'
import { type HardFork, hardForkOf, hardForks, simulatedHardFork } from './hard-forks.js'

function rules(chain: typeof ethereum, shownHardFork: HardFork, time: string): HardFork {
  const timestamp = BigInt(Date.parse(time) / 1_000)
  return hardForkOf({ shownHardFork, timestamp }, chain.unshownHardForks)
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
})

test("simulations follow Cancun's rules at least, and else those of the block", () => {
  expect(hardForks.map(simulatedHardFork)).toEqual([
    ...['cancun', 'cancun', 'cancun', 'cancun'],
    ...['prague', 'osaka'],
  ])
})

test.each([ethereum, base, arbitrum])(
  '$name lists its hard forks ascending, without a gap',
  (chain) => {
    const { unshownHardForks } = chain
    const [first] = unshownHardForks
    const start = hardForks.indexOf(first?.hardFork ?? 'osaka')
    const names = unshownHardForks.map(({ hardFork }) => hardFork)
    expect(names).toEqual(hardForks.slice(start, start + names.length))
    const times = unshownHardForks.map(({ since }) => since)
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)))
  },
)
