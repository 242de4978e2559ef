/**
 * Balancer V2: weighted and stable pools of one Vault and their shares, by native math.
 * Everything specific to Balancer is in this folder; routing uses it through the adapter type only.
 */
import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { tokenAmounts } from '../../domain/lists.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'
import { isLiquidity, type Pool, sharedWithLiquidity, type Unreadable } from '../pool.js'
import type { Holdings } from '../positions.js'
import {
  type Direction,
  defineProtocol,
  type EncodeSwapArgs,
  type LoadedPool,
  type Swaps,
} from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import { discoverBalancer, findPools, isFromFactory } from './discover.js'
import { exitOneData, exitStep, joinData, joinStep } from './liquidity-calls.js'
import { loadLiquidity } from './liquidity-load.js'
import { assetsOf, swapPool } from './liquidity-pool.js'
import { exit, join, type LiquidityState, ownedBalances } from './liquidity-state.js'
import { loadBalancer, vaultOf } from './load.js'
import { poolContract } from './parameters.js'
import { balancerPoolEvents } from './pool-events.js'
import { balancerActions, balancerPositions } from './positions.js'
import { type BalancerState, poolSwap } from './state.js'

const swapAbi = parseAbiItem([
  'function swap(SingleSwap singleSwap, FundManagement funds, uint256 limit, uint256 deadline) payable returns (uint256)',
  'struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct FundManagement { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
])

/** Slot of the Vault's guard against reentrancy. */
const vaultStatusSlot = toWord(0n)
/** SwapKind.GIVEN_IN. */
const givenIn = 0

type State = BalancerState | LiquidityState

export const balancerV2 = defineProtocol<State>({
  slug: 'balancer-v2',
  name: 'Balancer V2',
  project: 'balancer',
  category: 'dex',
  url: 'https://balancer.fi',
  description: 'Weighted and stable pools of the Balancer V2 Vault, and shares of them.',
  swaps: {
    paysRecipient: true,
    sharedState: sharedWithLiquidity,
    discover: discoverBalancer,
    load,
    swap(pool, state, direction, amountIn) {
      if (state.kind === 'liquidity') {
        const change = changeOf(pool, state, direction, amountIn)
        const after = () => change?.after() ?? state
        return { amountOut: change?.amountOut ?? 0n, exact: state.exact, after }
      }
      // What the protocol is owed since the last join goes into the number of shares, by rules not followed here.
      const shareToken = poolContract(pool)
      const exact =
        state.exact && direction.tokenIn !== shareToken && direction.tokenOut !== shareToken
      const { amountOut, after } = poolSwap(pool, state, direction, amountIn)
      return { amountOut, exact, after }
    },
    action(pool, tokenIn, tokenOut) {
      const shareToken = poolContract(pool)
      if (tokenOut === shareToken) return 'deposit'
      return tokenIn === shareToken ? 'redeem' : 'swap'
    },
    swapSlots: () => [vaultStatusSlot],
    gasEstimate(_pool, state) {
      if (state.kind === 'liquidity') return 130_000n
      return state.kind === 'weighted' ? 65_000n : 95_000n
    },
    cautions(_pool, state) {
      const { scalingFactors } = state.kind === 'liquidity' ? state.pool : state
      const isRated = !scalingFactors.every(isPowerOfTen)
      return cautionsWhere([isRated, 'rate', 'A rate provider says what a token is worth.'])
    },
    encodeSwap: (args) => (isLiquidity(args.pool) ? encodeLiquidity(args) : encodeVaultSwap(args)),
  },
  trust: {
    // What a join gives can be moved for a moment by trading, and the tokens have prices of their own.
    isNoPriceSource: (pool, token) =>
      isLiquidity(pool) || (token !== undefined && token === poolContract(pool)),
    // The Vault takes pools from everybody.
    foreignCode: poolContract,
    isEndorsed: isFromFactory,
    probes: ({ vault, factories }, { wrappedNative }) => [
      ...addressesOf(vault).map((to) => probe('Vault of Balancer V2', to, 'WETH()', wrappedNative)),
      ...addressesOf(factories).map((to) =>
        probe('factory of Balancer V2', to, 'getVault()', addressesOf(vault)[0] ?? 'address'),
      ),
    ],
  },
  index: balancerPoolEvents,
  positions: {
    ...balancerPositions,
    holdings,
    async underlying(args) {
      const { pools } = await findPools(args)
      return new Map([...pools].map(([share, pool]) => [share, assetsOf(pool)]))
    },
  },
  actions: balancerActions,
})

async function load(
  args: Parameters<Swaps['load']>[0],
): Promise<(LoadedPool<State> | Unreadable)[]> {
  const [swaps, liquidity] = await Promise.all([
    loadBalancer({ ...args, pools: args.pools.filter((pool) => !isLiquidity(pool)) }),
    loadLiquidity({ ...args, pools: args.pools.filter(isLiquidity) }),
  ])
  let [nextSwaps, nextLiquidity] = [0, 0]
  return args.pools.map((pool) => {
    const item = isLiquidity(pool) ? liquidity[nextLiquidity++] : swaps[nextSwaps++]
    return item ?? { protocol: pool.protocol, subject: pool.id, message: 'no state' }
  })
}

/** Decimals alone make such factors. */
function isPowerOfTen(factor: bigint): boolean {
  return /^10*$/.test(String(factor))
}

function holdings(pool: Pool, state: State, token: Address): Holdings | null {
  const shares = state.supply ?? 0n
  if (token !== poolContract(pool) || shares === 0n) return null
  const balances = state.kind === 'liquidity' ? ownedBalances(state) : state.balances
  if (!balances) return null
  const amounts = tokenAmounts(pool.tokens.slice(0, balances.length), balances)
  return { shares, amounts: amounts.filter((own) => own.token !== token) }
}

function changeOf(
  pool: Pool,
  state: LiquidityState,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
) {
  const assets = pool.tokens.slice(0, -1)
  const share = pool.tokens.at(-1)
  if (amountIn <= 0n || tokenIn === tokenOut) return null
  if (tokenOut === share) {
    return join(
      state,
      assets.map((token) => (token === tokenIn ? amountIn : 0n)),
    )
  }
  const index = assets.indexOf(tokenOut)
  return tokenIn === share && index >= 0 ? exit(state, index, amountIn) : null
}

/** The Vault pulls the tokens from the Executor, or burns its shares, and pays the recipient. */
function encodeLiquidity(args: EncodeSwapArgs<State>): ExecutorStep[] {
  const { tokenIn, tokenOut, amountIn } = args
  const pool = swapPool(args.pool)
  const vault = vaultOf(args.venue)
  const assets = pool.tokens
  const common = {
    vault,
    poolId: pool.id as Hex,
    assets,
    sender: args.executor,
    recipient: args.recipient,
  }
  if (tokenOut === poolContract(pool)) {
    const amounts = assets.map((token): Amount => (token === tokenIn ? amountIn : 0n))
    return [
      { kind: 'approve', token: tokenIn, spender: vault, amount: amountIn },
      joinStep({ ...common, userData: joinData(amounts) }),
    ]
  }
  const index = assets.indexOf(tokenOut)
  if (tokenIn !== poolContract(pool) || index < 0) {
    throw new RangeError(`Balancer liquidity ${args.pool.id} does not trade the two tokens.`)
  }
  return [exitStep({ ...common, userData: exitOneData(amountIn, index) })]
}

/** The Vault pulls the input from the Executor and pays the recipient. */
function encodeVaultSwap(args: EncodeSwapArgs<State>): ExecutorStep[] {
  const vault = vaultOf(args.venue)
  const { tokenIn: assetIn, tokenOut: assetOut, amountIn: amount } = args
  return [
    { kind: 'approve', token: assetIn, spender: vault, amount },
    {
      kind: 'call',
      target: vault,
      abi: swapAbi,
      args: [
        { poolId: args.pool.id as Hex, kind: givenIn, assetIn, assetOut, amount, userData: '0x' },
        {
          sender: args.executor,
          fromInternalBalance: false,
          recipient: args.recipient,
          toInternalBalance: false,
        },
        0n,
        args.deadline ?? maxUint256,
      ],
    },
  ]
}
