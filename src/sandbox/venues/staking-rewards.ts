/** Uniswap's staking of 2020, at its mainnet addresses: LP tokens of two V2 pairs are staked and earn UNI by the second. */
import { type Abi, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { contractAddresses as at, v2PairAddress } from '../addresses.js'
import { placeContracts } from '../chain/placement.js'
import { rawWorth } from '../market/amounts.js'
import { deskAbi } from '../market/market-abi.js'
import { ethereumMarket } from '../market/market-pools.js'
import { sandboxToken } from '../tokens.js'
import type { SandboxVenue } from './venue.js'

interface GaugeSpec {
  readonly gauge: Address
  readonly symbols: readonly [string, string]
  /** LP tokens that the deployer stakes, raw units. */
  readonly staked: bigint
  /** Worth of the reward that is paid in 60 days, whole dollars. */
  readonly rewardUsd: number
}

export const gaugeSpecs: readonly GaugeSpec[] = [
  {
    gauge: '0x7fba4b8dc5e7616e59622806932dbea72537a56b',
    symbols: ['WETH', 'USDC'],
    staked: 10n ** 16n,
    rewardUsd: 900_000,
  },
  {
    gauge: '0xa1484c3aa22a66c62b77e0ae78e15258bd0cb711',
    symbols: ['DAI', 'WETH'],
    staked: 5_000n * 10n ** 18n,
    rewardUsd: 250_000,
  },
]

/** LP token that the gauge takes. */
export function stakedToken({ symbols }: GaugeSpec): Address {
  const [a, b] = symbols.map((symbol) => sandboxToken(symbol).address) as [Address, Address]
  return v2PairAddress('uniswap-v2', a, b)
}

const abi = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function stake(uint256 amount)',
  'function notifyRewardAmount(uint256 reward)',
])

export const stakingRewardsVenue: SandboxVenue = {
  async open({ chain, deployer, code }) {
    const encode = (functionName: string, args: readonly unknown[]) =>
      encodeFunctionData({ abi: abi as Abi, functionName, args })
    const send = (to: Address, functionName: string, args: readonly unknown[]) =>
      chain.send({ from: deployer, to, data: encode(functionName, args) })
    const reward = sandboxToken('UNI')
    await placeContracts(
      chain,
      deployer,
      gaugeSpecs.map((spec) => ({
        address: spec.gauge,
        creationCode: code('stakingRewards'),
        types: parseAbiParameters('address, address, address'),
        args: [deployer, reward.address, stakedToken(spec)],
      })),
    )
    for (const spec of gaugeSpecs) {
      const [token, { staked }] = [stakedToken(spec), spec]
      // The desk opened the pairs, and holds what they issued.
      const args = [token, 0n, encode('transfer', [deployer, staked])] as const
      const data = encodeFunctionData({ abi: deskAbi, functionName: 'execute', args })
      chain.send({ from: deployer, to: at.tradingDesk, data })
      send(token, 'approve', [spec.gauge, staked])
      send(spec.gauge, 'stake', [staked])
      const amount = rawWorth(reward, spec.rewardUsd, ethereumMarket.startPrices)
      send(reward.address, 'transfer', [spec.gauge, amount])
      send(spec.gauge, 'notifyRewardAmount', [amount])
    }
    await chain.mine()
  },
}
