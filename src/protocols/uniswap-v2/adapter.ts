/** Builds the adapter of one V2-style exchange from its row of parameters; see `index.ts`. */

import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import type { ExecutorStep } from '../../domain/order.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import {
  type Direction,
  defineProtocol,
  type EncodeSwapArgs,
  type Swap,
  type SwapAdapter,
} from '../protocol.js'
import { helperAddress } from '../shared/helper-address.js'
import { pairEvents } from '../shared/pair-events.js'
import { addressesOf } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import { pairActions } from './actions.js'
import {
  type LiquidityState,
  type PairRules,
  type ProtocolFee,
  supplyWithFee,
  zapIn,
  zapOut,
} from './liquidity.js'
import { loadPairs } from './load.js'
import { constantProductOut, type UniswapV2State } from './math.js'
import { discoverPairs, isSharesPool, pairAt, pairOf, pairPool, recogniseShares } from './pairs.js'
import { pairPositions } from './positions.js'

interface UniswapV2Row {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  /** Slots at which the factory's `getPair` mapping may lie; the first entry found counts. */
  readonly getPairSlots: readonly bigint[]
  /** Hash of the creation code of its pairs. */
  readonly initCodeHash: Hex
  readonly protocolFee: ProtocolFee
}

/** token0, token1, the two oracle accumulators and the lock. */
const swapSlots = [6n, 7n, 9n, 10n, 12n].map(toWord)
/** The same, and the factory, which a mint and a burn ask for the receiver of its fee. */
const liquiditySlots = [5n, 6n, 7n, 9n, 10n, 12n].map(toWord)

/** Transfer, swap with one oracle update, warm and cold storage mixed. */
const gasPerSwap = 60_000n
/** A swap and a mint or a burn, with the transfers that they need. */
const gasPerZap = 190_000n
/** Both balances are read, and the reserves written once more. */
const gasPerSync = 15_000n

const swapHelper = 'UniswapV2Swapper'
const zapHelper = 'UniswapV2Zapper'

const [syncAbi, swapAbi, zapInAbi, zapOutAbi] = parseAbi([
  'function sync()',
  'function swap(address pair, address tokenIn, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 amountOut)',
  'function zapIn(address pair, address tokenIn, address tokenOther, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 liquidity)',
  'function zapOut(address pair, address tokenOut, address tokenOther, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 amountOut)',
])

type State = UniswapV2State | LiquidityState

/** @returns Adapter for pairs of the original bytecode or one with the same storage and `swap`. */
export function defineUniswapV2Like(row: UniswapV2Row): SwapAdapter<State> {
  const { getPairSlots, initCodeHash, protocolFee, ...identity } = row
  const source = { slug: row.slug, getPairSlots, initCodeHash }
  const rulesOf = (pool: Pool): PairRules => ({ feeBps: feeOf(pool), protocolFee })

  /** Null where the pair gives nothing. */
  function zapped(
    pool: Pool,
    state: State,
    { tokenIn, tokenOut }: Direction,
    amountIn: bigint,
  ): { readonly amountOut: bigint; readonly after: State } | null {
    if (!('totalSupply' in state)) return null
    if (tokenIn === pool.address) {
      const out = zapOut(state, tokenOut === pool.tokens[0], amountIn, rulesOf(pool))
      return out && { amountOut: out.amountOut, after: out.after }
    }
    // The tokens for each other trade in the pair itself.
    if (tokenOut !== pool.address) return null
    const shares = zapIn(state, tokenIn === pool.tokens[0], amountIn, rulesOf(pool))
    return shares && { amountOut: shares.liquidity, after: shares.after }
  }

  return defineProtocol<State>({
    ...identity,
    category: 'dex',
    description: `Constant-product pairs of ${row.name}, and shares in them.`,
    swaps: {
      paysRecipient: true,
      helperContracts: [swapHelper, zapHelper],
      discover: (args) => discoverPairs(source, args),
      load: (args) => loadPairs({ ...args, slug: row.slug }),
      swap(pool, state, direction, amountIn) {
        if (!isSharesPool(pool)) return pairSwap(pool, state, direction.tokenIn, amountIn)
        const zap = zapped(pool, state, direction, amountIn)
        return { amountOut: zap?.amountOut ?? 0n, exact: true, after: () => zap?.after ?? state }
      },
      sharedState: pairOf,
      // The reserves change with `Sync` alone, and a stated amount is all that they are compared with.
      changesOnlyWithEvents: 'unmeasured',
      pairAt: (venue, tokens) => pairAt(source, venue, tokens),
      action: (pool, tokenIn) =>
        isSharesPool(pool) ? (tokenIn === pool.address ? 'redeem' : 'deposit') : 'swap',
      swapSlots: (pool) => (isSharesPool(pool) ? liquiditySlots : swapSlots),
      gasEstimate: (pool, { isShort }) =>
        (isSharesPool(pool) ? gasPerZap : gasPerSwap) + (isShort ? gasPerSync : 0n),
      // A pair that is told what it holds after it was paid takes the payment for its own.
      prepaidAt: (pool, { isShort }) => (isSharesPool(pool) || isShort ? undefined : pool.address),
      swapHop: (pool, tokenIn, { isShort }) =>
        isSharesPool(pool) || isShort
          ? null
          : {
              family: 'v2',
              pair: pool.address,
              feeBps: Number(feeOf(pool)),
              zeroForOne: tokenIn === pool.tokens[0],
            },
      encodeSwap: (args) => [
        ...(args.state.isShort ? [syncStep(args.pool)] : []),
        ...(isSharesPool(args.pool) ? encodeZap(args) : encodeSwap(args)),
      ],
    },
    trust: {
      probes: ({ factory, router }, { wrappedNative }) => [
        ...addressesOf(factory).map((to) =>
          probe(`factory of ${row.name}`, to, 'allPairsLength()', 'number'),
        ),
        ...addressesOf(router).flatMap((to) => [
          probe(`router of ${row.name}`, to, 'factory()', addressesOf(factory)[0] ?? 'address'),
          probe(`router of ${row.name}`, to, 'WETH()', wrappedNative),
        ]),
      ],
      // What shares are worth follows from the tokens' prices; what a swap would give for them depends on its size.
      isNoPriceSource: isSharesPool,
    },
    index: pairEvents((pair, tokens, { feeBps }) =>
      pairPool(row.slug, pair, tokens, Number(feeBps)),
    ),
    positions: {
      ...pairPositions({ ...source, name: row.name }, rulesOf),
      holdings(pool, state, token) {
        const [token0, token1] = pool.tokens
        if (token !== pool.address || !('totalSupply' in state) || !token0 || !token1) return null
        const shares = supplyWithFee(state, rulesOf(pool))
        const amounts = [
          { token: token0, amount: state.reserve0 },
          { token: token1, amount: state.reserve1 },
        ]
        return shares === 0n ? null : { shares, amounts }
      },
      async underlying({ reader, venue, tokens }) {
        const found = await recogniseShares(source, { reader, venue, tokens })
        return new Map(
          [...found].flatMap(([token, own]) =>
            own && !('message' in own) ? [[token, own] as const] : [],
          ),
        )
      },
    },
    actions: { definitions: pairActions(source) },
  })
}

function pairSwap(pool: Pool, state: State, tokenIn: Address, amountIn: bigint): Swap<State> {
  const { reserve0, reserve1 } = state
  const zeroForOne = tokenIn === pool.tokens[0]
  const amountOut = zeroForOne
    ? constantProductOut(amountIn, reserve0, reserve1, feeOf(pool))
    : constantProductOut(amountIn, reserve1, reserve0, feeOf(pool))
  return {
    amountOut,
    exact: true,
    after() {
      if (amountOut === 0n) return state
      return zeroForOne
        ? { ...state, reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut }
        : { ...state, reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn }
    },
  }
}

/** Lets the pair count on what it holds: else it takes what it lacks from the payment, or refuses to pay. */
function syncStep({ address }: Pool): ExecutorStep {
  return { kind: 'call', target: address, abi: syncAbi, args: [] }
}

function encodeSwap(args: EncodeSwapArgs<State>): ExecutorStep[] {
  const { pool, tokenIn, amountIn, helpers, recipient, isPrepaid } = args
  const swap: ExecutorStep = {
    kind: 'call',
    target: helperAddress(helpers, swapHelper),
    abi: swapAbi,
    args: [pool.address, tokenIn, tokenIn === pool.tokens[0], feeOf(pool), recipient],
  }
  if (isPrepaid) return [swap]
  return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, swap]
}

function encodeZap(args: EncodeSwapArgs<State>): ExecutorStep[] {
  const { pool, tokenIn, tokenOut, amountIn, helpers, recipient } = args
  const isIn = tokenIn !== pool.address
  const target = helperAddress(helpers, zapHelper)
  const [token0, token1] = pool.tokens
  const pairToken = isIn ? tokenIn : tokenOut
  const other = pairToken === token0 ? token1 : token0
  // The direction of the swap inside: from the token that comes in, or into the one that is wanted.
  const zeroForOne = isIn === (pairToken === token0)
  return [
    { kind: 'transfer', token: tokenIn, to: isIn ? target : pool.address, amount: amountIn },
    {
      kind: 'call',
      target,
      abi: isIn ? zapInAbi : zapOutAbi,
      args: [pool.address, pairToken, other, zeroForOne, feeOf(pool), recipient],
    },
  ]
}

function feeOf({ parameters }: Pool): bigint {
  return BigInt(Number(parameters.feeBps))
}
