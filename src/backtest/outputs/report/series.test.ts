import { expect, test } from 'vitest'
import { sampleJob, sampleResults } from '../../../../test/support/backtest/backtest-results.js'
import { createSeries } from './series.js'

test('1,000 blocks by one variant come to at most 400 points, with the lowest and the highest of all', async () => {
  const job = sampleJob({ blocks: 1_000, requests: 1, variants: 1, delays: [] })
  const series = createSeries(job.plan)
  const amounts: number[] = []
  for await (const block of sampleResults(job)) {
    series.add(block)
    for (const { outcome } of block.rows)
      if (outcome.ok) amounts.push(Number(outcome.amountsOut[0]))
  }
  const line = (series.lines('1 ETH to USDC').amounts[0] ?? []).filter((point) => point !== null)
  const ys = line.map(({ y }) => y)
  expect(series.blocksPerBucket()).toBe(8)
  expect(line.length).toBeLessThanOrEqual(400)
  expect(Math.min(...ys)).toBe(Math.min(...amounts))
  expect(Math.max(...ys)).toBe(Math.max(...amounts))
  expect(line.map(({ x }) => x)).toEqual(line.map(({ x }) => x).sort((a, b) => a - b))
})

test('few blocks are drawn each; a block without a route breaks the line', async () => {
  const job = sampleJob({ blocks: 150, requests: 1, variants: 2, delays: [] })
  const series = createSeries(job.plan)
  let missing = 0
  for await (const block of sampleResults(job)) {
    series.add(block)
    if (!block.rows[1]?.outcome.ok) missing += 1
  }
  const line = series.lines('1 ETH to USDC').amounts[1] ?? []
  expect(series.blocksPerBucket()).toBe(1)
  expect(missing).toBeGreaterThan(0)
  expect(line.filter((point) => point === null)).toHaveLength(missing)
  expect(line).toHaveLength(150)
})
