/**
 * Curve: stable, meta and crypto pools by native math, all others by samples of their own quotes.
 * Everything specific to Curve is in this folder; routing uses it through the adapter type only.
 */

import { probe } from '../../chains/probe.js'
import { defined } from '../../domain/defined.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import { type Address, isNative, zeroAddress } from '../../domain/primitives.js'
import { isLiquidity, type Pool, sharedWithLiquidity, type Unreadable } from '../pool.js'
import {
  type Direction,
  type DiscoverArgs,
  defineProtocol,
  type EncodeSwapArgs,
  type LoadedPool,
  type Swaps,
} from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { exchangeAbi, exchangeUnderlyingAbi } from './abi.js'
import { curveCautions } from './cautions.js'
import { discoverCurve } from './discover.js'
import { liquidityActions } from './liquidity-actions.js'
import { depositSteps, withdrawOneSteps } from './liquidity-calls.js'
import { discoverLiquidity, findLiquidity, isEndorsed } from './liquidity-discover.js'
import { loadLiquidity } from './liquidity-load.js'
import { liquidityParameters } from './liquidity-pool.js'
import { holdingsOf, liquiditySwap } from './liquidity-state.js'
import { loadSwaps } from './load.js'
import { isMetaPair } from './meta-math.js'
import { metaRegistryId } from './meta-registry.js'
import { curveParameters } from './parameters.js'
import { curvePoolEvents, factoryNames } from './pool-events.js'
import { curvePositions } from './positions.js'
import { type CurveState, poolSwap } from './state.js'

export const curve = defineProtocol<CurveState>({
  slug: 'curve',
  name: 'Curve',
  project: 'curve',
  category: 'dex',
  url: 'https://curve.finance',
  description: 'StableSwap, meta and crypto pools of Curve, each its own contract.',
  swaps: {
    paysRecipient: false,
    sharedState: sharedWithLiquidity,
    discover,
    load,
    swap(pool, state, direction, amountIn) {
      const indexes = indexesOf(pool, direction)
      if (!indexes || amountIn <= 0n) {
        const exact = state.kind === 'liquidity' || (state.kind !== 'sampled' && state.exact)
        return { amountOut: 0n, exact, after: () => state }
      }
      const { i, j } = indexes
      return state.kind === 'liquidity'
        ? liquiditySwap(state, i, j, amountIn)
        : poolSwap(state, i, j, amountIn)
    },
    gasEstimate: gasOf,
    cautions: (_pool, state) => curveCautions(state),
    action(pool, tokenIn, tokenOut) {
      const share = isLiquidity(pool) ? pool.tokens.at(-1) : undefined
      if (tokenOut === share) return 'deposit'
      return tokenIn === share ? 'redeem' : 'swap'
    },
    encodeSwap: (args) =>
      args.state.kind === 'liquidity' ? encodeLiquidity(args) : encodeExchange(args),
  },
  trust: {
    // What a deposit gives can be moved for a moment by trading, and the coins have prices of their own.
    isNoPriceSource: isLiquidity,
    foreignCode,
    isEndorsed,
    probes: ({ metaRegistry, addressProvider, zaps = [], ...venue }) => [
      ...addressesOf(addressProvider).map((to) => {
        const call = { signature: 'get_address(uint256)', args: [metaRegistryId] }
        return probe('AddressProvider of Curve', to, call, 'address')
      }),
      ...addressesOf(metaRegistry).map((to) =>
        probe('MetaRegistry of Curve', to, 'registry_length()', 'number'),
      ),
      ...factoryNames
        .flatMap((name) => addressesOf(venue[name]))
        .map((to) => probe('factory of Curve', to, 'pool_count()', 'number')),
      ...[zaps].flat().flatMap((entry) => {
        const [pool = zeroAddress, zap = zeroAddress] = addressesOf(String(entry).split(':'))
        return [
          probe('pool of Curve with a zap', pool, 'A()', 'number'),
          probe('zap of Curve', zap, 'curve()', pool),
        ]
      }),
    ],
  },
  index: curvePoolEvents,
  positions: {
    ...curvePositions,
    holdings(pool, state, token) {
      if (state.kind !== 'liquidity' || token !== pool.tokens.at(-1)) return null
      return holdingsOf(state, pool.tokens.slice(0, -1))
    },
    async underlying(args) {
      const { pools } = await findLiquidity(args)
      return new Map([...pools].map(([share, { tokens }]) => [share, tokens.slice(0, -1)]))
    },
  },
  actions: { definitions: liquidityActions },
})

async function discover(args: DiscoverArgs): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const [swaps, liquidity] = await Promise.all([discoverCurve(args), discoverLiquidity(args)])
  return {
    pools: [...swaps.pools, ...liquidity.pools],
    unreadable: [...swaps.unreadable, ...liquidity.unreadable],
  }
}

async function load(
  args: Parameters<Swaps['load']>[0],
): Promise<(LoadedPool<CurveState> | Unreadable)[]> {
  const kinds = [args.pools.filter((pool) => !isLiquidity(pool)), args.pools.filter(isLiquidity)]
  const [swaps, liquidity] = await Promise.all([
    loadSwaps({ ...args, pools: kinds[0] ?? [] }),
    loadLiquidity({ ...args, pools: kinds[1] ?? [] }),
  ])
  let [nextSwaps, nextLiquidity] = [0, 0]
  return args.pools.map((pool) => {
    const item = isLiquidity(pool) ? liquidity[nextLiquidity++] : swaps[nextSwaps++]
    return item ?? { protocol: pool.protocol, subject: pool.id, message: 'no state' }
  })
}

/** The pool itself, where its math is not known here or asks others for rates. */
function foreignCode({ address }: Pool, state: CurveState): Address | null {
  const asks = state.kind === 'stable' && !state.rates.every(isPowerOfTen)
  return state.kind === 'sampled' || asks ? address : null
}

function isPowerOfTen(rate: bigint): boolean {
  return /^10*$/.test(String(rate))
}

/** Gas of a swap by kind: solving costs most in the first crypto pools, a metapool works on two pools. */
function gasOf(pool: Pool, state: CurveState): bigint {
  const coins = BigInt(pool.tokens.length)
  if (state.kind === 'meta') return 210_000n
  if (state.kind === 'crypto') return state.solver === 'cubic' ? 160_000n : 220_000n
  if (state.kind === 'sampled') return 220_000n
  if (state.kind === 'liquidity') return 150_000n + 25_000n * coins
  // Later pools keep price oracles and may ask others for rates.
  return (state.offpegFeeMultiplier > 0n ? 90_000n : 50_000n) + 15_000n * coins
}

function indexesOf(pool: Pool, { tokenIn, tokenOut }: Direction) {
  const i = pool.tokens.indexOf(tokenIn)
  const j = pool.tokens.indexOf(tokenOut)
  return i === -1 || j === -1 || i === j ? null : { i, j }
}

/** The pool pulls the coin (or takes native value) and pays the Executor. */
function encodeExchange(args: EncodeSwapArgs<CurveState>): ExecutorStep[] {
  const { pool, tokenIn, amountIn } = args
  const indexes = indexesOf(pool, args)
  if (!indexes) throw new RangeError(`Curve pool ${pool.id} does not hold both tokens.`)
  const { kind, indexType } = curveParameters(pool)
  const { i, j } = indexes
  if (kind === 'meta' && !isMetaPair(i, j)) {
    throw new RangeError(`Curve pool ${pool.id} does not trade the two tokens.`)
  }
  const isUnderlying = kind === 'meta' && Math.max(i, j) > 1
  const call: ExecutorStep = {
    kind: 'call',
    target: pool.address,
    abi: isUnderlying ? exchangeUnderlyingAbi : exchangeAbi[indexType],
    // Underlying indexes leave the shares of the base pool out.
    args: [...[i, j].map((k) => BigInt(isUnderlying && k > 0 ? k - 1 : k)), amountIn, 0n],
    ...defined({ value: isNative(tokenIn) ? amountIn : undefined }),
  }
  if (isNative(tokenIn)) return [call]
  return [{ kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn }, call]
}

/** Coins into shares and shares into one coin; the contract pulls, burns and pays the Executor. */
function encodeLiquidity(args: EncodeSwapArgs<CurveState>): ExecutorStep[] {
  const { pool, state, tokenIn, tokenOut, amountIn } = args
  const { coins, share, zap, indexType } = liquidityParameters(pool)
  const indexes = indexesOf(pool, args)
  if (state.kind !== 'liquidity' || !indexes || ![tokenIn, tokenOut].includes(share)) {
    throw new RangeError(`Curve liquidity ${pool.id} does not trade the two tokens.`)
  }
  const target = pool.address
  if (tokenIn === share) {
    return withdrawOneSteps({ target, zap, share, indexType, index: indexes.j, amount: amountIn })
  }
  const amounts = coins.map((coin): Amount => (coin === tokenIn ? amountIn : 0n))
  return depositSteps({ target, coins, amounts, amountsType: state.amountsType })
}
