/** Every pool of the sandbox: protocol, tokens, terms and depth. The depths are dollars over both sides at the start. */

export interface V2PoolSpec {
  readonly protocol: 'uniswap-v2' | 'sushiswap-v2'
  readonly symbols: readonly [string, string]
  readonly depthUsd: number
  /** Price of the first token against the market's, 10_000 = equal. Such a pool is not traded: it is a trap. */
  readonly trapPriceBps?: number
}

export interface V3PoolSpec {
  readonly protocol: 'uniswap-v3'
  readonly symbols: readonly [string, string]
  /** Hundredths of a basis point. */
  readonly fee: number
  readonly depthUsd: number
  readonly trapPriceBps?: number
}

/** Without hooks, with the tick spacing of V3; `ETH` is native ether. */
export interface V4PoolSpec {
  readonly protocol: 'uniswap-v4'
  readonly symbols: readonly [string, string]
  /** Hundredths of a basis point. */
  readonly fee: number
  readonly depthUsd: number
}

export interface BalancerPoolSpec {
  readonly protocol: 'balancer-v2'
  readonly symbols: readonly string[]
  /** Percent, in the order of `symbols`; absent: a stable pool. */
  readonly weights?: readonly number[]
  readonly amplification?: number
  /** Hundredths of a basis point. */
  readonly fee: number
  readonly depthUsd: number
}

export interface CurvePoolSpec {
  readonly protocol: 'curve'
  readonly symbols: readonly [string, string, string, string]
  readonly amplification: number
  /** 10^-10. */
  readonly fee: number
  readonly depthUsd: number
  readonly lpName: string
  readonly lpSymbol: string
}

const k = 1_000
const m = 1_000_000

/** `UNI/WETH@9200` reads: one UNI costs 92 percent of its market price there. */
export function pairs(
  protocol: V2PoolSpec['protocol'],
  rows: Readonly<Record<string, number>>,
): readonly V2PoolSpec[] {
  return Object.entries(rows).map(([row, depthUsd]) => ({
    protocol,
    depthUsd,
    ...parsePair(row),
  }))
}

export function tiers(
  rows: Readonly<Record<string, Readonly<Record<number, number>>>>,
): V3PoolSpec[] {
  return Object.entries(rows).flatMap(([row, depths]) =>
    Object.entries(depths).map(([fee, depthUsd]) => ({
      protocol: 'uniswap-v3' as const,
      fee: Number(fee),
      depthUsd,
      ...parsePair(row),
    })),
  )
}

function parsePair(row: string) {
  const [pair = '', trap] = row.split('@')
  const [first = '', second = ''] = pair.split('/')
  const symbols: [string, string] = [first, second]
  return { symbols, ...(trap && { trapPriceBps: Number(trap) }) }
}

export const v2PoolSpecs: readonly V2PoolSpec[] = [
  ...pairs('uniswap-v2', {
    'WETH/USDC': 60 * m,
    'WETH/USDT': 55 * m,
    'DAI/WETH': 14 * m,
    'WBTC/WETH': 9 * m,
    'LINK/WETH': 4 * m,
    'UNI/WETH': 5 * m,
    'AAVE/WETH': 1_500 * k,
    'CRV/WETH': 600 * k,
    'LDO/WETH': 900 * k,
    'MKR/WETH': 6 * m,
    'FRAX/WETH': 2 * m,
    'wstETH/WETH': 500 * k,
    'stETH/WETH': 3 * m,
    'PAXG/WETH': 1_200 * k,
    'SNT/WETH': 700 * k,
    'STA/WETH': 300 * k,
    'USDC/USDT': 3 * m,
    'DAI/USDC': 5 * m,
    'FRAX/USDC': 1 * m,
    'WBTC/USDC': 800 * k,
    'DAI/MKR': 800 * k,
    'AAVE/USDC': 200 * k,
    'UNI/USDT': 150 * k,
    // Cheap to buy here, dear to sell there, and not to be sold: the best path that does not exist.
    'HNY/WETH@9000': 400 * k,
    'HNY/USDC@14000': 400 * k,
    'FRZN/WETH@8000': 200 * k,
    'FRZN/USDC@12000': 200 * k,
  }),
  ...pairs('sushiswap-v2', {
    'WETH/USDC': 18 * m,
    'WETH/USDT': 9 * m,
    'DAI/WETH': 7 * m,
    'WBTC/WETH': 30 * m,
    'LINK/WETH': 3 * m,
    'AAVE/WETH': 2 * m,
    'CRV/WETH': 800 * k,
    'LDO/WETH': 5 * m,
    'MKR/WETH': 400 * k,
    'FRAX/WETH': 300 * k,
    'stETH/WETH': 900 * k,
    'sUSD/WETH': 1 * m,
    'DAI/USDC': 400 * k,
    // Stale: nobody traded it for long; cheap UNI, but only for some hundred dollars.
    'UNI/WETH@9200': 6 * k,
  }),
]

export const v3PoolSpecs: readonly V3PoolSpec[] = tiers({
  'WETH/USDC': { 100: 1 * m, 500: 20 * m, 3000: 200 * m, 10000: 5 * m },
  'WETH/USDT': { 100: 1 * m, 500: 20 * m, 3000: 110 * m, 10000: 800 * k },
  'DAI/WETH': { 500: 6 * m, 3000: 20 * m },
  'WBTC/WETH': { 500: 60 * m, 3000: 120 * m, 10000: 500 * k },
  'WBTC/USDC': { 500: 2 * m, 3000: 40 * m },
  'WBTC/USDT': { 500: 1 * m, 3000: 10 * m },
  'USDC/USDT': { 100: 30 * m, 500: 2 * m },
  'DAI/USDC': { 100: 25 * m, 500: 3 * m },
  'DAI/USDT': { 100: 5 * m },
  'FRAX/USDC': { 100: 1 * m, 500: 8 * m },
  'LINK/WETH': { 500: 200 * k, 3000: 25 * m, 10000: 2 * m },
  'LINK/USDC': { 3000: 700 * k },
  'UNI/WETH': { 500: 300 * k, 3000: 18 * m, 10000: 1 * m },
  'UNI/USDC': { 3000: 600 * k },
  // A great spot price with next to nothing behind it.
  'UNI/USDC@9000': { 500: 40 },
  'LINK/WETH@10800': { 100: 60 },
  'AAVE/WETH': { 3000: 12 * m },
  'AAVE/USDC': { 3000: 500 * k },
  'CRV/WETH': { 3000: 2 * m, 10000: 3 * m },
  'LDO/WETH': { 3000: 6 * m, 10000: 700 * k },
  'MKR/WETH': { 3000: 8 * m, 10000: 3 * m },
  'MKR/USDC': { 3000: 300 * k },
  'wstETH/WETH': { 100: 30 * m, 500: 4 * m },
  'sUSD/USDC': { 500: 1 * m },
  'SNT/WETH': { 3000: 500 * k },
})

export const v4PoolSpecs: readonly V4PoolSpec[] = tiers({
  'ETH/USDC': { 500: 12 * m, 3000: 15 * m },
  'ETH/USDT': { 500: 12 * m },
  'ETH/WBTC': { 3000: 8 * m },
  'ETH/wstETH': { 100: 3 * m },
  'ETH/LINK': { 3000: 900 * k },
  'USDC/USDT': { 100: 9 * m },
  'WBTC/USDC': { 3000: 2 * m },
}).map((spec) => ({ ...spec, protocol: 'uniswap-v4' }))

export const balancerPoolSpecs: readonly BalancerPoolSpec[] = [
  { symbols: ['WBTC', 'WETH'], weights: [50, 50], fee: 2500, depthUsd: 8 * m },
  { symbols: ['AAVE', 'WETH'], weights: [80, 20], fee: 3000, depthUsd: 6 * m },
  { symbols: ['MKR', 'WETH'], weights: [60, 40], fee: 3000, depthUsd: 3 * m },
  { symbols: ['DAI', 'WETH'], weights: [40, 60], fee: 500, depthUsd: 5 * m },
  { symbols: ['LINK', 'UNI', 'WETH'], weights: [25, 25, 50], fee: 2000, depthUsd: 2 * m },
  { symbols: ['DAI', 'USDC', 'USDT'], amplification: 200, fee: 100, depthUsd: 20 * m },
  { symbols: ['FRAX', 'USDC'], amplification: 400, fee: 100, depthUsd: 4 * m },
].map((spec) => ({ protocol: 'balancer-v2' as const, ...spec }))

/** The four-coin pool has the second and third coin's six decimals, and the third's missing returns, in its code. */
export const curvePoolSpecs: readonly CurvePoolSpec[] = [
  {
    protocol: 'curve',
    symbols: ['DAI', 'USDC', 'USDT', 'sUSD'],
    amplification: 256,
    fee: 2_000_000,
    depthUsd: 40 * m,
    lpName: 'Curve.fi DAI/USDC/USDT/sUSD',
    lpSymbol: 'crvPlain3andSUSD',
  },
  {
    protocol: 'curve',
    symbols: ['DAI', 'USDC', 'USDT', 'FRAX'],
    amplification: 500,
    fee: 1_000_000,
    depthUsd: 12 * m,
    lpName: 'Curve.fi DAI/USDC/USDT/FRAX',
    lpSymbol: 'crvPlain3andFRAX',
  },
]
