/** Route quality on the sandbox, by math alone: seeded requests of all sizes against the best the pools can give. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Compared, createComparison, gapBps } from '../../support/optimum/compare.js'
import { expectQuality } from '../../support/optimum/expect-quality.js'
import { createLaneCurves } from '../../support/optimum/lane-curves.js'
import { type OpenQualityContext, openSandbox } from '../../support/optimum/quality-contexts.js'
import { makeRequests } from '../../support/optimum/requests.js'

describe('routes on the sandbox', () => {
  let open: OpenQualityContext
  let all: Compared[]

  beforeAll(async () => {
    open = await openSandbox()
    const curves = createLaneCurves()
    const { requests } = await makeRequests(open.context, curves, { count: 100, seed: 7n })
    all = requests.map(createComparison(open.context, curves))
  })
  afterAll(() => open.close())

  test('the bound is met by a flow of its own, to a hundredth of a basis point at the median', () => {
    const gaps = all.map((one) => gapBps(one, one.optimum.amountOut)).sort((a, b) => a - b)
    expect(gaps[0]).toBeGreaterThan(-0.01)
    expect(gaps[Math.floor(gaps.length / 2)]).toBeLessThan(0.01)
  })

  test('100 requests of all sizes: at most 1 bps below the best possible at the median, 10 at the 99th percentile, never below the best single path after gas', () => {
    expectQuality(all)
  })
})
