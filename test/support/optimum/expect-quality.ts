/** What is promised of route quality. */
import { expect } from 'vitest'
import { type Compared, gapBps } from './compare.js'

const medianBps = 1
const p99Bps = 10

/** Of the answers that rest on exact quotes; a request without one fails. */
export function expectQuality(all: readonly Compared[]): void {
  const answered = all.filter(({ isAnswered }) => isAnswered)
  const gaps = answered
    .map((one) => ({ gap: gapBps(one, one.free), asked: nameOf(one) }))
    .sort((a, b) => a.gap - b.gap)
  expect(answered.filter(({ free }) => free === 0n).map(nameOf)).toEqual([])
  expect(gaps[Math.floor(gaps.length / 2)]?.gap).toBeLessThanOrEqual(medianBps)
  const allowed = Math.floor(gaps.length / 100)
  const over = gaps.filter(({ gap }) => gap > p99Bps)
  expect(over.length, JSON.stringify(over)).toBeLessThanOrEqual(allowed)
  expect(answered.filter(({ aheadOfPath }) => aheadOfPath < 0n).map(nameOf)).toEqual([])
}

function nameOf({ request }: Compared): string {
  return `${request.amountIn} of ${request.tokenIn} to ${request.tokenOut}`
}
