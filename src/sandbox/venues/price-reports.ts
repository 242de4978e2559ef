/** First answers of the price feeds, for protocols that ask them while they open. */
import { encodeFunctionData } from 'viem'
import { tokenAbi } from '../market/market-abi.js'
import { ethereumMarket } from '../market/market-pools.js'
import type { VenueTools } from './venue.js'

/** Queues a report of every feed at the price at which the history starts. */
export function reportPrices({ chain, deployer }: VenueTools): void {
  const { feeds, startPrices } = ethereumMarket
  for (const { token, feed } of feeds) {
    const args = [(startPrices[token.symbol] ?? token.priceUsdE12) / 10_000n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'report', args })
    chain.send({ from: deployer, to: feed, data })
  }
}

/** Null for a token without a feed. */
export function feedOf(symbol: string) {
  return ethereumMarket.feeds.find(({ token }) => token.symbol === symbol)?.feed ?? null
}
