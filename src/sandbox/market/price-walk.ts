/** The market's prices block by block: what every pool but the traps is kept near to. */

import { sandboxTokens } from '../tokens.js'
import type { Prices } from './amounts.js'
import { startPrices } from './market-pools.js'
import { createSeededRandom, type SeededRandom } from './seeded-random.js'

const seed = 0x5eed_f0_4c_e5n
const oneMillion = 1_000_000n
/** Longest step of a price in one block, millionths. */
const usualStep = 600
const calmStep = 30
/** Part of the way back to its start that a price goes in each block. */
const pullBack = 150n

/** Prices of so many blocks, the start not among them. */
export function walkPrices(blocks: number): Prices[] {
  const random = createSeededRandom(seed)
  const walk: Prices[] = []
  for (let block = 0; block < blocks; block++) walk.push(step(walk.at(-1) ?? startPrices, random))
  return walk
}

function step(prices: Prices, random: SeededRandom): Prices {
  const next: Record<string, bigint> = {}
  for (const { symbol, priceUsdE12: start, behaviour } of sandboxTokens) {
    const price = prices[symbol] ?? start
    const isDollar = start > 990_000_000_000n && start < 1_010_000_000_000n
    const isCalm = isDollar || ['frozen', 'honeypot'].includes(behaviour)
    const longest = isCalm ? calmStep : usualStep
    const moved = (price * (oneMillion + BigInt(random(2 * longest + 1) - longest))) / oneMillion
    next[symbol] = moved + (start - moved) / pullBack
  }
  // Staked ether follows ether but for a small spread; one wstETH is 1.2 of it.
  next.stETH = ((next.WETH ?? 0n) * (999_500n + BigInt(random(300)))) / oneMillion
  next.wstETH = (next.stETH * 6n) / 5n
  return next
}
