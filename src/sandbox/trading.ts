/**
 * The scripted history: prices walk, traders follow them in some pools, others swap at random.
 * A fixed seed and integer arithmetic only, so that every build trades alike.
 */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import { sandboxAccounts } from './accounts.js'
import { contractAddresses as at, curvePoolAddresses } from './addresses.js'
import { type Prices, rawWorth, sqrtPriceX96 } from './amounts.js'
import { balancerPoolId, v4Pool } from './catalog.js'
import type { ChainWriter } from './chain-writer.js'
import { sandboxFeeds } from './deploy-contracts.js'
import { curveAbi, deskAbi, tokenAbi, v4Abi, vaultAbi } from './market-abi.js'
import {
  balancerPlans,
  curvePlans,
  type V2Plan,
  type V3Plan,
  type V4Plan,
  v2Plans,
  v3Plans,
  v4Plans,
} from './market-plan.js'
import { addressOf, sortedTokens, startPrices } from './market-pools.js'
import { type SandboxToken, sandboxToken, sandboxTokens } from './tokens.js'

/** Blocks with trades; with those before them the chain has over 300. */
export const tradingBlocks = 330
/** In the last blocks traders visit every pool, so that the head has no forgotten price but the traps'. */
const closingBlocks = 30
const gasPerTrade = 1_500_000n
const seed = 0x5eed_f0_4c_e5n
const oneMillion = 1_000_000n

/** Mulberry-like 64-bit mixer: the next number below `limit`. */
function createDice() {
  let state = seed
  return (limit: number): number => {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn
    let z = state
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn
    z ^= z >> 31n
    return Number(z % BigInt(limit))
  }
}

type Dice = ReturnType<typeof createDice>

type PricedPlan = V2Plan | V3Plan | V4Plan

const pricedPools: readonly PricedPlan[] = [
  ...[...v2Plans, ...v3Plans].filter(({ trapPriceBps }) => trapPriceBps === undefined),
  ...v4Plans,
]

export async function trade(
  chain: ChainWriter,
  deployer: Address,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const dice = createDice()
  const traders = sandboxAccounts.slice(4, 9).map(({ address }) => address)
  let prices = startPrices
  let baseFeePerGas = 1_200_000_000n
  for (let block = 0; block < tradingBlocks; block++) {
    prices = walk(prices, dice)
    const send = (data: Hex) => {
      const from = traders[dice(traders.length)] ?? deployer
      chain.send({ from, to: at.tradingDesk, data, gas: gasPerTrade })
    }
    const left = tradingBlocks - block
    const pools = left <= closingBlocks ? everyNth(pricedPools, left, closingBlocks) : some(dice)
    for (const plan of pools) send(follow(plan, prices, dice))
    for (let n = dice(3); n > 0; n--) send(randomSwap(prices, dice))
    if (block % 25 === 0) report(chain, deployer, prices)
    await chain.mine({ baseFeePerGas })
    baseFeePerGas = nextBaseFee(baseFeePerGas, dice)
    onProgress((block + 1) / tradingBlocks)
  }
}

function some(dice: Dice): PricedPlan[] {
  return Array.from({ length: 2 + dice(4) }, () => pick(pricedPools, dice))
}

function everyNth<T>(items: readonly T[], rest: number, n: number): T[] {
  return items.filter((_item, index) => index % n === rest % n)
}

function pick<T>(items: readonly T[], dice: Dice): T {
  const item = items[dice(items.length)]
  if (item === undefined) throw new RangeError('There is nothing to pick from.')
  return item
}

/** Each price moves by up to 0.15 percent and is drawn back to where it started. */
function walk(prices: Prices, dice: Dice): Prices {
  const next: Record<string, bigint> = {}
  for (const { symbol, priceUsdE12: start, behaviour } of sandboxTokens) {
    const price = prices[symbol] ?? start
    const isCalm = ['proxied', 'returnless', 'frozen', 'honeypot'].includes(behaviour)
    const step = isCalm || start < 10n ** 12n ? 30 : 1500
    const moved = (price * (oneMillion + BigInt(dice(2 * step + 1) - step))) / oneMillion
    next[symbol] = moved + (start - moved) / 40n
  }
  // One wstETH stays 1.2 ether but for its own small spread.
  next.wstETH = ((next.WETH ?? 0n) * (1_199_600n + BigInt(dice(400)))) / oneMillion
  return next
}

/** A trader who brings the pool to the market's price, up to most of the pool's fee, which is his margin. */
function follow(plan: PricedPlan, prices: Prices, dice: Dice): Hex {
  const [token0, token1] = tokensOf(plan)
  const margin = Math.floor(('fee' in plan ? plan.fee : 3000) * 0.8)
  const noise = BigInt(dice(2 * margin + 1) - margin)
  // Half the noise, since it is put on the square root.
  const price = sqrtPriceX96(token0, token1, prices)
  const root = (price * (2n * oneMillion + noise)) / (2n * oneMillion)
  if (plan.protocol === 'uniswap-v4') {
    const args = [at.v4PoolManager, v4Pool(plan).key, root] as const
    return encodeFunctionData({ abi: v4Abi, functionName: 'pushV4', args })
  }
  const functionName = plan.protocol === 'uniswap-v3' ? 'pushV3' : 'pushV2'
  return encodeFunctionData({ abi: deskAbi, functionName, args: [addressOf(plan), root] })
}

function tokensOf(plan: PricedPlan): [SandboxToken, SandboxToken] {
  return plan.protocol === 'uniswap-v4' ? v4Pool(plan).tokens : sortedTokens(plan.symbols)
}

/** 0.01 to 0.2 percent of a pool's depth. */
function randomSwap(prices: Prices, dice: Dice): Hex {
  const dollars = (depth: number) => Math.max(20, Math.floor((depth * (1 + dice(20))) / 10_000))
  const kind = dice(10)
  if (kind < 6) {
    const plan = pick(pricedPools, dice)
    const zeroForOne = dice(2) === 0
    const token = tokensOf(plan)[zeroForOne ? 0 : 1]
    const amount = rawWorth(token, dollars(plan.depthUsd), prices)
    if (plan.protocol === 'uniswap-v4') {
      const args = [at.v4PoolManager, v4Pool(plan).key, zeroForOne, amount] as const
      return encodeFunctionData({ abi: v4Abi, functionName: 'swapV4', args })
    }
    const functionName = plan.protocol === 'uniswap-v3' ? 'swapV3' : 'swapV2'
    const args = [addressOf(plan), zeroForOne, amount] as const
    return encodeFunctionData({ abi: deskAbi, functionName, args })
  }
  if (kind < 8) {
    const index = dice(balancerPlans.length)
    const plan = pick(balancerPlans.slice(index, index + 1), dice)
    const [tokenIn, tokenOut] = twoOf(plan.symbols, dice)
    return balancerSwap(index, tokenIn, tokenOut, rawWorth(tokenIn, dollars(plan.depthUsd), prices))
  }
  const index = dice(curvePlans.length)
  const plan = pick(curvePlans.slice(index, index + 1), dice)
  const [tokenIn, tokenOut] = twoOf(plan.symbols, dice)
  const place = (token: SandboxToken) => BigInt(plan.symbols.indexOf(token.symbol))
  const amount = rawWorth(tokenIn, dollars(plan.depthUsd), prices)
  const data = encodeFunctionData({
    abi: curveAbi,
    functionName: 'exchange',
    args: [place(tokenIn), place(tokenOut), amount, 0n],
  })
  return execute(pick(curvePoolAddresses.slice(index, index + 1), dice), data)
}

function twoOf(symbols: readonly string[], dice: Dice): [SandboxToken, SandboxToken] {
  const first = dice(symbols.length)
  const second = (first + 1 + dice(symbols.length - 1)) % symbols.length
  return [sandboxToken(symbols[first] ?? ''), sandboxToken(symbols[second] ?? '')]
}

function balancerSwap(index: number, from: SandboxToken, to: SandboxToken, amount: bigint): Hex {
  const poolId = balancerPoolId(index)
  const single = {
    poolId,
    kind: 0,
    assetIn: from.address,
    assetOut: to.address,
    amount,
    userData: '0x',
  } as const
  const funds = {
    sender: at.tradingDesk,
    fromInternalBalance: false,
    recipient: at.tradingDesk,
    toInternalBalance: false,
  }
  const args = [single, funds, 0n, 2n ** 64n] as const
  return execute(
    at.balancerVault,
    encodeFunctionData({ abi: vaultAbi, functionName: 'swap', args }),
  )
}

function execute(target: Address, data: Hex): Hex {
  return encodeFunctionData({ abi: deskAbi, functionName: 'execute', args: [target, 0n, data] })
}

function report(chain: ChainWriter, deployer: Address, prices: Prices): void {
  for (const { token, feed } of sandboxFeeds()) {
    const args = [(prices[token.symbol] ?? token.priceUsdE12) / 10_000n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'report', args })
    chain.send({ from: deployer, to: feed, data, gas: gasPerTrade })
  }
}

/** Between 0.4 and 6 gwei, an eighth up or down at most, as between real blocks. */
function nextBaseFee(fee: bigint, dice: Dice): bigint {
  const moved = (fee * BigInt(875 + dice(251))) / 1000n
  if (moved < 400_000_000n) return 400_000_000n
  return moved > 6_000_000_000n ? 6_000_000_000n : moved
}
