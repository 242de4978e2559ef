/** The market's prices block by block: what every pool but the traps is kept near to. */

import { createSeededRandom, type SeededRandom } from '../seeded-random.js'
import type { Prices } from './amounts.js'
import { ethereumMarket, type Market } from './market-pools.js'

const seed = 0x5eed_f0_4c_e5n
const oneMillion = 1_000_000n
/** Longest step of a price in one block, millionths. */
const usualStep = 600
const calmStep = 30
/** Part of the way back to its start that a price goes in each block. */
const pullBack = 150n

/** Blocks of Ethereum with trades; with those before them it has over 300. */
const ethereumBlocks = 330
/** What a token costs as much as that has another symbol on Ethereum. */
const counterparts: Readonly<Record<string, string>> = {
  'USDC.e': 'USDC',
  USDbC: 'USDC',
  cbBTC: 'WBTC',
}

/** Prices at each block of Ethereum's history, oldest first. */
export function ethereumPrices(): Prices[] {
  return walkPrices(ethereumMarket, ethereumBlocks)
}

/**
 * Prices at each block of another chain whose last block is as new as Ethereum's. What both chains have costs the same
 * on both.
 * @param blockSeconds - time between two of its blocks.
 */
export function pricesBeside(market: Market, blocks: number, blockSeconds: number): Prices[] {
  const leading = ethereumPrices()
  return walkPrices(market, blocks).map((prices, block) => {
    const secondsLeft = (blocks - 1 - block) * blockSeconds
    const then = leading.at(-1 - Math.ceil(secondsLeft / ethereumMarket.chain.blockTimeSeconds))
    return Object.fromEntries(
      Object.entries(prices).map(([symbol, price]) => {
        return [symbol, then?.[counterparts[symbol] ?? symbol] ?? price]
      }),
    )
  })
}

/** Prices of so many blocks, the start not among them. */
function walkPrices(market: Market, blocks: number): Prices[] {
  const random = createSeededRandom(seed)
  const walk: Prices[] = []
  for (let block = 0; block < blocks; block++) {
    walk.push(step(market, walk.at(-1) ?? market.startPrices, random))
  }
  return walk
}

function step({ tokens }: Market, prices: Prices, random: SeededRandom): Prices {
  const next: Record<string, bigint> = {}
  for (const { symbol, priceUsdE12: start, behaviour } of tokens) {
    const price = prices[symbol] ?? start
    const isDollar = start > 990_000_000_000n && start < 1_010_000_000_000n
    const isCalm = isDollar || ['frozen', 'honeypot'].includes(behaviour)
    const longest = isCalm ? calmStep : usualStep
    const moved = (price * (oneMillion + BigInt(random(2 * longest + 1) - longest))) / oneMillion
    next[symbol] = moved + (start - moved) / pullBack
  }
  // Staked ether follows ether but for a small spread; one wstETH is 1.2 of it.
  if (next.stETH === undefined) return next
  next.stETH = ((next.WETH ?? 0n) * (999_500n + BigInt(random(300)))) / oneMillion
  next.wstETH = (next.stETH * 6n) / 5n
  return next
}
