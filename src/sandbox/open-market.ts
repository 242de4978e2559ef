/** Gives the accounts their tokens and opens every pool with its first liquidity. */
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import { sandboxAccounts } from './accounts.js'
import {
  contractAddresses as at,
  curvePoolAddresses,
  v2PairAddress,
  v3PoolAddress,
} from './addresses.js'
import { liquidityWorth, type Prices, rawWorth, sqrtPriceX96 } from './amounts.js'
import { balancerPoolId, balancerTokens, tickSpacings } from './catalog.js'
import type { ChainWriter } from './chain-writer.js'
import { wholeSupply } from './deploy-contracts.js'
import {
  curveAbi,
  deskAbi,
  factoryAbi,
  stableFactoryAbi,
  tokenAbi,
  vaultAbi,
  weightedFactoryAbi,
} from './market-abi.js'
import {
  balancerPlans,
  curvePlans,
  type V2Plan,
  type V3Plan,
  v2Plans,
  v3Plans,
} from './market-plan.js'
import { type SandboxToken, sandboxToken, sandboxTokens } from './tokens.js'

/** What each of the four users gets of each token, dollars. */
const userFundsUsd = 5_000_000
const zero = '0x0000000000000000000000000000000000000000'
const maximum = 2n ** 256n - 1n

/** Positions of a pool: ticks below and above the price, part of the depth. The last one lies off the middle. */
const volatileRanges = [
  { below: 0, above: 0, percent: 10 },
  { below: 6000, above: 6000, percent: 20 },
  { below: 1500, above: 1500, percent: 35 },
  { below: 400, above: 400, percent: 25 },
  { below: 300, above: 4000, percent: 10 },
] as const
const stableRanges = [
  { below: 0, above: 0, percent: 2 },
  { below: 200, above: 200, percent: 18 },
  { below: 12, above: 12, percent: 60 },
  { below: 3, above: 8, percent: 20 },
] as const

const dollars = ['USDC', 'USDT', 'DAI', 'FRAX', 'sUSD']
const staked = ['WETH', 'wstETH']

/** Both tokens of a pool in the pool's order. */
export function sortedTokens(symbols: readonly [string, string]): [SandboxToken, SandboxToken] {
  const [a, b] = [sandboxToken(symbols[0]), sandboxToken(symbols[1])]
  return a.address < b.address ? [a, b] : [b, a]
}

export function addressOf(plan: V2Plan | V3Plan): Address {
  const [token0, token1] = sortedTokens(plan.symbols)
  return plan.protocol === 'uniswap-v3'
    ? v3PoolAddress(token0.address, token1.address, plan.fee)
    : v2PairAddress(plan.protocol, token0.address, token1.address)
}

export const startPrices: Prices = Object.fromEntries(
  sandboxTokens.map((token) => [token.symbol, token.priceUsdE12]),
)

function pricesFor({ symbols, trapPriceBps = 10_000 }: V2Plan | V3Plan): Prices {
  const first = sandboxToken(symbols[0])
  return {
    ...startPrices,
    [first.symbol]: (first.priceUsdE12 * BigInt(trapPriceBps)) / 10_000n,
  }
}

export async function openMarket(chain: ChainWriter, deployer: Address): Promise<void> {
  const desk = at.tradingDesk
  const onDesk = (data: Hex) => chain.send({ from: deployer, to: desk, data })
  const execute = (target: Address, data: Hex) =>
    onDesk(encodeFunctionData({ abi: deskAbi, functionName: 'execute', args: [target, 0n, data] }))

  fund(chain, deployer)
  createPools(chain, deployer)
  await chain.mine()
  v2Plans.forEach((plan) => {
    const [token0, token1] = sortedTokens(plan.symbols)
    const prices = pricesFor(plan)
    const args = [
      addressOf(plan),
      rawWorth(token0, plan.depthUsd / 2, prices),
      rawWorth(token1, plan.depthUsd / 2, prices),
    ] as const
    onDesk(encodeFunctionData({ abi: deskAbi, functionName: 'seedV2', args }))
  })
  v3Plans.forEach((plan) => {
    initializeV3(chain, deployer, plan)
    for (const data of v3Positions(plan)) onDesk(data)
  })
  await chain.mine()
  for (const { address } of sandboxTokens) {
    for (const spender of [at.balancerVault, ...curvePoolAddresses]) {
      const args = [spender, maximum] as const
      execute(address, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args }))
    }
  }
  balancerPlans.forEach((_plan, index) => {
    execute(at.balancerVault, balancerJoin(index))
  })
  curvePlans.forEach((plan, index) => {
    const amounts = plan.symbols.map((symbol) =>
      rawWorth(sandboxToken(symbol), plan.depthUsd / 4, startPrices),
    ) as [bigint, bigint, bigint, bigint]
    const args = [amounts, 0n] as const
    execute(
      curvePoolAddresses[index] ?? zero,
      encodeFunctionData({ abi: curveAbi, functionName: 'add_liquidity', args }),
    )
  })
  closeTraps(chain, deployer)
  await chain.mine()
}

/** Half of every supply goes to the desk, some to the users, the rest stays with the deployer. */
function fund(chain: ChainWriter, deployer: Address): void {
  const users = sandboxAccounts.slice(0, 4)
  for (const token of sandboxTokens) {
    const supply = wholeSupply(token)
    if (token.behaviour === 'wrapped-native') {
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' })
      chain.send({ from: deployer, to: token.address, data, value: supply })
    }
    const give = (to: Address, amount: bigint) => {
      const args = [to, amount] as const
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
      chain.send({ from: deployer, to: token.address, data })
    }
    give(at.tradingDesk, supply / 2n)
    if (token.behaviour === 'rebasing') give(sandboxToken('wstETH').address, supply / 4n)
    if (token.behaviour === 'honeypot') continue
    for (const { address } of users) give(address, rawWorth(token, userFundsUsd, startPrices))
  }
}

function createPools(chain: ChainWriter, deployer: Address): void {
  const send = (to: Address, data: Hex) => chain.send({ from: deployer, to, data })
  for (const plan of v2Plans) {
    const [token0, token1] = sortedTokens(plan.symbols)
    const args = [token0.address, token1.address] as const
    const factory = plan.protocol === 'uniswap-v2' ? at.v2Factory : at.sushiFactory
    send(factory, encodeFunctionData({ abi: factoryAbi, functionName: 'createPair', args }))
  }
  send(
    at.v3Factory,
    encodeFunctionData({ abi: factoryAbi, functionName: 'enableFeeAmount', args: [100, 1] }),
  )
  for (const plan of v3Plans) {
    const [token0, token1] = sortedTokens(plan.symbols)
    const args = [token0.address, token1.address, plan.fee] as const
    send(at.v3Factory, encodeFunctionData({ abi: factoryAbi, functionName: 'createPool', args }))
  }
  for (const plan of balancerPlans) {
    const tokens = balancerTokens(plan)
    const name = `Balancer ${tokens.map(({ token }) => token.symbol).join(' ')}`
    const symbol = `B-${tokens.map(({ token }) => token.symbol).join('-')}`
    const addresses = tokens.map(({ token }) => token.address)
    const swapFee = BigInt(plan.fee) * 10n ** 12n
    if (plan.weights) {
      const weights = tokens.map(({ weight }) => BigInt(weight ?? 0) * 10n ** 16n)
      const args = [name, symbol, addresses, weights, swapFee, deployer] as const
      const data = encodeFunctionData({ abi: weightedFactoryAbi, functionName: 'create', args })
      send(at.balancerWeightedFactory, data)
    } else {
      const amplification = BigInt(plan.amplification ?? 0)
      const args = [name, symbol, addresses, amplification, swapFee, deployer] as const
      const data = encodeFunctionData({ abi: stableFactoryAbi, functionName: 'create', args })
      send(at.balancerStableFactory, data)
    }
  }
}

function initializeV3(chain: ChainWriter, deployer: Address, plan: V3Plan): void {
  const [token0, token1] = sortedTokens(plan.symbols)
  const to = addressOf(plan)
  const args = [sqrtPriceX96(token0, token1, pricesFor(plan))] as const
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'initialize', args })
  chain.send({ from: deployer, to, data })
  if (plan.depthUsd < 20_000_000) return
  // Deep pools keep a price history, whose writes make a swap dearer, as on mainnet.
  const grow = encodeFunctionData({
    abi: factoryAbi,
    functionName: 'increaseObservationCardinalityNext',
    args: [60],
  })
  chain.send({ from: deployer, to, data: grow })
}

function v3Positions(plan: V3Plan): Hex[] {
  const [, token1] = sortedTokens(plan.symbols)
  const [token0] = sortedTokens(plan.symbols)
  const prices = pricesFor(plan)
  const sqrtPrice = sqrtPriceX96(token0, token1, prices)
  const isCalm = [dollars, staked].some((group) => plan.symbols.every((s) => group.includes(s)))
  const spacing = tickSpacings[plan.fee] ?? 1
  return (isCalm ? stableRanges : volatileRanges).map(({ below, above, percent }) => {
    // No narrower than the spacing of the ticks allows.
    const widths = {
      below: below === 0 ? 0 : Math.max(below, spacing),
      above: above === 0 ? 0 : Math.max(above, spacing),
    }
    const liquidity = liquidityWorth({
      token1,
      sqrtPrice,
      dollars: Math.ceil((plan.depthUsd * percent) / 100),
      ...widths,
      prices,
    })
    const args = [addressOf(plan), widths.below, widths.above, liquidity] as const
    return encodeFunctionData({ abi: deskAbi, functionName: 'mintV3', args })
  })
}

function balancerJoin(index: number): Hex {
  const plan = balancerPlans[index]
  if (!plan) throw new RangeError(`There is no Balancer pool ${index}.`)
  const tokens = balancerTokens(plan)
  const amounts = tokens.map(({ token, weight }) =>
    rawWorth(
      token,
      Math.floor((plan.depthUsd * (weight ?? 100 / tokens.length)) / 100),
      startPrices,
    ),
  )
  // 0 = the first join of a pool.
  const userData = encodeAbiParameters(parseAbiParameters('uint256 kind, uint256[] amounts'), [
    0n,
    amounts,
  ])
  const request = {
    assets: tokens.map(({ token }) => token.address),
    maxAmountsIn: amounts,
    userData,
    fromInternalBalance: false,
  }
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'joinPool',
    args: [balancerPoolId(index), at.tradingDesk, at.tradingDesk, request],
  })
}

function closeTraps(chain: ChainWriter, deployer: Address): void {
  for (const plan of v2Plans.filter(({ symbols }) => symbols.includes('HNY'))) {
    const data = encodeFunctionData({
      abi: tokenAbi,
      functionName: 'trap',
      args: [addressOf(plan)],
    })
    chain.send({ from: deployer, to: sandboxToken('HNY').address, data })
  }
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'freeze' })
  chain.send({ from: deployer, to: sandboxToken('FRZN').address, data })
}
