/**
 * The scripted history: prices walk, market makers keep the pools near them by the trading desk, traders swap at random.
 * Fixed seeds and integer arithmetic only, so that every build trades alike.
 */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddresses as at } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { createSeededRandom, pick, type SeededRandom } from '../seeded-random.js'
import type { SandboxToken } from '../tokens.js'
import { type Prices, rawWorth } from './amounts.js'
import { arbitrage } from './arbitrage.js'
import { tokenAbi } from './market-abi.js'
import type { Market } from './market-pools.js'
import { createMarketReader } from './market-state.js'
import { traderSwap, traders } from './traders.js'
import { deskSwap, type Swap, several } from './trades.js'

/** Before them: time for the stable pools to reach the first prices. */
const settlingBlocks = 5
/** Each transaction holds so many trades at most. */
const tradesPerTransaction = 10
/** Limits; a whole block's have to fit into its own. */
const gasPerTransaction = 4_000_000n
const gasPerReport = 200_000n
const seed = 0xf0_4c_e8n

/** Brings the freshly opened pools to the prices at which the history starts. */
export async function settle(chain: ChainWriter, market: Market): Promise<void> {
  const random = createSeededRandom(seed)
  const read = createMarketReader(chain, market)
  for (let block = 0; block < settlingBlocks; block++) {
    sendTrades(chain, arbitrage(market, await read(), market.startPrices, random), random)
    await chain.mine()
  }
}

/** @param args.walk - prices of each block of the history. */
export async function trade(
  chain: ChainWriter,
  args: {
    readonly deployer: Address
    readonly market: Market
    readonly walk: readonly Prices[]
    readonly beforeBlock: (block: number) => void
    readonly onProgress: (fraction: number) => void
  },
): Promise<void> {
  const { deployer, market, walk, beforeBlock, onProgress } = args
  const random = createSeededRandom(seed + 1n)
  const read = createMarketReader(chain, market)
  let baseFeePerGas = 1_200_000_000n
  let turn = 0
  for (const [block, prices] of walk.entries()) {
    // The newest block is asked about most. There the desk swaps: the gas, and so the price of the next block, stays.
    const isNewest = block === walk.length - 1
    // Before the arbitrage, which does not know of them: they leave small differences for a block.
    for (let n = 1 + random(3); n > 0; n--) {
      const swap = randomSwap(market, prices, random)
      const { address: from } = pick(traders, random)
      if (isNewest) sendToDesk(chain, from, deskSwap(market, swap))
      else chain.send({ from, ...traderSwap(market, swap, from, turn++), gas: gasPerTransaction })
    }
    sendTrades(chain, arbitrage(market, await read(), prices, random), random)
    if (block % 25 === 0) report(chain, deployer, market, prices)
    beforeBlock(block)
    await chain.mine({ baseFeePerGas })
    baseFeePerGas = nextBaseFee(baseFeePerGas, random)
    onProgress((block + 1) / walk.length)
  }
}

function sendTrades(chain: ChainWriter, calls: readonly Hex[], random: SeededRandom): void {
  for (let start = 0; start < calls.length; start += tradesPerTransaction) {
    const data = several(calls.slice(start, start + tradesPerTransaction))
    sendToDesk(chain, pick(traders, random).address, data)
  }
}

function sendToDesk(chain: ChainWriter, from: Address, data: Hex): void {
  chain.send({ from, to: at.tradingDesk, data, gas: gasPerTransaction })
}

/** 0.005 to 0.02 percent of a pool's depth. */
function randomSwap(market: Market, prices: Prices, random: SeededRandom): Swap {
  const { pairSpecs, baskets, pricedTokens } = market
  const dollars = (depth: number) => Math.max(20, Math.floor((depth * (5 + random(16))) / 100_000))
  // Drawn in any case, so that a market without baskets trades as the others do.
  const isPair = random(10) < 7
  if (isPair || baskets.length === 0) {
    const spec = pick(pairSpecs, random)
    const zeroForOne = random(2) === 0
    const token = pricedTokens(spec)[zeroForOne ? 0 : 1]
    const amount = rawWorth(token, dollars(spec.depthUsd), prices)
    return { kind: 'pair', spec, zeroForOne, amount }
  }
  const spec = pick(baskets, random)
  const [from, to] = twoOf(market, spec.symbols, random)
  const amount = rawWorth(from, dollars(spec.depthUsd), prices)
  return { kind: 'basket', spec, from, to, amount }
}

function twoOf(
  { token }: Market,
  symbols: readonly string[],
  random: SeededRandom,
): [SandboxToken, SandboxToken] {
  const first = random(symbols.length)
  const second = (first + 1 + random(symbols.length - 1)) % symbols.length
  return [token(symbols[first] ?? ''), token(symbols[second] ?? '')]
}

function report(chain: ChainWriter, deployer: Address, { feeds }: Market, prices: Prices): void {
  for (const { token, feed } of feeds) {
    const args = [(prices[token.symbol] ?? token.priceUsdE12) / 10_000n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'report', args })
    chain.send({ from: deployer, to: feed, data, gas: gasPerReport })
  }
}

/** Between 0.4 and 6 gwei, an eighth up or down at most, as between real blocks. */
function nextBaseFee(fee: bigint, random: SeededRandom): bigint {
  const moved = (fee * BigInt(875 + random(251))) / 1000n
  if (moved < 400_000_000n) return 400_000_000n
  return moved > 6_000_000_000n ? 6_000_000_000n : moved
}
