/**
 * How far routes stay below the best that the same pools can give, by math alone: seeded requests of all sizes over
 * all tokens, on the sandbox and on recorded mainnet. What a gap is measured against: test/support/optimum.
 */

import { type Compared, createComparison, gapBps } from '../test/support/optimum/compare.js'
import { createLaneCurves } from '../test/support/optimum/lane-curves.js'
import { newerTokens, placeNewerVenues } from '../test/support/optimum/newer-venues.js'
import { openRecorded, openSandbox } from '../test/support/optimum/quality-contexts.js'
import { makeRequests } from '../test/support/optimum/requests.js'
import { isRecorded } from '../test/support/recorded-mainnet.js'
import { quantile, type Section } from './section.js'

const count = Number(process.env.BENCH_QUALITY_REQUESTS ?? 500)
const seed = BigInt(process.env.BENCH_QUALITY_SEED ?? 1)
/** Sizes go up to all of a pool. */
const wholePool = 1

const ways: Readonly<Record<string, (one: Compared) => bigint>> = {
  'flow of the bound': ({ optimum }) => optimum.amountOut,
  'ours, gas free': ({ free }) => free,
  'ours, as served': ({ served }) => served,
  'best single pool': ({ singlePool }) => singlePool,
  'best single path': ({ singlePath }) => singlePath,
  'splits in 10 % steps': ({ tenths }) => tenths,
}

export async function qualityBench(): Promise<Section[]> {
  const sections = await measure('sandbox', openSandbox)
  sections.push(...(await measure('sandbox, pool index on', () => openSandbox({ hasIndex: true }))))
  const newer = () =>
    openSandbox({
      hasIndex: true,
      estimates: true,
      place: placeNewerVenues,
      tokens: newerTokens,
    })
  sections.push(...(await measure('sandbox with newer venues, estimates as quotes', newer)))
  if (isRecorded) sections.push(...(await measure('recorded mainnet', openRecorded)))
  else console.warn('Recorded mainnet is not here; RECORDED_MAINNET_DIR names its folder.')
  return sections
}

async function measure(name: string, open: typeof openSandbox): Promise<Section[]> {
  const { context, close } = await open()
  try {
    const curves = createLaneCurves()
    const made = await makeRequests(context, curves, { count, seed, upTo: wholePool })
    const all = made.requests.map(createComparison(context, curves))
    const answered = all.filter(({ isAnswered }) => isAnswered)
    const facts = {
      requests: all.length,
      'without exact answer, left out': all.length - answered.length,
      'pairs without a route': made.withoutRoute,
      'pairs too shallow': made.tooShallow,
      'below the best path after gas': answered.filter(({ aheadOfPath }) => aheadOfPath < 0n)
        .length,
      'above the bound by 0.01 bps': answered.filter((one) => gapBps(one, one.free) < -0.01).length,
      'search ms, mean': round(
        answered.reduce((sum, one) => sum + one.searchMs, 0) / answered.length,
        1,
      ),
    }
    return [
      { name: `below the best possible output, basis points, ${name}`, rows: rowsOf(answered) },
      { name: `of these, ${name}`, rows: [facts] },
    ]
  } finally {
    await close()
  }
}

function rowsOf(all: readonly Compared[]): Section['rows'] {
  return Object.entries(ways).map(([way, outputOf]) => {
    const answered = all.filter((one) => outputOf(one) > 0n)
    const gaps = answered.map((one) => gapBps(one, outputOf(one))).sort((a, b) => a - b)
    return {
      way,
      answers: gaps.length,
      median: round(quantile(gaps, 0.5), 3),
      p90: round(quantile(gaps, 0.9), 3),
      p99: round(quantile(gaps, 0.99), 3),
      max: round(quantile(gaps, 1), 3),
    }
  })
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0
}
