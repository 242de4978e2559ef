/**
 * Morpho Blue: the contract and its adaptive rates at their mainnet addresses, and three markets with their mainnet ids,
 * as their oracles (ours, over the sandbox's feeds) lie where the real ones do. The deployer lends and borrows.
 */
import { encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { ethereum } from '../../chains/ethereum.js'
import { defined } from '../../domain/defined.js'
import { type Address, maxUint256, toAddress, zeroAddress } from '../../domain/primitives.js'
import { type Placement, placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { sandboxToken } from '../tokens.js'
import { feedOf, reportPrices } from './price-reports.js'
import type { SandboxVenue, VenueTools } from './venue.js'

const morpho = toAddress(String(ethereum.venues['morpho-blue']?.morpho))
const rates: Address = '0x870ac11d48b15db9a138cf899d20f13f79ba00bc'

interface MarketSpec {
  readonly collateral: string
  readonly loan: string
  readonly oracle: Address
  /** 10^-18. */
  readonly lltv: bigint
  /** Whole tokens. */
  readonly supplied: bigint
  readonly backing: bigint
  readonly borrowed: bigint
}

const markets: readonly MarketSpec[] = [
  {
    collateral: 'wstETH',
    loan: 'USDC',
    oracle: '0x48f7e36eb6b826b2df4b2e630b62cd25e89e40e2',
    lltv: 860n * 10n ** 15n,
    supplied: 50_000_000n,
    backing: 20_000n,
    borrowed: 43_000_000n,
  },
  {
    collateral: 'WBTC',
    loan: 'USDC',
    oracle: '0xdddd770badd886df3864029e4b377b5f6a2b6b83',
    lltv: 860n * 10n ** 15n,
    supplied: 40_000_000n,
    backing: 800n,
    borrowed: 37_000_000n,
  },
  {
    collateral: 'wstETH',
    loan: 'WETH',
    oracle: '0x2a01eb9496094da03c4e364def50f5ad1280ad72',
    lltv: 945n * 10n ** 15n,
    supplied: 9_000n,
    backing: 9_000n,
    borrowed: 8_000n,
  },
]

const activityGas = 500_000n
const blocksBetweenActivities = 15

const parameters =
  '(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv) market'
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function enableIrm(address irm)',
  'function enableLltv(uint256 lltv)',
  `function createMarket(${parameters})`,
  `function supply(${parameters}, uint256 assets, uint256 shares, address onBehalf, bytes data)`,
  `function supplyCollateral(${parameters}, uint256 assets, address onBehalf, bytes data)`,
  `function borrow(${parameters}, uint256 assets, uint256 shares, address onBehalf, address receiver)`,
  `function repay(${parameters}, uint256 assets, uint256 shares, address onBehalf, bytes data)`,
])

function raw(symbol: string, whole: bigint): bigint {
  return whole * 10n ** BigInt(sandboxToken(symbol).decimals)
}

function parametersOf({ collateral, loan, oracle, lltv }: MarketSpec) {
  return {
    loanToken: sandboxToken(loan).address,
    collateralToken: sandboxToken(collateral).address,
    oracle,
    irm: rates,
    lltv,
  }
}

function oraclePlacement({ collateral, loan, oracle }: MarketSpec): Placement {
  const [from, to] = [sandboxToken(collateral), sandboxToken(loan)]
  const isStaked = collateral === 'wstETH'
  // Staked ether for ether is its rate alone.
  const isRateOnly = isStaked && loan === 'WETH'
  const collateralFeed = isRateOnly ? null : feedOf(isStaked ? 'WETH' : collateral)
  return {
    address: oracle,
    creationCode: sandboxBytecode.MorphoOracle,
    types: parseAbiParameters(
      'address collateralFeed, address loanFeed, address rate, uint256 decimals',
    ),
    args: [
      collateralFeed ?? zeroAddress,
      (isRateOnly ? null : feedOf(loan)) ?? zeroAddress,
      isStaked ? from.address : zeroAddress,
      BigInt(36 + to.decimals - from.decimals),
    ],
  }
}

function sender({ chain, deployer }: VenueTools, gas?: bigint) {
  return (to: Address, functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args } as never)
    chain.send({ from: deployer, to, data, ...defined({ gas: gas || undefined }) })
  }
}

export const morphoBlue: SandboxVenue = {
  async open(tools) {
    const { chain, deployer, code } = tools
    const send = sender(tools)
    reportPrices(tools)
    const owner = { types: parseAbiParameters('address owner') }
    await placeContracts(chain, deployer, [
      { address: morpho, creationCode: code('morphoBlue'), ...owner, args: [deployer] },
      { address: rates, creationCode: code('morphoRates'), ...owner, args: [morpho] },
      ...markets.map(oraclePlacement),
    ])
    send(morpho, 'enableIrm', [rates])
    for (const lltv of new Set(markets.map((market) => market.lltv))) {
      send(morpho, 'enableLltv', [lltv])
    }
    const symbols = markets.flatMap(({ loan, collateral }) => [loan, collateral])
    for (const symbol of new Set(symbols)) {
      send(sandboxToken(symbol).address, 'approve', [morpho, maxUint256])
    }
    for (const market of markets) {
      const { loan, collateral, supplied, backing, borrowed } = market
      const params = parametersOf(market)
      send(morpho, 'createMarket', [params])
      send(morpho, 'supply', [params, raw(loan, supplied), 0n, deployer, '0x'])
      send(morpho, 'supplyCollateral', [params, raw(collateral, backing), deployer, '0x'])
      send(morpho, 'borrow', [params, raw(loan, borrowed), 0n, deployer, deployer])
    }
    await chain.mine()
  },

  /** In turns: more is lent, more is borrowed, and a part of it is repaid. */
  beforeBlock(tools, block) {
    if (block % blocksBetweenActivities !== 7) return
    const send = sender(tools, activityGas)
    const turn = (block - 7) / blocksBetweenActivities
    const market = markets[turn % markets.length]
    if (!market) return
    const { deployer } = tools
    const amount = raw(market.loan, market.supplied) / (1_000n + BigInt(turn))
    const common = [parametersOf(market), amount, 0n, deployer]
    if (turn % 4 === 3) send(morpho, 'repay', [...common, '0x'])
    else if (turn % 4 === 1) send(morpho, 'borrow', [...common, deployer])
    else send(morpho, 'supply', [...common, '0x'])
  },
}
