/** Reserves of the sandbox's Aave V3, in the order of mainnet, so that their tokens lie where they lie there. */

export interface AaveReserveSpec {
  readonly symbol: string
  /** Nonce of the PoolConfigurator at which mainnet's reserve was opened: it decides the addresses of its tokens. */
  readonly nonce: number
  /** Basis points; bonus above 10,000. A loan-to-value of 0: no collateral for new loans. */
  readonly ltv: number
  readonly threshold: number
  readonly bonus: number
  readonly reserveFactor: number
  /** Interest rates in basis points: utilisation at the kink, rate at zero, and slopes before and behind the kink. */
  readonly rates: readonly [optimal: number, base: number, slope1: number, slope2: number]
  /** Whole dollars at the starting price. */
  readonly suppliedUsd: number
  readonly borrowedUsd: number
  /** Whole tokens; absent: no cap. */
  readonly supplyCap?: number
  readonly isPaused?: boolean
  readonly isFrozen?: boolean
}

const million = 1_000_000

export const aaveReserveSpecs: readonly AaveReserveSpec[] = [
  {
    symbol: 'WETH',
    nonce: 1,
    ltv: 8050,
    threshold: 8300,
    bonus: 10_500,
    reserveFactor: 1500,
    rates: [8000, 0, 330, 8000],
    suppliedUsd: 180 * million,
    borrowedUsd: 126 * million,
  },
  {
    symbol: 'wstETH',
    nonce: 4,
    ltv: 7850,
    threshold: 8100,
    bonus: 10_600,
    reserveFactor: 1500,
    rates: [4500, 25, 450, 8000],
    suppliedUsd: 110 * million,
    borrowedUsd: 9 * million,
  },
  {
    symbol: 'WBTC',
    nonce: 7,
    ltv: 7300,
    threshold: 7800,
    bonus: 10_500,
    reserveFactor: 2000,
    rates: [4500, 0, 700, 30_000],
    suppliedUsd: 90 * million,
    borrowedUsd: 11 * million,
  },
  {
    symbol: 'USDC',
    nonce: 10,
    ltv: 7700,
    threshold: 8000,
    bonus: 10_450,
    reserveFactor: 1000,
    rates: [9000, 0, 600, 6000],
    suppliedUsd: 200 * million,
    borrowedUsd: 155 * million,
  },
  {
    symbol: 'DAI',
    nonce: 13,
    ltv: 7700,
    threshold: 8000,
    bonus: 10_400,
    reserveFactor: 1000,
    rates: [9000, 0, 600, 7500],
    suppliedUsd: 80 * million,
    borrowedUsd: 52 * million,
  },
  {
    // All but full.
    symbol: 'LINK',
    nonce: 16,
    ltv: 5300,
    threshold: 6800,
    bonus: 10_700,
    reserveFactor: 2000,
    rates: [4500, 0, 700, 30_000],
    suppliedUsd: 7_485_000,
    borrowedUsd: 600_000,
    supplyCap: 500_000,
  },
  {
    symbol: 'AAVE',
    nonce: 19,
    ltv: 6600,
    threshold: 7300,
    bonus: 10_750,
    reserveFactor: 0,
    rates: [4500, 0, 700, 30_000],
    suppliedUsd: 18 * million,
    borrowedUsd: 0,
    isPaused: true,
  },
  {
    symbol: 'UNI',
    nonce: 46,
    ltv: 6500,
    threshold: 7400,
    bonus: 11_000,
    reserveFactor: 2000,
    rates: [4500, 0, 700, 30_000],
    suppliedUsd: 5 * million,
    borrowedUsd: 400_000,
    isFrozen: true,
  },
  {
    // Borrowed out: nothing is left to withdraw.
    symbol: 'FRAX',
    nonce: 58,
    ltv: 7000,
    threshold: 7500,
    bonus: 10_600,
    reserveFactor: 1000,
    rates: [8000, 0, 550, 7500],
    suppliedUsd: 5 * million,
    borrowedUsd: 5 * million,
  },
]
