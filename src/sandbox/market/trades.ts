/** Call data for the trading desk: what it does in a pool. */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddresses as at, curvePoolAddresses } from '../addresses.js'
import type { SandboxToken } from '../tokens.js'
import { balancerPoolId, v4Pool } from './catalog.js'
import { curveAbi, deskAbi, v4Abi, vaultAbi } from './market-abi.js'
import type { BasketSpec, Market, PairSpec } from './market-pools.js'
import { balancerPoolSpecs, curvePoolSpecs } from './market-specs.js'

/** Moves a pool's price to this square root, Q64.96. */
export function pushTo({ addressOf }: Market, spec: PairSpec, root: bigint): Hex {
  if (spec.protocol === 'uniswap-v4') {
    const args = [at.v4PoolManager, v4Pool(spec).key, root] as const
    return encodeFunctionData({ abi: v4Abi, functionName: 'pushV4', args })
  }
  const functionName = spec.protocol === 'uniswap-v3' ? 'pushV3' : 'pushV2'
  return encodeFunctionData({ abi: deskAbi, functionName, args: [addressOf(spec), root] })
}

/** @param amount - raw units of the token that goes in. */
export function swapPair(
  { addressOf }: Market,
  spec: PairSpec,
  zeroForOne: boolean,
  amount: bigint,
): Hex {
  if (spec.protocol === 'uniswap-v4') {
    const args = [at.v4PoolManager, v4Pool(spec).key, zeroForOne, amount] as const
    return encodeFunctionData({ abi: v4Abi, functionName: 'swapV4', args })
  }
  const functionName = spec.protocol === 'uniswap-v3' ? 'swapV3' : 'swapV2'
  const args = [addressOf(spec), zeroForOne, amount] as const
  return encodeFunctionData({ abi: deskAbi, functionName, args })
}

/** @param amount - raw units of `from`. */
export function swapBasket(
  spec: BasketSpec,
  from: SandboxToken,
  to: SandboxToken,
  amount: bigint,
): Hex {
  if (spec.protocol === 'balancer-v2')
    return balancerSwap(balancerPoolSpecs.indexOf(spec), from, to, amount)
  const place = ({ symbol }: SandboxToken) => BigInt(spec.symbols.indexOf(symbol))
  const data = encodeFunctionData({
    abi: curveAbi,
    functionName: 'exchange',
    args: [place(from), place(to), amount, 0n],
  })
  const pool = curvePoolAddresses[curvePoolSpecs.indexOf(spec)]
  if (!pool) throw new RangeError(`${spec.lpName} has no address.`)
  return execute(pool, data)
}

function balancerSwap(index: number, from: SandboxToken, to: SandboxToken, amount: bigint): Hex {
  const single = {
    poolId: balancerPoolId(index),
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

/** Several of the above in one transaction. */
export function several(calls: readonly Hex[]): Hex {
  return encodeFunctionData({ abi: deskAbi, functionName: 'many', args: [calls] })
}
