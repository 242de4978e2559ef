/** Route quality on recorded mainnet, by math alone: seeded requests against the best the pools can give. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Compared, createComparison } from '../support/optimum/compare.js'
import { expectQuality } from '../support/optimum/expect-quality.js'
import { createLaneCurves } from '../support/optimum/lane-curves.js'
import { type OpenQualityContext, openRecorded } from '../support/optimum/quality-contexts.js'
import { makeRequests } from '../support/optimum/requests.js'
import { describeRecorded } from './describe-recorded.js'

describeRecorded('routes on recorded mainnet', () => {
  let open: OpenQualityContext
  let all: Compared[]

  beforeAll(async () => {
    open = await openRecorded()
    const curves = createLaneCurves()
    const { requests } = await makeRequests(open.context, curves, { count: 150, seed: 7n })
    all = requests.map(createComparison(open.context, curves))
  })
  afterAll(() => open.close())

  test('150 requests of all sizes: at most 1 bps below the best possible at the median, 10 at the 99th percentile, never below the best single path after gas', () => {
    expect(all.filter(({ isAnswered }) => isAnswered).length).toBeGreaterThan(100)
    expectQuality(all)
  })
})
