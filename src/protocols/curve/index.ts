/**
 * Curve: stable, meta and crypto pools by native maths, all others by samples of their own quotes.
 * Owns everything that is particular to Curve; called by routing through the adapter type only.
 */
import type { Step } from '../../domain/plan.js'
import { type Address, isNative } from '../../domain/primitives.js'
import { defineProtocol, type EncodeSwapArgs, type Pool } from '../protocol.js'
import { exchangeAbi, exchangeUnderlyingAbi } from './abi.js'
import { discoverCurve } from './discover.js'
import { loadCurve } from './load.js'
import { isMetaPair } from './meta-math.js'
import { curveParameters } from './parameters.js'
import { type CurveState, outputOf, stateAfter } from './state.js'

export const curve = defineProtocol<CurveState>({
  slug: 'curve',
  name: 'Curve',
  project: 'curve',
  category: 'dex',
  url: 'https://curve.finance',
  description: 'StableSwap, meta and crypto pools of Curve, each its own contract.',
  paysRecipient: false,

  discover: discoverCurve,
  load: loadCurve,

  amountOut(pool, state, tokenIn, tokenOut, amountIn) {
    const exact = state.kind !== 'sampled' && state.exact
    const indexes = indexesOf(pool, tokenIn, tokenOut)
    if (!indexes || amountIn <= 0n) return { amountOut: 0n, exact }
    return { amountOut: outputOf(state, indexes.i, indexes.j, amountIn), exact }
  },

  applySwap(pool, state, tokenIn, tokenOut, amountIn) {
    const indexes = indexesOf(pool, tokenIn, tokenOut)
    if (!indexes || amountIn <= 0n) return state
    return stateAfter(state, indexes.i, indexes.j, amountIn)
  },

  gasEstimate: gasOf,

  encodeSwap: encodeExchange,
})

/** Of the kinds: solving costs most in the first crypto pools, a metapool works on two pools. */
function gasOf(pool: Pool, state: CurveState): bigint {
  const coins = BigInt(pool.tokens.length)
  if (state.kind === 'meta') return 210_000n
  if (state.kind === 'crypto') return state.solver === 'cubic' ? 160_000n : 220_000n
  if (state.kind === 'sampled') return 220_000n
  // Later pools keep price oracles and may ask others for rates.
  return (state.offpegFeeMultiplier > 0n ? 90_000n : 50_000n) + 15_000n * coins
}

function indexesOf(pool: Pool, tokenIn: Address, tokenOut: Address) {
  const i = pool.tokens.indexOf(tokenIn)
  const j = pool.tokens.indexOf(tokenOut)
  return i === -1 || j === -1 || i === j ? null : { i, j }
}

/** The pool pulls the coin (or takes native value) and pays the Executor. */
function encodeExchange({ pool, tokenIn, tokenOut, amountIn }: EncodeSwapArgs<CurveState>): Step[] {
  const indexes = indexesOf(pool, tokenIn, tokenOut)
  if (!indexes) throw new RangeError(`Curve pool ${pool.id} does not hold both tokens.`)
  const { kind, indexType } = curveParameters(pool)
  const { i, j } = indexes
  if (kind === 'meta' && !isMetaPair(i, j)) {
    throw new RangeError(`Curve pool ${pool.id} does not trade the two tokens.`)
  }
  const isUnderlying = kind === 'meta' && Math.max(i, j) > 1
  const call: Step = {
    kind: 'call',
    target: pool.address,
    abi: isUnderlying ? exchangeUnderlyingAbi : exchangeAbi[indexType],
    // Underlying indexes leave the shares of the base pool out.
    args: [...[i, j].map((k) => BigInt(isUnderlying && k > 0 ? k - 1 : k)), amountIn, 0n],
    ...(isNative(tokenIn) && { value: amountIn }),
  }
  if (isNative(tokenIn)) return [call]
  return [{ kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn }, call]
}
