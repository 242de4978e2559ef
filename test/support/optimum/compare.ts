/** Each way to route, against the best that the same pools can give. */
import { performance } from 'node:perf_hooks'
import { MarketView } from '../../../src/routing/market/market-view.js'
import { findCandidates } from '../../../src/routing/search/candidates.js'
import type { Flow } from '../../../src/routing/search/flow.js'
import { findPaths } from '../../../src/routing/search/search.js'
import type { LaneCurves } from './lane-curves.js'
import { buildNetwork } from './network.js'
import { createOptimum, type Optimum } from './optimum.js'
import type { QualityContext } from './quality-context.js'
import type { QualityRequest } from './requests.js'
import { singlePaths } from './single-paths.js'
import { splitInTenths } from './tenths.js'

/** Raw units out by exact quotes; 0n where that way finds none. */
export interface Compared {
  readonly request: QualityRequest
  readonly optimum: Optimum
  /** The product's best by output, gas costing nothing. */
  readonly free: bigint
  /** The product's best after gas: what it gives before gas. */
  readonly served: bigint
  readonly singlePool: bigint
  readonly singlePath: bigint
  readonly tenths: bigint
  /** Of the product's best after gas less that of its best single path; raw units, gas as the product estimates it. */
  readonly aheadOfPath: bigint
  /** False where the product's candidates are estimates, or there is none. */
  readonly isAnswered: boolean
  /** Of the product's search with gas. */
  readonly searchMs: number
}

/** Candidates that the product simulates. */
const count = 24
const gasUnit = 1_000_000n

export function createComparison(
  context: Pick<QualityContext, 'wrappedNative' | 'maxHops'>,
  curves: LaneCurves,
): (request: QualityRequest) => Compared {
  const optimumOf = createOptimum(curves)
  return (request) => {
    const { pools, tokenIn, tokenOut, amountIn, gasCostIn, gasCostOut = 0n } = request
    const place = { pools, wrappedNative: context.wrappedNative, maxHops: context.maxHops }
    const optimum = optimumOf(place, request)
    const paths = singlePaths(buildNetwork(place, request), amountIn)

    const costOf = (token: string) => (token === tokenOut ? request.gasCostOut : gasCostIn)
    const net = ({ amountOut, gas }: Pick<Flow, 'amountOut' | 'gas'>) =>
      amountOut - (gas * gasCostOut) / gasUnit
    const search = {
      market: new MarketView({ pools }),
      wrappedNative: context.wrappedNative,
      maxHops: context.maxHops,
    }
    const asked = {
      ...search,
      inputs: [{ token: tokenIn, amount: amountIn }],
      tokensOut: [tokenOut],
      count,
    }
    const free = most(
      exactOf(findCandidates({ ...asked, gasCost: () => 0n }).candidates),
      (c) => c.amountOut,
    )
    const started = performance.now()
    const { candidates } = findCandidates({ ...asked, gasCost: costOf })
    const searchMs = performance.now() - started
    const served = most(exactOf(candidates), net)
    const alone = most(exactOf(findPaths({ ...request, ...search, gasCostIn, gasCostOut })), net)
    return {
      request,
      optimum,
      free: free?.amountOut ?? 0n,
      served: served?.amountOut ?? 0n,
      singlePool: paths.find(({ lanes }) => lanes.length === 1)?.amountOut ?? 0n,
      singlePath: paths[0]?.amountOut ?? 0n,
      tenths: splitInTenths(paths, amountIn),
      aheadOfPath: (served ? net(served) : 0n) - (alone ? net(alone) : 0n),
      isAnswered: free !== undefined && served !== undefined,
      searchMs,
    }
  }
}

function exactOf<T extends { readonly exact: boolean }>(items: readonly T[]): T[] {
  return items.filter(({ exact }) => exact)
}

function most<T>(items: readonly T[], value: (item: T) => bigint): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || value(item) > value(best) ? item : best),
    undefined,
  )
}

/** What is missing to the bound, basis points of the bound; 0 is optimal. */
export function gapBps({ optimum }: Compared, amountOut: bigint): number {
  return (1 - Number(amountOut) / optimum.bound) * 10_000
}
