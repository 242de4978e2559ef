/**
 * Interest, minting and redemption of Compound V2 markets. Interest accrues by block number, not by time,
 * in the first transaction of a block that touches the market. Pure.
 * @see compound-finance/compound-protocol 2.3, contracts/CToken.sol: accrueInterest, exchangeRateStoredInternal,
 * mintFresh, redeemFresh
 */

/** One, in exchange rates and in parts of interest. */
export const rateScale = 10n ** 18n

/** What a market has stored, raw units of the underlying. */
export interface StoredMarket {
  readonly cash: bigint
  readonly borrows: bigint
  readonly reserves: bigint
  /** Units of the market's own token that exist. */
  readonly supply: bigint
  /** 10^-18 of the interest. */
  readonly reserveFactor: bigint
  /** Number of the block until which interest is counted. */
  readonly accruedAt: bigint
  /** 10^-18 per block, of the amounts above. */
  readonly borrowRate: bigint
  /** Underlying per token, times 10^18, while no token exists. */
  readonly emptyRate: bigint
}

/** A market as the simulated block will find it. Structured-clonable. */
export interface MarketState {
  readonly cash: bigint
  readonly borrows: bigint
  readonly reserves: bigint
  readonly supply: bigint
  readonly emptyRate: bigint
  readonly isMintPaused: boolean
  /** True when the market's own rate agrees with what was counted here. */
  readonly isProven: boolean
}

type Totals = Pick<MarketState, 'cash' | 'borrows' | 'reserves' | 'supply' | 'emptyRate'>

/** The amounts with the interest until a block, which is not before `accruedAt`. */
export function accrued(market: StoredMarket, block: bigint): Totals {
  const { cash, borrows, reserves, supply, emptyRate } = market
  const factor = market.borrowRate * (block - market.accruedAt)
  const interest = (factor * borrows) / rateScale
  return {
    cash,
    borrows: borrows + interest,
    reserves: reserves + (interest * market.reserveFactor) / rateScale,
    supply,
    emptyRate,
  }
}

/** Underlying per token, times 10^18, rounded down. */
export function exchangeRate({ cash, borrows, reserves, supply, emptyRate }: Totals): bigint {
  return supply === 0n ? emptyRate : ((cash + borrows - reserves) * rateScale) / supply
}

/** Tokens for underlying, rounded down; 0n while the market takes nothing. */
export function minted(state: MarketState, amount: bigint): bigint {
  const rate = exchangeRate(state)
  return state.isMintPaused || rate <= 0n || amount <= 0n ? 0n : (amount * rateScale) / rate
}

/** Underlying for tokens, rounded down; 0n where the market has not as much in cash, or there are not as many tokens. */
export function redeemed(state: MarketState, tokens: bigint): bigint {
  if (tokens <= 0n || tokens > state.supply) return 0n
  const amount = (tokens * exchangeRate(state)) / rateScale
  return amount > state.cash ? 0n : amount
}

/** Tokens that a redemption of this much underlying takes at most: the rate never falls. */
export function tokensFor(totals: Totals, amount: bigint): bigint {
  const rate = exchangeRate(totals)
  return rate <= 0n ? 0n : (amount * rateScale + rate - 1n) / rate
}

/** The market after underlying was supplied. */
export function afterMint(state: MarketState, amount: bigint): MarketState {
  const tokens = minted(state, amount)
  if (tokens === 0n) return state
  return { ...state, cash: state.cash + amount, supply: state.supply + tokens }
}

/** The market after tokens were redeemed. */
export function afterRedeem(state: MarketState, tokens: bigint): MarketState {
  const amount = redeemed(state, tokens)
  if (amount === 0n) return state
  return { ...state, cash: state.cash - amount, supply: state.supply - tokens }
}

/**
 * What a rate per block makes of one in a year, compounded daily as Compound states its yields.
 *
 * @param ratePerBlock - 10^-18.
 * @returns a fraction: 0.05 = 5 %.
 */
export function yearly(ratePerBlock: bigint, blockTimeSeconds: number): number {
  const perDay = (Number(ratePerBlock) / 1e18) * (86_400 / blockTimeSeconds)
  return (1 + perDay) ** 365 - 1
}
