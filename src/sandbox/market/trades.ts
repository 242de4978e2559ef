/** Call data for the trading desk: what it does in a pool. Baskets are also swapped in without it. */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddresses as at, curvePoolAddresses } from '../addresses.js'
import type { SandboxToken } from '../tokens.js'
import { balancerPoolId, v4Pool } from './catalog.js'
import { curveAbi, deskAbi, v4Abi, vaultAbi } from './market-abi.js'
import type { BasketSpec, Market, PairSpec } from './market-pools.js'
import { balancerPoolSpecs, type CurvePoolSpec, curvePoolSpecs } from './market-specs.js'

/** Moves a pool's price to this square root, Q64.96. */
export function pushTo({ addressOf }: Market, spec: PairSpec, root: bigint): Hex {
  if (spec.protocol === 'uniswap-v4') {
    const args = [at.v4PoolManager, v4Pool(spec).key, root] as const
    return encodeFunctionData({ abi: v4Abi, functionName: 'pushV4', args })
  }
  const functionName = spec.protocol === 'uniswap-v3' ? 'pushV3' : 'pushV2'
  return encodeFunctionData({ abi: deskAbi, functionName, args: [addressOf(spec), root] })
}

/** A swap in one pool; `amount` is in raw units of what goes in. */
export type Swap =
  | {
      readonly kind: 'pair'
      readonly spec: PairSpec
      readonly zeroForOne: boolean
      readonly amount: bigint
    }
  | {
      readonly kind: 'basket'
      readonly spec: BasketSpec
      readonly from: SandboxToken
      readonly to: SandboxToken
      readonly amount: bigint
    }

export function deskSwap(market: Market, swap: Swap): Hex {
  const { amount } = swap
  return swap.kind === 'pair'
    ? swapPair(market, swap.spec, swap.zeroForOne, amount)
    : swapBasket(swap.spec, swap.from, swap.to, amount)
}

function swapPair({ addressOf }: Market, spec: PairSpec, zeroForOne: boolean, amount: bigint): Hex {
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
  const { to: target, data } = basketCall(spec, { from, to, amount }, at.tradingDesk)
  return encodeFunctionData({ abi: deskAbi, functionName: 'execute', args: [target, 0n, data] })
}

/** The same by an account that has approved the contract which is called. */
export function basketCall(
  spec: BasketSpec,
  { from, to, amount }: { from: SandboxToken; to: SandboxToken; amount: bigint },
  account: Address,
): { readonly to: Address; readonly data: Hex } {
  if (spec.protocol === 'balancer-v2') {
    const single = {
      poolId: balancerPoolId(balancerPoolSpecs.indexOf(spec)),
      kind: 0,
      assetIn: from.address,
      assetOut: to.address,
      amount,
      userData: '0x',
    } as const
    const funds = {
      sender: account,
      fromInternalBalance: false,
      recipient: account,
      toInternalBalance: false,
    }
    const args = [single, funds, 0n, 2n ** 64n] as const
    const data = encodeFunctionData({ abi: vaultAbi, functionName: 'swap', args })
    return { to: at.balancerVault, data }
  }
  const place = ({ symbol }: SandboxToken) => BigInt(spec.symbols.indexOf(symbol))
  const args = [place(from), place(to), amount, 0n] as const
  const data = encodeFunctionData({ abi: curveAbi, functionName: 'exchange', args })
  return { to: curvePoolOf(spec), data }
}

export function curvePoolOf(spec: CurvePoolSpec): Address {
  const pool = curvePoolAddresses[curvePoolSpecs.indexOf(spec)]
  if (!pool) throw new RangeError(`${spec.lpName} has no address.`)
  return pool
}

/** Several of the above in one transaction. */
export function several(calls: readonly Hex[]): Hex {
  return encodeFunctionData({ abi: deskAbi, functionName: 'many', args: [calls] })
}
