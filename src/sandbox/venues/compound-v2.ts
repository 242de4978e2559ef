/**
 * Compound V2: the Comptroller behind its Unitroller and four markets at their mainnet addresses, with the white paper's
 * interest rates and an oracle of our own over the sandbox's feeds. The deployer supplies to every market and borrows.
 */
import { type AbiParameter, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { ethereum } from '../../chains/ethereum.js'
import { defined } from '../../domain/defined.js'
import {
  type Address,
  type Hex,
  maxUint256,
  toAddress,
  zeroAddress,
} from '../../domain/primitives.js'
import { placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { sandboxToken } from '../tokens.js'
import { feedOf, reportPrices } from './price-reports.js'
import type { SandboxVenue, VenueTools } from './venue.js'

const comptroller = toAddress(String(ethereum.venues['compound-v2']?.comptroller))
const at = {
  implementation: '0xf702e700000000000000000000000000000c0201',
  rates: '0xf702e700000000000000000000000000000c0202',
  oracle: '0xf702e700000000000000000000000000000c0203',
} as const satisfies Record<string, Address>

interface MarketSpec {
  /** Symbol of the underlying; `ETH` is native ether. */
  readonly symbol: string
  readonly address: Address
  /** Raw units of the underlying per unit of the market's token, times 10^18, before anything is supplied. */
  readonly initialRate: bigint
  /** 10^-18. */
  readonly collateralFactor: bigint
  readonly reserveFactor: bigint
  /** Whole tokens. */
  readonly supplied: bigint
  readonly borrowed: bigint
}

const percent = 10n ** 16n

const markets: readonly MarketSpec[] = [
  {
    symbol: 'ETH',
    address: '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5',
    initialRate: 2n * 10n ** 26n,
    collateralFactor: 82n * percent,
    reserveFactor: 20n * percent,
    supplied: 40_000n,
    borrowed: 6_000n,
  },
  {
    symbol: 'USDC',
    address: '0x39aa39c021dfbae8fac545936693ac917d5e7563',
    initialRate: 2n * 10n ** 14n,
    collateralFactor: 85n * percent,
    reserveFactor: 15n * percent,
    supplied: 60_000_000n,
    borrowed: 42_000_000n,
  },
  {
    symbol: 'DAI',
    address: '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643',
    initialRate: 2n * 10n ** 26n,
    collateralFactor: 83n * percent,
    reserveFactor: 15n * percent,
    supplied: 35_000_000n,
    borrowed: 20_000_000n,
  },
  {
    symbol: 'USDT',
    address: '0xf650c3d88d12db855b8bf7d11be6c55a4e07dcc9',
    initialRate: 2n * 10n ** 14n,
    collateralFactor: 0n,
    reserveFactor: (75n * percent) / 10n,
    supplied: 25_000_000n,
    borrowed: 16_000_000n,
  },
]

/** Yearly, 10^-18: rate without any borrowing, and what full use adds. */
const [baseRate, multiplier] = [2n * percent, 18n * percent]
const closeFactor = 50n * percent
const liquidationIncentive = 108n * percent
const activityGas = 700_000n
const blocksBetweenActivities = 12

const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function mint(uint256 amount)',
  'function borrow(uint256 amount)',
  'function repayBorrow(uint256 amount)',
  'function enterMarkets(address[] markets)',
  'function _setPendingImplementation(address implementation)',
  'function _become(address unitroller, uint256 compRate, address[] markets, address[] others)',
  'function _setPriceOracle(address oracle)',
  'function _setMaxAssets(uint256 count)',
  'function _setCloseFactor(uint256 factor)',
  'function _setLiquidationIncentive(uint256 incentive)',
  'function _supportMarket(address market)',
  'function _setCollateralFactor(address market, uint256 factor)',
  'function _setReserveFactor(uint256 factor)',
])
const [mintEther] = parseAbi(['function mint() payable'])

const isEther = ({ symbol }: MarketSpec) => symbol === 'ETH'
const underlying = ({ symbol }: MarketSpec) => sandboxToken(symbol === 'ETH' ? 'WETH' : symbol)
const raw = (market: MarketSpec, whole: bigint) =>
  whole * 10n ** BigInt(underlying(market).decimals)

function sender({ chain, deployer }: VenueTools, gas?: bigint) {
  return (to: Address, functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args } as never)
    chain.send({ from: deployer, to, data, ...defined({ gas: gas || undefined }) })
  }
}

function marketPlacement(market: MarketSpec, { code }: VenueTools) {
  const { symbol, address, initialRate } = market
  const common = [comptroller, at.rates, initialRate, `Compound ${symbol}`, `c${symbol}`, 8n]
  const types =
    'address comptroller, address rates, uint256 initialRate, string name, string symbol, uint256 decimals'
  return isEther(market)
    ? {
        address,
        creationCode: code('compoundEther'),
        types: parseAbiParameters(types) as readonly AbiParameter[],
        args: common,
      }
    : {
        address,
        creationCode: code('compoundToken'),
        types: parseAbiParameters(`address underlying, ${types}`) as readonly AbiParameter[],
        args: [underlying(market).address, ...common],
      }
}

async function placeComptroller({ chain, deployer, code }: VenueTools): Promise<void> {
  await placeContracts(chain, deployer, [
    { address: comptroller, creationCode: code('compoundUnitroller') },
    { address: at.implementation, creationCode: code('compoundComptroller') },
    {
      address: at.rates,
      creationCode: code('compoundRates'),
      types: parseAbiParameters('uint256 base, uint256 multiplier'),
      args: [baseRate, multiplier],
    },
    {
      address: at.oracle,
      creationCode: sandboxBytecode.CompoundOracle as Hex,
      types: parseAbiParameters('address[] markets, address[] feeds, uint256[] decimals'),
      args: [
        markets.map(({ address }) => address),
        markets.map((market) => feedOf(underlying(market).symbol) ?? zeroAddress),
        markets.map((market) => BigInt(underlying(market).decimals)),
      ],
    },
  ])
}

export const compoundV2: SandboxVenue = {
  async open(tools) {
    const { chain, deployer } = tools
    const send = sender(tools)
    reportPrices(tools)
    await placeComptroller(tools)
    send(comptroller, '_setPendingImplementation', [at.implementation])
    send(at.implementation, '_become', [comptroller, 0n, [], []])
    send(comptroller, '_setPriceOracle', [at.oracle])
    send(comptroller, '_setMaxAssets', [20n])
    send(comptroller, '_setCloseFactor', [closeFactor])
    send(comptroller, '_setLiquidationIncentive', [liquidationIncentive])
    await chain.mine()
    const placements = markets.map((market) => marketPlacement(market, tools))
    await placeContracts(chain, deployer, placements)
    for (const market of markets) {
      send(comptroller, '_supportMarket', [market.address])
      send(comptroller, '_setCollateralFactor', [market.address, market.collateralFactor])
      send(market.address, '_setReserveFactor', [market.reserveFactor])
      const amount = raw(market, market.supplied)
      if (isEther(market)) {
        const data = encodeFunctionData({ abi: [mintEther] })
        chain.send({ from: deployer, to: market.address, data, value: amount })
      } else {
        send(underlying(market).address, 'approve', [market.address, maxUint256])
        send(market.address, 'mint', [amount])
      }
    }
    send(comptroller, 'enterMarkets', [markets.map(({ address }) => address)])
    await chain.mine()
    for (const market of markets) {
      send(market.address, 'borrow', [raw(market, market.borrowed)])
    }
    await chain.mine()
  },

  /** In turns: more is supplied, more is borrowed, and a part of it is repaid. */
  beforeBlock(tools, block) {
    if (block % blocksBetweenActivities !== 0) return
    const send = sender(tools, activityGas)
    const turn = block / blocksBetweenActivities
    const tokens = markets.filter((market) => !isEther(market))
    const market = tokens[turn % tokens.length]
    if (!market) return
    const amount = raw(market, 10_000n + BigInt(turn) * 137n)
    if (turn % 4 === 3) send(market.address, 'repayBorrow', [amount])
    else send(market.address, turn % 2 === 0 ? 'mint' : 'borrow', [amount])
  },
}
