/** Has the factories make the pools of the plan; liquidity comes later. */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddresses as at } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { balancerTokens } from './catalog.js'
import { factoryAbi, stableFactoryAbi, weightedFactoryAbi } from './market-abi.js'
import type { Market } from './market-pools.js'

/** Queues the transactions; the caller mines. */
export function createPools(chain: ChainWriter, deployer: Address, market: Market): void {
  const { factories, sortedTokens } = market
  const send = (to: Address, data: Hex) => chain.send({ from: deployer, to, data })
  for (const spec of market.v2Pools) {
    const [token0, token1] = sortedTokens(spec.symbols)
    const args = [token0.address, token1.address] as const
    send(
      factories[spec.protocol],
      encodeFunctionData({ abi: factoryAbi, functionName: 'createPair', args }),
    )
  }
  send(
    factories['uniswap-v3'],
    encodeFunctionData({ abi: factoryAbi, functionName: 'enableFeeAmount', args: [100, 1] }),
  )
  for (const spec of market.v3Pools) {
    const [token0, token1] = sortedTokens(spec.symbols)
    const args = [token0.address, token1.address, spec.fee] as const
    send(
      factories['uniswap-v3'],
      encodeFunctionData({ abi: factoryAbi, functionName: 'createPool', args }),
    )
  }
  for (const spec of market.baskets) {
    if (spec.protocol !== 'balancer-v2') continue
    const tokens = balancerTokens(spec)
    const name = `Balancer ${tokens.map(({ token }) => token.symbol).join(' ')}`
    const symbol = `B-${tokens.map(({ token }) => token.symbol).join('-')}`
    const addresses = tokens.map(({ token }) => token.address)
    const swapFee = BigInt(spec.fee) * 10n ** 12n
    if (spec.weights) {
      const weights = tokens.map(({ weight }) => BigInt(weight ?? 0) * 10n ** 16n)
      const args = [name, symbol, addresses, weights, swapFee, deployer] as const
      const data = encodeFunctionData({ abi: weightedFactoryAbi, functionName: 'create', args })
      send(at.balancerWeightedFactory, data)
    } else {
      const amplification = BigInt(spec.amplification ?? 0)
      const args = [name, symbol, addresses, amplification, swapFee, deployer] as const
      const data = encodeFunctionData({ abi: stableFactoryAbi, functionName: 'create', args })
      send(at.balancerStableFactory, data)
    }
  }
}
