/**
 * The route computation over synthetic markets: from a request to the candidates that would be simulated.
 * No chain, no threads; the graph is built once per market, as it is once per block.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { findCandidates } from '../src/routing/search/candidates.js'
import { TokenGraph } from '../src/routing/search/graph.js'
import { syntheticMarket } from '../test/support/synthetic-market.js'
import { quantile, type Section } from './section.js'

const sizes = [100, 1_000, 10_000, 100_000]
const requestCount = 400
const seed = 7

const about = [
  'The slowest requests are the first ones: code that is not compiled yet, and edges of hundreds of pools that no request has asked about.',
  'Tried on 2026-11-23 and left out, by processor time and best outputs of 400 requests over 10,000 pools.',
  'Ways into the target in the order of what they can give at most: 5 % fewer quotes, no time.',
  'Only 5 or 8 paths looked at in a round of a split in place of 64: a tenth less time, worse outputs in 52 and 35 requests, by 1.7 bps in the mean with 5.',
  'Levels of splits by interpolation alone, without halving: 1 of 300 requests to the sandbox lost 10.8 bps.',
].join(' ')

export async function searchBench(): Promise<Section> {
  return { name: 'search: one request over a synthetic market', about, rows: sizes.map(measure) }
}

function measure(poolCount: number): Section['rows'][number] {
  const before = usedBytes()
  const market = syntheticMarket(poolCount, seed)
  const started = performance.now()
  market.view.memory(TokenGraph)
  const buildMs = performance.now() - started
  const requests = market.requests(requestCount)
  const wrappedNative = market.tokens[0]?.address ?? '0x'
  let paths = 0
  let routed = 0
  const times = requests.map(({ tokenIn, tokenOut, amountIn }) => {
    const start = performance.now()
    const { candidates } = findCandidates({
      market: market.view,
      wrappedNative,
      inputs: [{ token: tokenIn, amount: amountIn }],
      tokensOut: [tokenOut],
      maxHops: 3,
      count: 24,
      gasCost: market.gasCost,
    })
    const ms = performance.now() - start
    paths += candidates.length
    if (candidates.length) routed++
    return ms
  })
  // After the requests: what they made the graph remember counts.
  const perPool = (usedBytes() - before) / poolCount
  times.sort((a, b) => a - b)
  const ms = (q: number) => quantile(times, q).toFixed(2)
  return {
    pools: market.pools.length,
    tokens: market.tokens.length,
    'p50 ms': ms(0.5),
    'p95 ms': ms(0.95),
    'p99 ms': ms(0.99),
    'max ms': ms(1),
    routed: `${routed} of ${requests.length}`,
    'candidates each': (paths / requests.length).toFixed(1),
    'bytes per pool': Math.round(perPool),
    'graph build ms': buildMs.toFixed(1),
  }
}

/** Heap and buffers in use once everything unused is collected. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
