/** What is traded: a fixed list over pairs and sizes, or drawn at random; the same for the same seed. */
import type { Address } from '../../src/domain/primitives.js'
import { createSeededRandom, pick, type SeededRandom } from '../../src/sandbox/seeded-random.js'
import { type Priced, readPrices, sandboxSymbols, toRaw } from '../alternatives/trades.js'
import type { Exact } from './contract.js'
import type { LeagueMarket } from './market.js'

export interface Trade {
  readonly sizeUsd: number
  readonly symbolIn: string
  readonly symbolOut: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Which side is stated; the other is what the answers are compared by. */
  readonly exact: Exact
  /** The stated side, raw units of tokenIn or of tokenOut. */
  readonly amount: bigint
  /** Raw units of the compared token per ether, which values gas: the same for all. */
  readonly perEther: bigint
}

const fixedSizesUsd = [100, 1_000, 10_000, 100_000, 1_000_000, 5_000_000]
const fixedPairs = 10
const fixedCount = fixedPairs * fixedSizesUsd.length
const fixedSeed = 60n
const fine = 2 ** 30

/**
 * Ten pairs of the sandbox's plain tokens at each of six sizes, 100 to 5,000,000 dollars.
 * @param options.symbols - of the tokens; default: all plain ones.
 * @param options.count - the first of them, which are of all sizes.
 */
export async function fixedTrades(
  market: LeagueMarket,
  options: {
    readonly exact: Exact
    readonly symbols?: readonly string[] | undefined
    readonly count?: number
  },
): Promise<Trade[]> {
  const { symbols = sandboxSymbols, count = fixedCount, exact } = options
  const random = createSeededRandom(fixedSeed)
  const pairs = Array.from({ length: fixedPairs }, () => drawPair(symbols, symbols, random))
  const drawn = Array.from({ length: count }, (_, index) => {
    // Another size each time that a pair comes again.
    const turn = Math.floor(index / fixedPairs)
    const sizeUsd = fixedSizesUsd[(index + turn) % fixedSizesUsd.length]
    return { ...(pairs[index % fixedPairs] as Pair), exact, sizeUsd: sizeUsd ?? 0 }
  })
  return price(market, drawn)
}

/**
 * All pairs of what the market can trade at all; sizes evenly over the orders of magnitude.
 * @param options.symbols - of the tokens; default: all that can be traded.
 */
export async function randomTrades(
  market: LeagueMarket,
  options: {
    readonly exact: Exact
    readonly symbols?: readonly string[] | undefined
    readonly count: number
    readonly seed: bigint
  },
): Promise<Trade[]> {
  const random = createSeededRandom(options.seed)
  const { sold, bought, fromUsd, toUsd } = market.draws
  const chosen = (symbols: readonly string[]) =>
    symbols.filter((symbol) => options.symbols?.includes(symbol) ?? true)
  const drawn = Array.from({ length: options.count }, () => ({
    ...drawPair(chosen(sold), chosen(bought), random),
    exact: options.exact,
    sizeUsd: Math.round(fromUsd * (toUsd / fromUsd) ** (random(fine) / fine)),
  }))
  return price(market, drawn)
}

/** Trades that are named, whose input is stated. */
export function namedTrades(market: LeagueMarket, named: readonly Named[]): Promise<Trade[]> {
  return price(
    market,
    named.map((one) => ({ ...one, exact: 'input' })),
  )
}

interface Pair {
  readonly symbolIn: string
  readonly symbolOut: string
}

/** A trade by symbols and size. */
export interface Named extends Pair {
  readonly sizeUsd: number
}

interface Drawn extends Named {
  readonly exact: Exact
}

function drawPair(sold: readonly string[], bought: readonly string[], random: SeededRandom): Pair {
  const symbolIn = pick(sold, random)
  const others = bought.filter((symbol) => symbol !== symbolIn)
  return { symbolIn, symbolOut: pick(others, random) }
}

async function price({ service, tokens }: LeagueMarket, drawn: readonly Drawn[]): Promise<Trade[]> {
  const symbols = new Set(['WETH', ...drawn.flatMap((one) => [one.symbolIn, one.symbolOut])])
  const prices = await readPrices(
    service.url,
    tokens.filter(({ symbol }) => symbols.has(symbol)),
  )
  const priceOf = (symbol: string): Priced => {
    const found = prices.get(symbol)
    if (!found) throw new Error(`${symbol} has no price`)
    return found
  }
  const ether = priceOf('WETH')
  return drawn.map((one) => {
    const [tokenIn, tokenOut] = [priceOf(one.symbolIn), priceOf(one.symbolOut)]
    const [stated, compared] = one.exact === 'input' ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
    return {
      ...one,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      amount: toRaw(one.sizeUsd / stated.price, stated.decimals),
      perEther: toRaw(ether.price / compared.price, compared.decimals),
    }
  })
}
