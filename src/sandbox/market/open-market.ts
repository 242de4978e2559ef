/** Gives the accounts their tokens and opens every pool with its first liquidity. */
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters } from 'viem'
import { type Address, bpsDenominator, type Hex, maxUint256 } from '../../domain/primitives.js'
import { sandboxAccounts } from '../accounts.js'
import { contractAddresses as at, curvePoolAddresses } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { type Prices, rawWorth, sqrtPriceX96 } from './amounts.js'
import { balancerPoolId, balancerTokens, v4Pool } from './catalog.js'
import { createPools } from './create-pools.js'
import { wholeSupply } from './deploy-contracts.js'
import { curveAbi, deskAbi, factoryAbi, tokenAbi, v4Abi, vaultAbi } from './market-abi.js'
import type { Market } from './market-pools.js'
import {
  balancerPoolSpecs,
  curvePoolSpecs,
  type V2PoolSpec,
  type V3PoolSpec,
  type V4PoolSpec,
} from './market-specs.js'
import { openingPositions } from './positions.js'

/** What each of the four users gets of each token, dollars. */
const userFundsUsd = 5_000_000
/** Native ether of the desk, wei. */
const deskEther = 2_000_000n * 10n ** 18n
const zero = '0x0000000000000000000000000000000000000000'

function pricesFor(
  { token, startPrices }: Market,
  { symbols, trapPriceBps = Number(bpsDenominator) }: V2PoolSpec | V3PoolSpec,
): Prices {
  const first = token(symbols[0])
  return {
    ...startPrices,
    [first.symbol]: (first.priceUsdE12 * BigInt(trapPriceBps)) / bpsDenominator,
  }
}

export async function openMarket(
  chain: ChainWriter,
  deployer: Address,
  market: Market,
): Promise<void> {
  const { sortedTokens, addressOf } = market
  const desk = at.tradingDesk
  const onDesk = (data: Hex) => chain.send({ from: deployer, to: desk, data })
  const execute = (target: Address, data: Hex) =>
    onDesk(encodeFunctionData({ abi: deskAbi, functionName: 'execute', args: [target, 0n, data] }))

  fund(chain, deployer, market)
  createPools(chain, deployer, market)
  await chain.mine()
  market.v2Pools.forEach((spec) => {
    const [token0, token1] = sortedTokens(spec.symbols)
    const prices = pricesFor(market, spec)
    const args = [
      addressOf(spec),
      rawWorth(token0, spec.depthUsd / 2, prices),
      rawWorth(token1, spec.depthUsd / 2, prices),
    ] as const
    onDesk(encodeFunctionData({ abi: deskAbi, functionName: 'seedV2', args }))
  })
  market.v3Pools.forEach((spec) => {
    initializeV3(chain, deployer, market, spec)
    const prices = pricesFor(market, spec)
    const options = { ...spec, tokens: sortedTokens(spec.symbols), prices }
    for (const { below, above, liquidity } of openingPositions(options)) {
      const args = [addressOf(spec), below, above, liquidity] as const
      onDesk(encodeFunctionData({ abi: deskAbi, functionName: 'mintV3', args }))
    }
  })
  chain.send({ from: deployer, to: desk, data: '0x', value: deskEther })
  for (const spec of market.v4Pools) openV4(chain, deployer, market, spec)
  await chain.mine()
  if (market.baskets.length > 0) openBaskets(market, execute)
  disableTraps(chain, deployer, market)
  await chain.mine()
}

function openBaskets(market: Market, execute: (target: Address, data: Hex) => void): void {
  const { tokens, token, startPrices } = market
  for (const { address } of tokens) {
    for (const spender of [at.balancerVault, ...curvePoolAddresses]) {
      const args = [spender, maxUint256] as const
      execute(address, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args }))
    }
  }
  balancerPoolSpecs.forEach((_plan, index) => {
    execute(at.balancerVault, balancerJoin(market, index))
  })
  curvePoolSpecs.forEach((spec, index) => {
    const amounts = spec.symbols.map((symbol) =>
      rawWorth(token(symbol), spec.depthUsd / 4, startPrices),
    ) as [bigint, bigint, bigint, bigint]
    const args = [amounts, 0n] as const
    execute(
      curvePoolAddresses[index] ?? zero,
      encodeFunctionData({ abi: curveAbi, functionName: 'add_liquidity', args }),
    )
  })
}

/** Half of every supply goes to the desk, some to the users, the rest stays with the deployer. */
function fund(chain: ChainWriter, deployer: Address, market: Market): void {
  const users = sandboxAccounts.slice(0, 4)
  for (const token of market.tokens) {
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
    if (token.behaviour === 'rebasing') give(market.token('wstETH').address, supply / 4n)
    if (token.behaviour === 'honeypot') continue
    for (const { address } of users)
      give(address, rawWorth(token, userFundsUsd, market.startPrices))
  }
}

function initializeV3(
  chain: ChainWriter,
  deployer: Address,
  market: Market,
  spec: V3PoolSpec,
): void {
  const [token0, token1] = market.sortedTokens(spec.symbols)
  const to = market.addressOf(spec)
  const args = [sqrtPriceX96(token0, token1, pricesFor(market, spec))] as const
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'initialize', args })
  chain.send({ from: deployer, to, data })
  if (spec.depthUsd < 20_000_000) return
  // Deep pools keep a price history, whose writes make a swap dearer, as on mainnet.
  const grow = encodeFunctionData({
    abi: factoryAbi,
    functionName: 'increaseObservationCardinalityNext',
    args: [60],
  })
  chain.send({ from: deployer, to, data: grow })
}

/** Initialises a V4 pool and gives its first liquidity. */
function openV4(
  chain: ChainWriter,
  deployer: Address,
  { startPrices }: Market,
  spec: V4PoolSpec,
): void {
  const { key, tokens } = v4Pool(spec)
  const [token0, token1] = tokens
  const manager = at.v4PoolManager
  const price = sqrtPriceX96(token0, token1, startPrices)
  const initialize = encodeFunctionData({
    abi: v4Abi,
    functionName: 'initialize',
    args: [key, price],
  })
  chain.send({ from: deployer, to: manager, data: initialize })
  for (const position of openingPositions({ ...spec, tokens, prices: startPrices })) {
    const { below, above, liquidity } = position
    const args = [manager, key, below, above, liquidity] as const
    const data = encodeFunctionData({ abi: v4Abi, functionName: 'mintV4', args })
    chain.send({ from: deployer, to: at.tradingDesk, data })
  }
}

function balancerJoin({ startPrices }: Market, index: number): Hex {
  const spec = balancerPoolSpecs[index]
  if (!spec) throw new RangeError(`There is no Balancer pool ${index}.`)
  const tokens = balancerTokens(spec)
  const amounts = tokens.map(({ token, weight }) =>
    rawWorth(
      token,
      Math.floor((spec.depthUsd * (weight ?? 100 / tokens.length)) / 100),
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

function disableTraps(chain: ChainWriter, deployer: Address, market: Market): void {
  const { v2Pools, addressOf, tokens } = market
  const honeypot = tokens.find(({ behaviour }) => behaviour === 'honeypot')
  const frozen = tokens.find(({ behaviour }) => behaviour === 'frozen')
  for (const spec of v2Pools.filter(({ symbols }) => symbols.includes(honeypot?.symbol ?? ''))) {
    const data = encodeFunctionData({
      abi: tokenAbi,
      functionName: 'trap',
      args: [addressOf(spec)],
    })
    if (honeypot) chain.send({ from: deployer, to: honeypot.address, data })
  }
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'freeze' })
  if (frozen) chain.send({ from: deployer, to: frozen.address, data })
}
