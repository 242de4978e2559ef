/** Has the factories make the pools of the plan; liquidity comes later. */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddresses as at } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { balancerTokens } from './catalog.js'
import { factoryAbi, stableFactoryAbi, weightedFactoryAbi } from './market-abi.js'
import { balancerPlans, v2Plans, v3Plans } from './market-plan.js'
import { sortedTokens } from './market-pools.js'

/** Queues the transactions; the caller mines. */
export function createPools(chain: ChainWriter, deployer: Address): void {
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
