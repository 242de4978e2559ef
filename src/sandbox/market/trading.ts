/**
 * The scripted history: prices walk, traders keep the pools near them, others swap at random.
 * Fixed seeds and integer arithmetic only, so that every build trades alike.
 */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { sandboxAccounts } from '../accounts.js'
import { contractAddresses as at } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { type SandboxToken, sandboxToken } from '../tokens.js'
import { type Prices, rawWorth } from './amounts.js'
import { arbitrage } from './arbitrage.js'
import { sandboxFeeds } from './deploy-contracts.js'
import { createDice, type Dice, pick } from './dice.js'
import { tokenAbi } from './market-abi.js'
import { basketPlans, pairPlans, pricedTokens, startPrices } from './market-pools.js'
import { readMarket } from './market-state.js'
import { walkPrices } from './price-walk.js'
import { several, swapBasket, swapPair } from './trades.js'

/** Blocks with trades; with those before them the chain has over 300. */
export const tradingBlocks = 330
/** Before them: time for the stable pools to reach the first prices. */
const settlingBlocks = 5
/** Each transaction holds so many trades at most. */
const tradesPerTransaction = 10
/** Limits; a whole block's have to fit into its own. */
const gasPerTransaction = 4_000_000n
const gasPerReport = 200_000n
const seed = 0xf0_4c_e8n

/** Brings the freshly opened pools to the prices at which the history starts. */
export async function settle(chain: ChainWriter): Promise<void> {
  const dice = createDice(seed)
  for (let block = 0; block < settlingBlocks; block++) {
    await arbitrageAll(chain, startPrices, dice)
    await chain.mine()
  }
}

export async function trade(
  chain: ChainWriter,
  deployer: Address,
  beforeBlock: (block: number) => void,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const dice = createDice(seed + 1n)
  let baseFeePerGas = 1_200_000_000n
  for (const [block, prices] of walkPrices(tradingBlocks).entries()) {
    // Before the arbitrage, which does not know of them: they leave small differences for a block.
    for (let n = 1 + dice(3); n > 0; n--) send(chain, randomSwap(prices, dice), dice)
    await arbitrageAll(chain, prices, dice)
    if (block % 25 === 0) report(chain, deployer, prices)
    beforeBlock(block)
    await chain.mine({ baseFeePerGas })
    baseFeePerGas = nextBaseFee(baseFeePerGas, dice)
    onProgress((block + 1) / tradingBlocks)
  }
}

async function arbitrageAll(chain: ChainWriter, prices: Prices, dice: Dice): Promise<void> {
  const calls = arbitrage(await readMarket(chain), prices, dice)
  for (let start = 0; start < calls.length; start += tradesPerTransaction) {
    send(chain, several(calls.slice(start, start + tradesPerTransaction)), dice)
  }
}

function send(chain: ChainWriter, data: Hex, dice: Dice): void {
  const trader = pick(sandboxAccounts.slice(4, 9), dice)
  chain.send({ from: trader.address, to: at.tradingDesk, data, gas: gasPerTransaction })
}

/** 0.005 to 0.02 percent of a pool's depth. */
function randomSwap(prices: Prices, dice: Dice): Hex {
  const dollars = (depth: number) => Math.max(20, Math.floor((depth * (5 + dice(16))) / 100_000))
  if (dice(10) < 7) {
    const plan = pick(pairPlans, dice)
    const zeroForOne = dice(2) === 0
    const token = pricedTokens(plan)[zeroForOne ? 0 : 1]
    return swapPair(plan, zeroForOne, rawWorth(token, dollars(plan.depthUsd), prices))
  }
  const plan = pick(basketPlans, dice)
  const [from, to] = twoOf(plan.symbols, dice)
  return swapBasket(plan, from, to, rawWorth(from, dollars(plan.depthUsd), prices))
}

function twoOf(symbols: readonly string[], dice: Dice): [SandboxToken, SandboxToken] {
  const first = dice(symbols.length)
  const second = (first + 1 + dice(symbols.length - 1)) % symbols.length
  return [sandboxToken(symbols[first] ?? ''), sandboxToken(symbols[second] ?? '')]
}

function report(chain: ChainWriter, deployer: Address, prices: Prices): void {
  for (const { token, feed } of sandboxFeeds()) {
    const args = [(prices[token.symbol] ?? token.priceUsdE12) / 10_000n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'report', args })
    chain.send({ from: deployer, to: feed, data, gas: gasPerReport })
  }
}

/** Between 0.4 and 6 gwei, an eighth up or down at most, as between real blocks. */
function nextBaseFee(fee: bigint, dice: Dice): bigint {
  const moved = (fee * BigInt(875 + dice(251))) / 1000n
  if (moved < 400_000_000n) return 400_000_000n
  return moved > 6_000_000_000n ? 6_000_000_000n : moved
}
