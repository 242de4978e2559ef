import { describe, expect, test } from 'vitest'
import { type Lead, leadsOfRestricted } from '../../../test/support/restricted.js'

const tieBps = 0.1
const isLead = ({ bps }: Lead) => bps > tieBps

describe('a request that may use all pools', () => {
  test.each([
    // Two swaps beside each other leave together.
    { seed: 6_004, request: 0, without: 'uniswap-v3' },
    { seed: 6_013, request: 4, without: 'curve' },
    // A cheaper pool between the same two tokens takes the place of a dearer one.
    { seed: 6_009, request: 3, without: 'curve' },
    // Swaps leave for another pool that does not pay beside them.
    { seed: 127, request: 14, without: 'uniswap-v2' },
    { seed: 137, request: 3, without: 'curve' },
    { seed: 121, request: 14, without: 'uniswap-v2' },
    // The path that joins is not among the first few.
    { seed: 38, request: 12, without: 'uniswap-v3' },
  ])('is no worse off than without $without, market $seed', ({ seed, request, without }) => {
    const leads = leadsOfRestricted(seed, request + 1)
    const found = leads.find((lead) => lead.request === request && lead.without === without)
    expect(found?.bps).toBeLessThan(tieBps)
  })

  test('random markets and restrictions: at most one in 100 is worse off by more than 0.1 bps, and none by 5', () => {
    const leads = Array.from({ length: 10 }, (_, seed) => leadsOfRestricted(seed, 8)).flat()
    expect(leads.length).toBeGreaterThan(200)
    const worse = leads.filter(isLead)
    expect(worse.length, JSON.stringify(worse)).toBeLessThanOrEqual(leads.length / 100)
    expect(Math.max(...leads.map(({ bps }) => bps)), JSON.stringify(worse)).toBeLessThan(5)
  })
})
