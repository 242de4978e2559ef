/** The least input that gives an amount, found by bisection over a service's own quotes: what EXACT_OUTPUT is compared with. */
import { expect } from 'vitest'
import { createSeededRandom } from '../../../src/sandbox/seeded-random.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { SharedService } from '../service/shared-service.js'
import { tokenNamed } from '../token-named.js'

type Query = Readonly<Record<string, string>>
/** Symbols of the pair, and raw units of the first. */
export type Trade = readonly [from: string, to: string, amountIn: bigint]

const random = createSeededRandom(14n)
const trades: readonly Trade[] = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
  ['ETH', 'WBTC'],
  ['DAI', 'USDT'],
  ['LINK', 'UNI'],
  ['USDC', 'LINK'],
  ['PAXG', 'USDC'],
  ['WETH', 'STA'],
  ['stETH', 'USDC'],
  ['SNT', 'ETH'],
].map(([from = '', to = '']) => {
  const { priceUsdE12, decimals } = sandboxToken(from === 'ETH' ? 'WETH' : from)
  const usdE12 = 10n ** BigInt(11 + random(7)) * BigInt(1 + random(9))
  return [from, to, (usdE12 * 10n ** BigInt(decimals)) / priceUsdE12]
})
const isQuick = ([from]: Trade) => ['WETH', 'PAXG', 'stETH'].includes(from)

/** Pairs of all kinds of tokens, from a few cents to what moves the market: a few for each run, and the others. */
export const quickTrades = trades.filter(isQuick)
export const otherTrades = trades.filter((trade) => !isQuick(trade))

/** Fails where the input for an amount of output is more than 1 bps above what bisection finds. */
export async function expectLeastInput(
  service: Pick<SharedService, 'get'>,
  [from, to, amountIn]: Trade,
): Promise<void> {
  const quote = (query: Query) => service.get('/api/v1/shortcuts/quote', query)
  const ends = { tokenIn: tokenNamed(from), tokenOut: tokenNamed(to) }
  const first = await quote({ ...ends, amountIn: amountIn.toString() })
  expect(first.status, first.text).toBe(200)
  const pair = { ...ends, blockNumber: String(first.body.blockNumber) }
  const target = BigInt(first.body.amountOut)
  const { status, body, text } = await quote({ ...pair, amountOut: target.toString() })
  expect(status, text).toBe(200)
  expect(BigInt(body.amountOut)).toBeGreaterThanOrEqual(target)
  // Found to a millionth, between a tenth and the double of what is judged.
  let [low, high] = [BigInt(body.amountIn) / 10n, BigInt(body.amountIn) * 2n]
  while ((high - low) * 1_000_000n > high && high - low > 1n) {
    const middle = (low + high) / 2n
    const { status, body } = await quote({ ...pair, amountIn: middle.toString() })
    if (status === 200 && BigInt(body.amountOut) >= target) high = middle
    else low = middle
  }
  expect(BigInt(body.amountIn) * 10_000n).toBeLessThanOrEqual(high * 10_001n)
}
