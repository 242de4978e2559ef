/**
 * Aave V3 with the contracts of its own packages: nine reserves with liquidity, debts and rewards.
 * The deployer lends and owes most of it; alice, bob and carol lend a little. LINK is all but full, AAVE is paused,
 * UNI frozen, FRAX borrowed out; lenders of USDC are paid AAVE on top.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, maxUint256 } from '../../domain/primitives.js'
import { sandboxAccount } from '../accounts.js'
import { rawWorth } from '../market/amounts.js'
import { tokenAbi } from '../market/market-abi.js'
import { ethereumMarket } from '../market/market-pools.js'
import { ethereumPrices } from '../market/price-walk.js'
import { sandboxToken } from '../tokens.js'
import { aaveV3Addresses as at, priceSourceAddress } from './aave-v3-addresses.js'
import { placeAave } from './aave-v3-contracts.js'
import { closeReserves, freezeReserves, openReserves } from './aave-v3-reserves.js'
import { aaveReserveSpecs } from './aave-v3-specs.js'
import type { SandboxVenue, VenueTools } from './venue.js'

const abi = parseAbi([
  'struct Emission { uint88 perSecond; uint256 totalSupply; uint32 end; address asset; address reward; address strategy; address priceSource; }',
  'function setRewardsController(address controller)',
  'function setEmissionAdmin(address reward, address admin)',
  'function configureAssets(Emission[] config)',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to)',
  'function borrow(address asset, uint256 amount, uint256 rateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 rateMode, address onBehalfOf)',
])

/** Whole dollars that users lend: aTokens to spend, and collateral to borrow against. */
const userSupplies = [
  { user: 'alice', symbol: 'USDC', dollars: 250_000 },
  { user: 'bob', symbol: 'WETH', dollars: 300_000 },
  { user: 'carol', symbol: 'FRAX', dollars: 50_000 },
  { user: 'carol', symbol: 'UNI', dollars: 20_000 },
] as const

const rewardedSymbol = 'USDC'
/** aEthUSDC, as on mainnet. */
const rewardedToken: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
/** Raw units of AAVE each second: 864 a day. */
const emissionPerSecond = 10n ** 16n
/** Unix seconds: years behind the history. */
const emissionEnd = 1_900_000_000
const variableRate = 2n
/** Limit: what a loan against all of the collateral takes, and some more. */
const gas = 1_500_000n

export const aaveV3: SandboxVenue = {
  async open(tools) {
    await placeAave(tools, priceSources())
    await openReserves(tools)
    lend(tools)
    await tools.chain.mine()
    startRewards(tools)
    closeReserves(tools)
    await tools.chain.mine()
  },
  beforeBlock(tools, block) {
    // After the feeds of the chain, which have no answer before the first of these blocks.
    if (block % 25 === 0) reportPrices(tools, block)
    const spec = aaveReserveSpecs[block - 1]
    if (spec) owe(tools, spec.symbol, spec.borrowedUsd)
    if (block === aaveReserveSpecs.length + 1) freezeReserves(tools)
    if (block % 20 === 19) act(tools, Math.floor(block / 20))
  },
}

/** Feeds of the chain where the sandbox has them, as on mainnet; its own for the other reserves. */
function priceSources(): Address[] {
  const feeds = new Map(ethereumMarket.feeds.map(({ token, feed }) => [token.symbol, feed]))
  return aaveReserveSpecs.map(({ symbol }, place) => feeds.get(symbol) ?? priceSourceAddress(place))
}

function lend(tools: VenueTools): void {
  const { chain, deployer } = tools
  for (const { symbol, suppliedUsd } of aaveReserveSpecs) {
    const args = [at.pool, maxUint256] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
    chain.send({ from: deployer, to: sandboxToken(symbol).address, data })
    supply(tools, symbol, suppliedUsd, deployer)
  }
  for (const { user, symbol, dollars } of userSupplies) {
    supply(tools, symbol, dollars, sandboxAccount(user).address)
  }
}

function startRewards(tools: VenueTools): void {
  const { chain, deployer } = tools
  reportPrices(tools, null)
  const reward = sandboxToken('AAVE').address
  const manager = at.emissionManager
  const emission = {
    perSecond: emissionPerSecond,
    totalSupply: 0n,
    end: emissionEnd,
    asset: rewardedToken,
    reward,
    strategy: at.transferStrategy,
    priceSource: priceSources()[aaveReserveSpecs.findIndex(({ symbol }) => symbol === 'AAVE')],
  }
  const approve = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'approve',
    args: [at.transferStrategy, maxUint256],
  })
  chain.send({ from: deployer, to: reward, data: approve })
  send(tools, 'setRewardsController', [at.rewardsController], manager)
  send(tools, 'setEmissionAdmin', [reward, deployer], manager)
  send(tools, 'configureAssets', [[emission]], manager)
}

/** @param block - of the history; null: the prices at which it starts. */
function reportPrices({ chain, deployer }: VenueTools, block: number | null): void {
  const prices = block === null ? ethereumMarket.startPrices : ethereumPrices()[block]
  const sources = new Set<Address>(priceSources())
  for (const [place, { symbol }] of aaveReserveSpecs.entries()) {
    const to = priceSourceAddress(place)
    if (!sources.has(to)) continue
    const priceUsdE12 = prices?.[symbol] ?? sandboxToken(symbol).priceUsdE12
    const args = [priceUsdE12 / 10_000n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'report', args })
    chain.send({ from: deployer, to, data, gas: 200_000n })
  }
}

/** One thing after the other, a little each, so that utilisation and rates move. */
function act(tools: VenueTools, turn: number): void {
  const { deployer } = tools
  const symbol = ['USDC', 'WETH', 'DAI', 'wstETH', 'WBTC'][turn % 5] ?? rewardedSymbol
  const dollars = 400_000 + 25_000 * turn
  const { address, amount } = worth(symbol, dollars)
  switch (turn % 4) {
    case 0:
      supply(tools, symbol, dollars, deployer)
      break
    case 1:
      owe(tools, symbol, dollars)
      break
    case 2:
      send(tools, 'repay', [address, amount, variableRate, deployer])
      break
    default:
      send(tools, 'withdraw', [address, amount, deployer])
  }
}

function supply(tools: VenueTools, symbol: string, dollars: number, owner: Address): void {
  const { address, amount } = worth(symbol, dollars)
  send(tools, 'supply', [address, amount, owner, 0])
}

/** Everything that is there where nothing is to be left. */
function owe(tools: VenueTools, symbol: string, dollars: number): void {
  if (dollars === 0) return
  const { address, amount } = worth(symbol, dollars)
  const spec = aaveReserveSpecs.find((each) => each.symbol === symbol)
  const others = userSupplies.filter((each) => each.symbol === symbol)
  const rest =
    spec?.borrowedUsd === spec?.suppliedUsd
      ? others.reduce((sum, each) => sum + worth(symbol, each.dollars).amount, 0n)
      : 0n
  send(tools, 'borrow', [address, amount + rest, variableRate, 0, tools.deployer])
}

function worth(symbol: string, dollars: number): { address: Address; amount: bigint } {
  const token = sandboxToken(symbol)
  return { address: token.address, amount: rawWorth(token, dollars, ethereumMarket.startPrices) }
}

function send(
  { chain, deployer }: VenueTools,
  functionName: string,
  args: readonly unknown[],
  to: Address = at.pool,
): void {
  const data = encodeFunctionData({ abi, functionName, args } as never)
  chain.send({ from: deployer, to, data, gas })
}
