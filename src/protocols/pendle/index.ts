/**
 * Pendle: a principal token (PT), its yield (YT) and shares of the market against the standardized yield (SY) that they come from,
 * in markets until they expire, the redemption of PT from then on, and an SY against the tokens that it takes and pays.
 * Venue parameters: `router`, `factories`, `yieldFactories`. Pool parameters: pools.ts.
 */
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import type { ExecutorStep } from '../../domain/order.js'
import { isNative, maxUint256, zeroAddress } from '../../domain/primitives.js'
import { defineProtocol, type EncodeSwapArgs } from '../protocol.js'
import {
  addLiquidityAbi,
  buyYtAbi,
  depositAbi,
  ownSpelling,
  redeemAbi,
  redeemPyAbi,
  removeLiquidityAbi,
  sellYtAbi,
  swapPtAbi,
  swapSyAbi,
} from './abi.js'
import { pendleActions } from './actions.js'
import { discoverPools, underlyingTokens } from './discover.js'
import { loadPools } from './load.js'
import { parts } from './market-swaps.js'
import { marketEvents } from './pool-events.js'
import { factoriesOf, routerOf, slug, yieldFactoriesOf } from './pools.js'
import { pendlePositions } from './positions.js'
import { type PendleState, swapIn } from './state.js'
import { holdings, isEndorsed } from './worth.js'

/** The router searches on chain for what an amount of SY buys, and each step of that takes a logarithm. */
const gasOf = { ptIn: 190_000n, redemption: 110_000n, yield: 110_000n } as const

const noLimitOrders = {
  limitRouter: zeroAddress,
  epsSkipMarket: 0n,
  normalFills: [],
  flashFills: [],
  optData: '0x',
} as const
/** Without a guess the router makes its own; the rest counts with a guess alone. */
const ownGuess = {
  guessMin: 0n,
  guessMax: maxUint256,
  guessOffchain: 0n,
  maxIteration: 256n,
  eps: 10n ** 14n,
} as const

export const pendle = defineProtocol<PendleState>({
  slug,
  name: 'Pendle',
  project: slug,
  category: 'dex',
  url: 'https://www.pendle.finance',
  description:
    'Principal and its yield until a day, against the tokens that both are split from, and liquidity of them.',
  swaps: {
    paysRecipient: true,
    discover: discoverPools,
    load: loadPools,
    swap: swapIn,
    // What one token puts into an SY changes its rate for the others.
    sharedState: ({ id, address, parameters }) => (parameters.kind === 'yield' ? address : id),
    gasEstimate: (_pool, { kind }) => (kind === 'market' ? gasOf.ptIn : gasOf[kind]),
    action({ address, parameters: { kind } }, tokenIn, tokenOut) {
      // Shares of a market have its address, and an SY that of its pool.
      if (kind !== 'redemption' && tokenOut === address) return 'deposit'
      return kind === 'market' && tokenIn !== address ? 'swap' : 'redeem'
    },
    prepaidAt: ({ address }, { kind }) => (kind === 'redemption' ? address : undefined),
    cautions: (_pool, { kind }) =>
      cautionsWhere(
        [
          kind === 'market',
          'price',
          'PT nears its asset with time and YT nears nothing, and both follow the rate of their SY.',
        ],
        [kind !== 'market', 'rate', 'The rate of an SY moves as its token earns.'],
      ),
    encodeSwap: (args) => {
      if (args.state.kind === 'market') return inMarket(args)
      return args.state.kind === 'redemption' ? redemption(args) : conversion(args)
    },
  },
  trust: {
    // Anybody may write an SY, and open a market of it.
    foreignCode: ({ tokens: [, sy], address }) => sy ?? address,
    // A market is of PT of Pendle's factories, which make its YT, too.
    isOwnToken: ({ tokens: [, sy], parameters: { kind } }, token) =>
      kind === 'market' && token !== sy,
    isNoPriceSource: () => true,
    isEndorsed,
    probes: (venue) => {
      const router = routerOf(venue)
      return [
        ...(router ? [probe('router of Pendle', router, 'owner()', 'address')] : []),
        ...factoriesOf(venue).map((to) =>
          probe('factory of Pendle', to, 'yieldContractFactory()', 'address'),
        ),
        ...yieldFactoriesOf(venue).map((to) =>
          probe('factory of PT and YT of Pendle', to, 'expiryDivisor()', 'positive'),
        ),
      ]
    },
  },
  index: marketEvents,
  positions: { ...pendlePositions, underlying: underlyingTokens, holdings },
  actions: { definitions: pendleActions },
})

const fromSy = { pt: swapSyAbi, yt: buyYtAbi, lp: addLiquidityAbi } as const
const toSy = { pt: swapPtAbi, yt: sellYtAbi, lp: removeLiquidityAbi } as const

/** The router pulls the token, and whoever has the other one then pays it to the recipient. */
function inMarket(args: EncodeSwapArgs<PendleState>): ExecutorStep[] {
  const { pool, venue, tokenIn, tokenOut, amountIn, recipient } = args
  const target = routerOf(venue)
  if (!target) throw new RangeError('The venue has no router.')
  const isSyIn = tokenIn === pool.tokens[1]
  const part = parts[pool.tokens.indexOf(isSyIn ? tokenOut : tokenIn)]
  if (!part || part === 'sy') throw new RangeError('The market has no such token.')
  const common = [recipient, pool.address, amountIn, 0n]
  return [
    { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
    isSyIn
      ? { kind: 'call', target, abi: fromSy[part], args: [...common, ownGuess, noLimitOrders] }
      : { kind: 'call', target, abi: toSy[part], args: [...common, noLimitOrders] },
  ]
}

/** All PT that lies at the YT is redeemed. */
function redemption(args: EncodeSwapArgs<PendleState>): ExecutorStep[] {
  const { pool, tokenIn, amountIn, recipient, isPrepaid } = args
  const call = { kind: 'call', target: pool.address, abi: redeemPyAbi, args: [recipient] } as const
  if (isPrepaid) return [call]
  return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, call]
}

function conversion(args: EncodeSwapArgs<PendleState>): ExecutorStep[] {
  const { pool, tokenIn, tokenOut, amountIn, recipient } = args
  const target = pool.address
  if (tokenIn === target) {
    const own = [recipient, amountIn, ownSpelling(tokenOut), 0n, false]
    return [{ kind: 'call', target, abi: redeemAbi, args: own }]
  }
  const call = {
    kind: 'call',
    target,
    abi: depositAbi,
    args: [recipient, ownSpelling(tokenIn), amountIn, 0n],
  } as const
  if (isNative(tokenIn)) return [{ ...call, value: amountIn }]
  return [{ kind: 'approve', token: tokenIn, spender: target, amount: amountIn }, call]
}
